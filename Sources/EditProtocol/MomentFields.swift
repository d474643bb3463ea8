/// The parts of a date and time, collected word by word.
struct MomentFields {
  let text: String
  private var date: (year: Int, month: Int, day: Int)?
  /// The parts of a date as lists show it: `20 Nov 2026`.
  private var (monthDay, month, year): (Int?, Int?, Int?)
  private var time: (hour: Int, minute: Int, second: Int)?
  private var day: String?
  /// The day of the week, from 0 for Monday.
  private var weekday: Int?
  /// The part of a second.
  private(set) var nanoseconds = 0
  /// True if a time of day was given, without a fraction of a second.
  var isWholeSecond: Bool { time != nil && !hasFraction }
  private var hasFraction = false
  /// Seconds ahead of UTC, if a zone was given.
  private(set) var utcOffset: Int?

  init(text: String) { self.text = text }

  /// True if the date is given by a day of the week alone.
  var isNewestOfWeekday: Bool { weekday != nil && !isDated }

  private var isDated: Bool { date != nil || monthDay != nil || month != nil || year != nil }

  /// Days to go back from the date.
  func daysBefore(today: CivilTime) -> Int {
    guard isNewestOfWeekday, let weekday else { return day == "yesterday" ? 1 : 0 }
    return (today.weekday - weekday + 7) % 7
  }

  /// The date and time. The default date is `today`, the default time 00:00.
  func civil(today: CivilTime) throws(PointError) -> CivilTime {
    if isDated, let day { throw fail("names both a date and '\(day)'") }
    if !isDated, utcOffset != nil { throw fail("gives a zone, but no date") }
    var date = date ?? (year: today.year, month: today.month, day: today.day)
    if month != nil || monthDay != nil || year != nil { date = try shownDate(today: today) }
    let time = time ?? (0, 0, 0)
    let civil = CivilTime(
      year: date.year, month: date.month, day: date.day,
      hour: time.hour, minute: time.minute, second: time.second)
    if isDated, let weekday, civil.weekday != weekday {
      throw fail("has a date that is not on the given day of the week")
    }
    return civil
  }

  /// The date of the form `20 Nov 2026`. Without a year, it is the newest one that is not after `today`.
  private func shownDate(
    today: CivilTime
  ) throws(PointError) -> (year: Int, month: Int, day: Int) {
    guard let month, let monthDay else {
      throw fail("is not understood; a date may be 20 Nov 2026 or 2026-11-20")
    }
    let isLater = (month, monthDay) > (today.month, today.day)
    let year = year ?? (isLater ? today.year - 1 : today.year)
    let dayMax = CivilTime.dayCount(ofMonth: month, year: year)
    guard (1...dayMax).contains(monthDay) else {
      throw fail("is read as a time, but its day \(monthDay) is not in 1 to \(dayMax)")
    }
    return (year, month, monthDay)
  }

  /// Takes a date, a time, both with a `T` between them, the name of a day, or `UTC`.
  mutating func take(_ word: String) throws(PointError) {
    if let number = Self.weekday(word) {
      guard day == nil, weekday == nil else { throw fail("names two days") }
      weekday = number
    } else if let number = Self.month(word) {
      guard date == nil, month == nil else { throw fail("names two dates") }
      month = number
    } else if (1...4).contains(word.utf8.count),
      word.utf8.allSatisfy({ (0x30...0x39).contains($0) }
      )
    {
      let isYear = word.utf8.count == 4
      guard date == nil, isYear ? year == nil : monthDay == nil, word.utf8.count != 3 else {
        throw fail("is not understood at '\(word)'")
      }
      if isYear {
        year = try self.number(word[...], "year", 1...9999)
      } else {
        monthDay = Int(word)
      }
    } else if word == "yesterday" || word == "today" {
      guard day == nil, weekday == nil else { throw fail("names two days") }
      day = word
    } else if word == "UTC", utcOffset == nil {
      utcOffset = 0
    } else if let separator = word.firstIndex(where: { "Tt".contains($0) }) {
      try takeDate(word[..<separator])
      try takeTime(word[word.index(after: separator)...])
    } else if word.contains(":") {
      try takeTime(word[...])
    } else if word.contains("-") {
      try takeDate(word[...])
    } else {
      throw fail(
        word.utf8.count == text.utf8.count ? "is not understood" : "is not understood at '\(word)'")
    }
  }

