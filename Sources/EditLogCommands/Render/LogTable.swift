import EditModel
import EditProtocol

/// A line of `log`.
enum LogRow: Hashable, Sendable {
  case run(EditRun)
  case event(HistoryEvent)

  fileprivate var time: Timestamp {
    switch self {
    case .run(let run): run.times.lowerBound
    case .event(let event): event.time
    }
  }
}

/// Groups entries into lines: edits that one undo takes back together share a line.
struct EditRunBuilder {
  /// True if each edit has a line of its own.
  let isSingle: Bool
  /// True if entries come newest first.
  let newestFirst: Bool
  private var open: EditRun?

  init(isSingle: Bool, newestFirst: Bool) {
    (self.isSingle, self.newestFirst) = (isSingle, newestFirst)
  }

  /// Adds the next entry. Returns the lines that are complete.
  mutating func append(_ entry: EntryPreview) -> [LogRow] {
    switch entry {
    case .event(let event): return finish() + [.event(event)]
    case .edit(let edit) where isSingle: return [.run(EditRun(edit))]
    case .edit(let edit):
      if var run = open, newestFirst ? run.isContinuation : edit.isContinuation {
        if newestFirst { run.prepend(edit) } else { run.append(edit) }
        open = run
        return []
      }
      defer { open = EditRun(edit) }
      return finish()
    }
  }

  /// Ends the last line. Returns it if there is one.
  mutating func finish() -> [LogRow] { open.take().map { [.run($0)] } ?? [] }
}

/// Entries of a history as lines, under a heading for each day.
struct LogTable {
  private let session: Session
  private let isVerbose: Bool
  private let hasSeconds: Bool
  private var table: Table
  private var day = ""

  private static let (authorMax, labelMax) = (24, 60)

  /// A table with seconds and ranges if it is verbose, or with seconds if each edit has a line.
  init(_ session: Session, isVerbose: Bool, isSingle: Bool) {
    (self.session, self.isVerbose, hasSeconds) = (session, isVerbose, isVerbose || isSingle)
    table = session.table(
      [
        .init(), .init(rank: 2, cutWidth: 8, widthMax: Self.authorMax),
        .init(isRight: true, rank: 8), .init(isRight: true, rank: 8), .init(rank: 1), .init(),
        EditRun.excerptColumn, .init(),
      ], hasHeader: false, isWide: isVerbose)
  }

  mutating func append(_ row: LogRow) {
    appendDay(of: row)
    switch row {
    case .run(let run): table.append(cells(of: run))
    case .event(let event): table.append(cells(of: event))
    }
  }

  /// The lines since the last call.
  mutating func takeLines() -> String { table.takeLines() }

  private mutating func appendDay(of row: LogRow) {
    let next = session.localDay(row.time)
    guard next != day else { return }
    day = next
    table.append([.init(spanning: day, .header)])
  }

  private func cells(of run: EditRun) -> [Table.Cell] {
    let numbers = run.sequences
    let (inserted, removed) = (run.insertedLength, run.removedLength)
    return [
      .init("  " + clock(run.times), .time),
      .init(run.author?.shown ?? "", .author),
      .init(inserted > 0 ? "+" + Numbers.grouped(inserted) : "", .added),
      .init(removed > 0 ? "-" + Numbers.grouped(removed) : "", .removed),
      .init(run.verb, .origin),
      .init(isVerbose ? run.range.map { "\($0)" } ?? "" : "", .range),
      run.excerptCell,
      .init(
        numbers.count == 1
          ? "\(numbers.lowerBound)" : "\(numbers.lowerBound)-\(numbers.upperBound)", .sequence),
    ]
  }

  private func clock(_ times: ClosedRange<Timestamp>) -> String {
    let (first, last) = (clock(times.lowerBound), clock(times.upperBound))
    return first == last ? first : "\(first)-\(last)"
  }

  private func clock(_ time: Timestamp) -> String {
    session.localClock(time, hasSeconds: hasSeconds)
  }

  private func cells(of event: HistoryEvent) -> [Table.Cell] {
    let author = event.author.map { " by " + Excerpt.name($0, width: Self.authorMax) } ?? ""
    return [
      .init("  " + clock(event.time), .time),
      .init(spanning: "── \(Self.describe(event))\(author)", .event),
    ]
  }

  /// `undo of 3..7, redo of 1`.
  private static func describe(_ change: UndoneChange) -> String {
    let parts = [("undo", change.undone), ("redo", change.redone)].filter { !$0.1.isEmpty }
    guard !parts.isEmpty else { return "undo of nothing" }
    return parts.map { "\($0) of \(Excerpt.name("\($1)", width: labelMax))" }.joined(
      separator: ", ")
  }

  private static func describe(_ event: HistoryEvent) -> String {
    switch event.kind {
    case .mark(let label, let at): "mark:\(Excerpt.name(label, width: labelMax)) at \(at)"
    case .baseline: "recording begins with this text, at \(event.after)"
    case .saved: "saved at \(event.after)"
    case .closed(let unsaved): (unsaved ? "closed unsaved" : "closed") + " at \(event.after)"
    case .divergence: "the editor had another text at \(event.after)"
    case .renamed(let from): "renamed from \(Excerpt.name(from.name, width: labelMax))"
    case .session(let description): "session of \(description.shown)"
    case .copied(let from, let at):
      "copied from \(Excerpt.name(from.name, width: labelMax)) at \(at)"
    case .undo(let change, _): describe(change)
    }
  }
}
