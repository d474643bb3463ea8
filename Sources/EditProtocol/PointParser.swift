public import EditModel

/// Reads points in a history. The command line and the daemon use the same grammar.
///
/// | form | point |
/// | --- | --- |
/// | `1234` | after edit 1234; `0` is the empty document |
/// | `latest` | after the newest edit |
/// | `mark:LABEL` | the version that the last mark of this label names |
/// | `save:-1`, `save:2` | the version at the last save, at the second save |
/// | `session:-1`, `session:2` | the version at the start of the last session, of the second |
/// | `undo:-3`, `undo:7` | the version before the last three undo steps, after step 7 |
/// | `2026-11-20T15:04:05Z` | after the newest edit that is not later. RFC 3339; seconds and zone
/// may be left out, and a space may replace the `T`. Without a zone: local time |
/// | `2026-11-20` | the start of that day, local time |
/// | `Fri 20 Nov 2026 15:04:05`, `20 Nov` | the same, as lists show it; without a year, the most recent one |
/// | `15:04`, `15:04:05` | today, local time; also `15:04 today` |
/// | `now` | this moment |
/// | `15:04 yesterday`, `yesterday` | the day before; without a time, its start |
/// | `monday`, `mon 15:04` | the most recent Monday; the most recent Monday at 15:04 |
/// | `10m ago` | a number of seconds (`s`), minutes (`m`), hours (`h`), days of 24 hours (`d`) or
/// weeks (`w`) before now; also `1h30m ago`, `2 hours ago`, `a week ago`, and `-1h` |
///
/// Each form may be written after an `@`, and then in braces: `@1234`, `@{15:04 yesterday}`.
///
/// A local time that occurs twice, when clocks go back, means the first. A local time that does not
/// occur, when clocks go forward, is moved forward by the jump.
public struct PointParser: Sendable {
  private let now: Timestamp
  private let utcOffset: @Sendable (Int64) -> Int

  /// A parser with the current time `now` and the local zone `utcOffset`: the seconds by which
  /// local time is ahead of UTC, at a time in seconds since 1970 UTC.
  public init(now: Timestamp, utcOffset: @escaping @Sendable (Int64) -> Int) {
    (self.now, self.utcOffset) = (now, utcOffset)
  }