  /// The day of the week named `mon`, `Monday` and so on, from 0 for Monday; nil for any other word.
  private static func weekday(_ word: String) -> Int? {
    let names = [
      "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]
    let word = word.lowercased()
    return names.firstIndex { $0 == word || $0.prefix(3) == word }
  }

  /// The month named `nov`, `November` and so on, from 1; nil for any other word.
  private static func month(_ word: String) -> Int? {
    let names = [
      "january", "february", "march", "april", "may", "june", "july", "august", "september",
      "october", "november", "december",
    ]
    let word = word.lowercased()
    return names.firstIndex { $0 == word || $0.prefix(3) == word }.map { $0 + 1 }
  }

  private mutating func takeDate(_ word: Substring) throws(PointError) {
    guard !isDated else { throw fail("names two dates") }
    let parts = word.split(separator: "-", omittingEmptySubsequences: false)
    // `tomorrow` has the letter that stands between a date and a time.
    guard let first = word.first, !first.isLetter else { throw fail("is not understood") }
    guard parts.count == 3, parts.map(\.utf8.count) == [4, 2, 2] else {
      throw fail("is read as a date, but '\(word)' is not of the form 2026-11-20")
    }
    let year = try number(parts[0], "year", 1...9999)
    let month = try number(parts[1], "month", 1...12)
    let dayMax = CivilTime.dayCount(ofMonth: month, year: year)
    date = (year, month, try number(parts[2], "day", 1...dayMax))
  }

  /// `15:04`, `15:04:05`, `15:04:05.123`, each with or without a zone.
  private mutating func takeTime(_ word: Substring) throws(PointError) {
    guard time == nil else { throw fail("names two times") }
    let clock = word.prefix { !"Zz+-".contains($0) }
    try takeZone(word[clock.endIndex...])
    let pieces = clock.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = pieces[0].split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts.allSatisfy({ $0.utf8.count == 2 }),
      pieces.count == 1 || parts.count == 3
    else { throw fail("is read as a time, but '\(word)' is not of the form 15:04 or 15:04:05") }
    time = (
      try number(parts[0], "hour", 0...23), try number(parts[1], "minute", 0...59),
      parts.count == 3 ? try number(parts[2], "second", 0...60) : 0
    )
    if pieces.count == 2 { (nanoseconds, hasFraction) = (try fraction(pieces[1]), true) }
  }

  /// Nothing, `Z`, `+01:00` or `-08:00`.
  private mutating func takeZone(_ word: Substring) throws(PointError) {
    guard let sign = word.first else { return }
    if word == "Z" || word == "z" { return utcOffset = 0 }
    let parts = word.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    guard sign == "+" || sign == "-", parts.map(\.utf8.count) == [2, 2] else {
      throw fail("is read as a time, but '\(word)' is not a zone of the form Z or +01:00")
    }
    let offset =
      try number(parts[0], "zone's hour", 0...23) * 3600
      + number(parts[1], "zone's minute", 0...59) * 60
    utcOffset = sign == "-" ? -offset : offset
  }

  /// The fraction of a second in nanoseconds. Further digits are dropped.
  private func fraction(_ digits: Substring) throws(PointError) -> Int {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw fail("is read as a time, but '\(digits)' is not a fraction of a second")
    }
    let nine = digits.prefix(9)
    return try number(
      nine + String(repeating: "0", count: 9 - nine.count), "second", 0...999_999_999)
  }

  private func number(
    _ digits: Substring, _ what: String, _ range: ClosedRange<Int>
  ) throws(PointError) -> Int {
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(digits) else {
      throw fail("is read as a time, but its \(what) '\(digits)' is not a number")
    }
    guard range.contains(value) else {
      throw fail(
        "is read as a time, but its \(what) \(value) is not in \(range.lowerBound) to \(range.upperBound)"
      )
    }
    return value
  }

  private func fail(_ problem: String) -> PointError { PointError(text, problem) }
}
