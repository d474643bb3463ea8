import EditModel
import EditProtocol

/// Entries of a history as lines: number, local time, origin, author, range, change in length
/// and an excerpt of the new text; events stand between the edits, without a number.
struct EntryTable {
  private let session: Session
  private var table: Table
  /// Columns of an excerpt where no terminal bounds it.
  private static let excerptMax = 60
  private static let authorMax = 24

  init(_ session: Session) {
    self.session = session
    table = Table(
      [
        .init(isRight: true), .init(), .init(), .init(), .init(), .init(isRight: true), .init(),
      ], style: session.style, width: session.width, hasHeader: false)
  }

  /// Adds an entry.
  mutating func append(_ entry: HistoryEntry) {
    switch entry {
    case .edit(let edit):
      append(
        edit.action, number: String(edit.sequence), time: session.localTime(edit.time),
        origin: edit.origin, author: edit.author)
    case .event(let event): append(event)
    }
  }

  /// Adds an edit that is not made yet.
  mutating func append(_ edit: AppendEdit, number: Int) {
    append(
      edit.action, number: String(number), time: "", origin: edit.origin ?? .undo,
      author: edit.author)
  }

  /// The lines since the last call.
  mutating func takeLines() -> String { table.takeLines() }

  private mutating func append(
    _ action: EditAction, number: String, time: String, origin: Origin, author: String?
  ) {
    let change = action.changeInLength
    table.append([
      .init(number, .sequence), .init(time, .time), .init(origin.name, .origin),
      Self.authorCell(author), .init("\(action.range)", .range),
      .init(
        action.replacement == nil ? "" : Numbers.signed(change),
        change < 0 ? .removed : change > 0 ? .added : .faint),
      excerpt(action),
    ])
  }

  private static func authorCell(_ author: String?) -> Table.Cell {
    .init(author.map { Excerpt.name($0, width: authorMax) } ?? "", .author)
  }

  private func excerpt(_ action: EditAction) -> Table.Cell {
    if let replacement = action.replacement, !replacement.isEmpty {
      // A long paste is cut before it is decoded.
      let units = replacement.units.prefix(1000)
      return .init(
        excerpt: String(decoding: units, as: UTF16.self),
        max: session.width == nil ? Self.excerptMax : nil)
    }
    switch action.attributes {
    case .inherit: return .init("")
    case .set(let runs): return .init("set " + Self.names(runs), .faint)
    case .merge(let runs): return .init("merge " + Self.names(runs), .faint)
    case .remove(let names): return .init("remove " + Self.list(names), .faint)
    }
  }

  private static func names(_ runs: [AttributeRun]) -> String {
    list(AttributeSet(runs.flatMap(\.attributes)).map(\.name))
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty
      ? "no attributes"
      : Excerpt.line(names.map(\.shown).joined(separator: ", "), width: excerptMax)
  }

  private mutating func append(_ event: HistoryEvent) {
    let author = event.author.map { " by " + Excerpt.name($0, width: Self.authorMax) } ?? ""
    table.append([
      .init(""), .init(session.localTime(event.time), .time),
      .init(spanning: "── \(Self.describe(event))\(author)", .event),
    ])
  }

  private static func describe(_ event: HistoryEvent) -> String {
    switch event.kind {
    case .mark(let label, let at): "mark:\(Excerpt.name(label, width: excerptMax)) at \(at)"
    case .baseline: "found this text at \(event.after)"
    case .saved: "saved at \(event.after)"
    case .closed(let unsaved): (unsaved ? "closed unsaved" : "closed") + " at \(event.after)"
    case .divergence: "the editor had another text at \(event.after)"
    case .renamed(let from): "renamed from \(Excerpt.name(from.name, width: excerptMax))"
    }
  }
}
