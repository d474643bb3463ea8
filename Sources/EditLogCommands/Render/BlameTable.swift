import EditModel
import EditProtocol

/// A part of a line whose units have the same kind of writer.
private struct BlameSpan {
  var line: Int
  /// True if the line begins with it.
  var isFirst: Bool
  var units: [UInt16]
  var source: Source
  var sequences: ClosedRange<SequenceNumber>?
  var times: ClosedRange<Timestamp>?
  /// Where the units are now.
  var now: Int?

  /// What neighbours have in common that are shown as one.
  struct Source: Hashable {
    var author: String?
    var session: SessionID?
    var origin: Origin?
    var client: String?
    /// False if the units are in the later version.
    var isGone = true
  }

  /// Adds the units of another span of the same source.
  mutating func append(_ next: BlameSpan) {
    units += next.units
    sequences = Self.union(sequences, next.sequences)
    times = Self.union(times, next.times)
  }

  private static func union<Bound>(
    _ left: ClosedRange<Bound>?, _ right: ClosedRange<Bound>?
  ) -> ClosedRange<Bound>? {
    guard let left, let right else { return left ?? right }
    return min(left.lowerBound, right.lowerBound)...max(left.upperBound, right.upperBound)
  }

  init(_ part: LinePart, _ source: Source, _ stamp: ShownStamp?, now: Int?) {
    (line, isFirst, units) = (part.line, part.isFirst, Array(part.units))
    (self.source, self.now) = (source, now)
    sequences = stamp.map { $0.sequence...$0.sequence }
    times = stamp?.time.map { $0...$0 }
  }
}

/// The lines of a text with their writers. Consecutive pieces of a line that have the same author,
/// session and origin share a row.
struct BlameTable {
  private let session: Session
  private var cutter: LineCutter
  private var spans: [BlameSpan] = []

  private static let authorMax = 24
  /// The least width of the text in columns of the terminal, before other columns are left out.
  private static let textMin = 16

  /// A table of a text that begins with this line.
  init(_ session: Session, from line: Int) {
    self.session = session
    cutter = LineCutter(from: line)
  }

  mutating func append(_ piece: ShownBlamePiece) {
    let source = BlameSpan.Source(
      author: piece.stamp.author, session: piece.session, origin: piece.stamp.origin,
      client: piece.client)
    append(piece.text, source, piece.stamp, now: nil)
  }

  mutating func append(_ fate: ShownPieceFate) {
    let source = BlameSpan.Source(
      author: fate.vanished?.author, origin: fate.vanished?.origin, isGone: fate.now == nil)
    append(fate.text, source, fate.vanished, now: fate.now)
  }

  private mutating func append(
    _ text: UTF16Text, _ source: BlameSpan.Source, _ stamp: ShownStamp?, now: Int?
  ) {
    var now = now
    for part in cutter.parts(of: text) {
      append(BlameSpan(part, source, stamp, now: now))
      if part.endsLine { endLine() }
      now = now.map { $0 + part.length }
    }
  }

  private mutating func append(_ span: BlameSpan) {
    if !span.isFirst, let last = spans.last {
      // An LF alone is not shown, so its writer is not either.
      if span.units.isEmpty { return }
      if last.source == span.source { return spans[spans.count - 1].append(span) }
    }
    spans.append(span)
  }

  /// Drops the CR of a CR LF.
  private mutating func endLine() {
    guard let last = spans.last, last.units.last == 0x0D else { return }
    spans[spans.count - 1].units.removeLast()
    if last.units.count == 1, !last.isFirst { spans.removeLast() }
  }

  /// The rows.
  func lines() -> String {
    let hasClients = Set(spans.map(\.source.client)).count > 1
    var table = session.table(columns, hasHeader: false)
    var authors: [ExactString: Int] = [:]
    for span in spans {
      let role = Style.Role.writer(
        span.source.author.map { author in
          let number = authors[author] ?? authors.count
          authors[author] = number
          return number
        } ?? authors.count)
      table.append([
        .init(numbers(span), span.now == nil ? role : .good),
        .init(span.source.author.map { Excerpt.name($0, width: Self.authorMax) } ?? "", role),
        .init(times(span), .time), .init(span.source.origin?.name ?? "", .origin),
        .init(hasClients ? span.source.client?.shown ?? "" : "", .event),
        .init(span.isFirst ? "\(span.line)" : "", .faint),
        .init(Self.text(span.units)),
      ])
    }
    return table.takeLines()
  }

  /// The columns. Where the text is now, else the author, else the edit, is never left out.
  private var columns: [Table.Column] {
    let isReverse = spans.contains { $0.now != nil }
    let keepsEdit = isReverse || !spans.contains { $0.source.author != nil }
    var columns: [Table.Column] = [
      .init(isRight: true, rank: keepsEdit ? nil : 4),
      .init(rank: keepsEdit ? 4 : nil, cutWidth: 8, widthMax: Self.authorMax),
      .init(rank: 2), .init(rank: 3), .init(rank: 1, cutWidth: 8, widthMax: Self.authorMax),
      .init(isRight: true), .init(cutWidth: Self.textMin),
    ]
    columns[columns.count - 1].isWrapped = true
    return columns
  }

  /// `12`, `12..57`; `now 120` for units that are in the later version.
  private func numbers(_ span: BlameSpan) -> String {
    if let now = span.now { return "now \(now)" }
    guard let numbers = span.sequences else { return "" }
    return numbers.count == 1
      ? "\(numbers.lowerBound)" : "\(numbers.lowerBound)..\(numbers.upperBound)"
  }

  /// `2026-11-20 15:04:05`, `2026-11-20 15:04-16:10`, `2026-11-20..2026-11-22`.
  private func times(_ span: BlameSpan) -> String {
    guard let times = span.times else { return "" }
    let (first, last) = (session.localTime(times.lowerBound), session.localTime(times.upperBound))
    if first == last { return first }
    let (firstDay, lastDay) = (first.prefix(dayWidth), last.prefix(dayWidth))
    guard firstDay == lastDay else { return "\(firstDay)..\(lastDay)" }
    let clocks = [times.lowerBound, times.upperBound].map {
      session.localClock($0, hasSeconds: false)
    }
    return clocks[0] == clocks[1]
      ? "\(firstDay) \(clocks[0])" : "\(firstDay) \(clocks[0])-\(clocks[1])"
  }

  private var dayWidth: Int { "2026-11-20".count }

  /// Columns between two tab stops.
  private static let tabWidth = 8

  /// Text as it can be shown, with spaces in the place of tabs.
  private static func text(_ units: [UInt16]) -> String {
    let pieces = String(UTF16Text(units: units)).split(
      separator: "\t", omittingEmptySubsequences: false)
    return pieces.enumerated().reduce(into: "") { result, item in
      result += Excerpt.line(String(item.element), width: nil)
      guard item.offset + 1 < pieces.count else { return }
      let width = tabWidth - result.displayWidth % tabWidth
      result += String(repeating: " ", count: width)
    }
  }
}
