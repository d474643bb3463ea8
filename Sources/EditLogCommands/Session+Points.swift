import EditModel
package import EditProtocol
import EditQueries

extension Session {
  /// A point for a call: local and relative times are resolved to RFC 3339.
  ///
  /// - Throws: `CommandError` (64) if the text is not a point.
  package func point(_ text: String) throws(CommandError) -> PointExpression {
    PointExpression(try parsePoint(text))
  }

  /// Reads a point. A time without a fraction is the end of its second, or the beginning if
  /// `startsSecond`.
  func parsePoint(_ text: String, startsSecond: Bool = false) throws(CommandError) -> Point {
    do {
      return try PointParser(now: now, utcOffset: utcOffset)
        .parse(text, endsSecond: !startsSecond)
    } catch {
      throw .usage(error.description)
    }
  }

  /// The number of the version that a point names, for `--until`.
  func sequence(
    at text: String, of name: String, _ reading: ReadingOptions
  ) async throws -> SequenceNumber {
    try await sequence(at: parsePoint(text), of: name, reading)
  }

  /// The number of the edit before those from a point on, for `--since`.
  func sequence(
    before text: String, of name: String, _ reading: ReadingOptions
  ) async throws -> SequenceNumber {
    switch try parsePoint(text, startsSecond: true) {
    case .time(let time):
      let earlier = time.nanoseconds == .min ? time.nanoseconds : time.nanoseconds - 1
      return try await sequence(at: .time(Timestamp(nanoseconds: earlier)), of: name, reading)
    case let point:
      let sequence = try await sequence(at: point, of: name, reading)
      // The start of a session, and the version before undo steps, are before their edits.
      if point.isBeforeItsEdits { return sequence }
      return sequence == 0 ? 0 : sequence - 1
    }
  }

  /// The time of the event with which a session begins, which begins at a version.
  func start(
    ofSession number: Int, at version: SequenceNumber, of name: String, _ reading: ReadingOptions
  ) async throws -> Timestamp? {
    // Sessions without edits begin at the same version. Versions do not descend from one session to the next.
    var (first, last) = (1, Int(clamping: number.magnitude))
    while first < last {
      let middle = first + (last - first) / 2
      let other = try await sequence(at: .session(number.signum() * middle), of: name, reading)
      if other == version { last = middle } else { first = middle + 1 }
    }
    let between = Int(clamping: number.magnitude) - first
    let part = HistoryPart(after: version == 0 ? 0 : version - 1, through: version)
    let entries = try await ask(name, reading) { LogPreviewRequest($0, part, textMax: 0) }.entries
    let starts = entries.compactMap { entry -> Timestamp? in
      guard case .event(let event) = entry, event.after == version, case .session = event.kind
      else { return nil }
      return event.time
    }
    let index = number > 0 ? between : starts.count - 1 - between
    return starts.indices.contains(index) ? starts[index] : nil
  }

  private func sequence(
    at point: Point, of name: String, _ reading: ReadingOptions
  ) async throws -> SequenceNumber {
    if case .sequence(let sequence) = point { return sequence }
    return try await version(at: point, of: name, reading)
  }

  private func version(
    at point: Point, of name: String, _ reading: ReadingOptions
  ) async throws -> SequenceNumber {
    try await ask(name, reading) { VersionRequest($0, at: PointExpression(point)) }.sequence
  }

  /// The versions after and through which the edits of a `--since` and an `--until` are.
  ///
  /// - Throws: `ProtocolError` if a number is beyond the end of the history; `CommandError` if the points
  ///   are in the wrong order.
  func range(
    since: String?, until: String?, of name: String, _ reading: ReadingOptions
  ) async throws -> (after: SequenceNumber?, through: SequenceNumber?) {
    for case let text? in [since, until] {
      guard case .sequence(let sequence) = try parsePoint(text) else { continue }
      let latest = try await version(at: .latest, of: name, reading)
      if sequence > latest { _ = try await version(at: .sequence(sequence), of: name, reading) }
    }
    var (after, through) = (SequenceNumber?.none, SequenceNumber?.none)
    if let since { after = try await sequence(before: since, of: name, reading) }
    if let until { through = try await sequence(at: until, of: name, reading) }
    if let since, let until, let after, let through, after > through {
      throw CommandError.usage("--since \(since.shown) is after --until \(until.shown)")
    }
    return (after, through)
  }

  /// Prints the version that a time was resolved to, if it is before the first or after the last
  /// edit.
  func noteVersion(
    of text: String, _ sequence: SequenceNumber, _ name: String, _ options: ReadingOptions
  ) async throws {
    guard case .time(let time) = try parsePoint(text) else { return }
    if sequence == 0 {
      return note("\(text.shown) is before the first edit: version 0, the empty document")
    }
    let newest = try await ask(name, options.afterFirstPart) {
      LogPreviewRequest($0, HistoryPart(limit: 1, newestFirst: true), textMax: 0)
    }
    let edit = newest.entries.compactMap { if case .edit(let edit) = $0 { edit } else { nil } }
      .first
    guard let edit, edit.sequence == sequence, edit.time < time else { return }
    note("\(text.shown) is after the last edit: version \(sequence) of \(localTime(edit.time))")
  }

  /// A time in the local zone: `2026-11-20 15:04:05`.
  func localTime(_ time: Timestamp) -> String {
    let civil = civilTime(time)
    let date = "\(civil.year)-\(Self.two(civil.month))-\(Self.two(civil.day))"
    return "\(date) \(Self.clock(civil, hasSeconds: true))"
  }

  /// A time as `diff -u` prints those of files: `2026-11-20 15:04:05.123000000 +0100`.
  func fileTime(_ time: Timestamp) -> String {
    let fraction = time.nanoseconds - time.wholeSeconds * 1_000_000_000
    let digits = String(String(1_000_000_000 + fraction).dropFirst())
    let offset = utcOffset(time.wholeSeconds)
    let minutes = Int(offset.magnitude) / 60
    let zone = (offset < 0 ? "-" : "+") + Self.two(minutes / 60) + Self.two(minutes % 60)
    return "\(localTime(time)).\(digits) \(zone)"
  }

  /// The local time of day: `15:04`, `15:04:05`.
  func localClock(_ time: Timestamp, hasSeconds: Bool) -> String {
    Self.clock(civilTime(time), hasSeconds: hasSeconds)
  }

  /// The local date: `Fri 20 Nov 2026`.
  func localDay(_ time: Timestamp) -> String { Self.day(civilTime(time)) }

  /// A date: `Fri 20 Nov 2026`.
  static func day(_ civil: CivilTime) -> String {
    let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    return "\(weekdays[civil.weekday]) \(civil.day) \(months[civil.month - 1]) \(civil.year)"
  }

  /// The local date and time of day.
  func civilTime(_ time: Timestamp) -> CivilTime {
    let seconds = time.wholeSeconds
    return CivilTime(seconds: seconds + Int64(utcOffset(seconds)))
  }

  private static func clock(_ civil: CivilTime, hasSeconds: Bool) -> String {
    "\(two(civil.hour)):\(two(civil.minute))" + (hasSeconds ? ":\(two(civil.second))" : "")
  }

  private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

  /// A time in the local zone; empty if `time` is nil.
  func localTime(_ time: Timestamp?) -> String {
    time.map { (time: Timestamp) -> String in localTime(time) } ?? ""
  }
}

extension Point {
  /// True if the edits that the point is about come after its version.
  fileprivate var isBeforeItsEdits: Bool {
    switch self {
    case .session: true
    case .undo(let number): number < 0
    case .sequence, .latest, .time, .mark, .save: false
    }
  }
}