  /// The point that `text` names. If `endsSecond`, a time of day without a fraction means the end
  /// of its second, because lists show times cut to seconds.
  ///
  /// - Throws: `PointError` with the reason and the grammar.
  public func parse(_ text: String, endsSecond: Bool = false) throws(PointError) -> Point {
    let bare = try Self.bare(text)
    let words = bare.split(whereSeparator: \.isWhitespace).map(String.init)
    guard let first = words.first else { throw PointError(text, "is empty") }
    if first.hasPrefix("mark:") { return .mark(try label(bare)) }
    if words.count == 1, let place = try place(text, first) { return place }
    if words.count == 1, first == "latest" { return .latest }
    if words.count == 1, first == "now" { return .time(now) }
    if words.count == 1, first.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      guard let sequence = SequenceNumber(first) else {
        throw PointError(text, "is a sequence number beyond \(SequenceNumber.max)")
      }
      return .sequence(sequence)
    }
    if words.last == "ago" { return .time(try ago(text, Array(words.dropLast()))) }
    // `2.hours.ago`, as in git.
    let dotted = words.count == 1 ? first.split(separator: ".").map(String.init) : []
    if dotted.last == "ago" { return .time(try ago(text, Array(dotted.dropLast()))) }
    // `-1h`, as in journalctl.
    let span = words.joined().dropFirst()
    if first.first == "-", Self.seconds(ofDuration: String(span), Self.namedUnits) != nil {
      return .time(try ago(text, [String(span)]))
    }
    if words.count == 1, first.first == "-", Int(first) != nil {
      throw PointError(
        text, "does not say what it counts: undo:\(first) counts undo steps, \(first)m minutes")
    }
    return .time(try moment(text, words, endsSecond))
  }

  /// The point without `@` and braces before and around it.
  private static func bare(_ text: String) throws(PointError) -> String {
    let trimmed = text.drop(while: \.isWhitespace)
    guard trimmed.first == "@" else { return text }
    let rest = trimmed.dropFirst()
    guard rest.first == "{" else { return String(rest) }
    guard rest.last == "}" else { throw PointError(text, "has a { without the } at its end") }
    return String(rest.dropFirst().dropLast())
  }

  /// A save, a session or an undo step; nil if the word is none of these.
  private func place(_ text: String, _ word: String) throws(PointError) -> Point? {
    let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, ["save", "session", "undo"].contains(parts[0]) else { return nil }
    let digits = parts[1].drop { $0 == "-" }
    guard parts[1].count - digits.count <= 1, !digits.isEmpty,
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(parts[1]),
      number != 0, number != .min
    else {
      throw PointError(
        text, "is read as \(parts[0]):N, where N is a whole number: -1 is the last, 1 the first")
    }
    return parts[0] == "save"
      ? .save(number) : parts[0] == "undo" ? .undo(number) : .session(number)
  }

  private func label(_ text: String) throws(PointError) -> String {
    let trimmed = text.drop(while: \.isWhitespace).dropFirst("mark:".count)
    guard !trimmed.isEmpty else { throw PointError(text, "names a mark without its label") }
    guard trimmed.utf8.count <= HistoryEvent.labelSizeMax else {
      throw PointError(
        text, "names a mark by more than \(HistoryEvent.labelSizeMax) bytes, the longest label")
    }
    return String(trimmed)
  }

  // MARK: Durations

  /// The time before now by a duration such as `10m`, `1h30m`, `2 hours` or `a week`.
  private func ago(_ text: String, _ words: [String]) throws(PointError) -> Timestamp {
    let isOne = words.count == 2 && ["a", "an"].contains(words[0])
    let duration = isOne ? "1" + words[1] : words.joined()
    guard let seconds = Self.seconds(ofDuration: duration, Self.namedUnits) else {
      throw PointError(text, "is read as a time before now, but '\(duration)' is not a duration")
    }
    let (span, tooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (moment, outside) = now.nanoseconds.subtractingReportingOverflow(span)
    guard !tooLong, !outside else { throw outOfRange(text) }
    return Timestamp(nanoseconds: moment)
  }

  /// The seconds of a duration such as `10m` or `1h30m`, at most `Int64.max`. Nil if `text` is none.
  static func seconds(
    ofDuration text: String, _ secondsPerUnit: [String: Int64] = secondsPerUnit
  ) -> Int64? {
    var (rest, seconds) = (text[...], Int64(0))
    repeat {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      let unit = rest.dropFirst(digits.count).prefix { !$0.isNumber }
      guard let factor = secondsPerUnit[String(unit)], let count = Int64(digits) else { return nil }
      let part = count.multipliedReportingOverflow(by: factor)
      let sum = seconds.addingReportingOverflow(part.partialValue)
      seconds = part.overflow || sum.overflow ? .max : sum.partialValue
      rest = rest.dropFirst(digits.count + unit.count)
    } while !rest.isEmpty
    return seconds
  }

  static let secondsPerUnit: [String: Int64] = [
    "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800,
  ]

  /// The units with their names in git and journalctl. Months and years vary in length.
  private static let namedUnits: [String: Int64] = {
    let names = [
      "s": ["sec", "secs", "second", "seconds"], "m": ["min", "mins", "minute", "minutes"],
      "h": ["hr", "hrs", "hour", "hours"], "d": ["day", "days"], "w": ["week", "weeks"],
    ]
    return secondsPerUnit.reduce(into: secondsPerUnit) { units, unit in
      for name in names[unit.key] ?? [] { units[name] = unit.value }
    }
  }()

  // MARK: Moments

  private func moment(
    _ text: String, _ words: [String], _ endsSecond: Bool
  ) throws(PointError) -> Timestamp {
    var fields = MomentFields(text: text)
    for word in words { try fields.take(word) }
    var civil = try fields.civil(today: today)
    let daysBefore = fields.daysBefore(today: today)
    if daysBefore > 0 { civil = civil.addingDays(-daysBefore) }
    var seconds = fields.utcOffset.map { civil.seconds - Int64($0) } ?? moment(local: civil)
    if fields.isNewestOfWeekday, seconds > now.wholeSeconds {
      seconds = moment(local: civil.addingDays(-7))
    }
    let (whole, tooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (nanoseconds, beyond) = whole.addingReportingOverflow(
      endsSecond && fields.isWholeSecond ? 999_999_999 : Int64(fields.nanoseconds))
    guard !tooFar, !beyond else { throw outOfRange(text) }
    return Timestamp(nanoseconds: nanoseconds)
  }

  /// The local date, at the start of the day.
  private var today: CivilTime {
    let seconds = now.wholeSeconds
    let local = CivilTime(seconds: seconds + Int64(utcOffset(seconds)))
    return CivilTime(year: local.year, month: local.month, day: local.day)
  }

  /// The time at which local clocks show `civil`, in seconds since 1970 UTC.
  private func moment(local civil: CivilTime) -> Int64 {
    let clock = civil.seconds
    // Zones change their offset less than once in two days, so one of these two is right.
    let before = Int64(utcOffset(clock - 86_400))
    let after = Int64(utcOffset(clock + 86_400))
    for offset in [before, after] where Int64(utcOffset(clock - offset)) == offset {
      return clock - offset
    }
    return clock - before
  }

  private func outOfRange(_ text: String) -> PointError {
    PointError(text, "is outside the range of times, the years 1677 to 2262")
  }
}

extension CivilTime {
  fileprivate func addingDays(_ days: Int) -> CivilTime {
    CivilTime(seconds: seconds + Int64(days) * 86_400)
  }
}

extension Timestamp {
  /// Seconds since 1970 UTC, rounded down.
  public var wholeSeconds: Int64 {
    let seconds = nanoseconds / 1_000_000_000
    return nanoseconds % 1_000_000_000 < 0 ? seconds - 1 : seconds
  }
}
