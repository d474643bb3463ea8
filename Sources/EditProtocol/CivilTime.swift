/// A date and a time of day of the Gregorian calendar, without a zone.
public struct CivilTime: Hashable, Sendable {
  /// The year; the month, 1 to 12; the day, from 1.
  public var (year, month, day): (Int, Int, Int)
  /// The hour, 0 to 23; the minute, 0 to 59; the second, 0 to 60.
  public var (hour, minute, second): (Int, Int, Int)

  /// A date and a time of day. The ranges are not checked.
  public init(
    year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0
  ) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
  }

  /// The date and time `seconds` after 1970-01-01 00:00:00.
  public init(seconds: Int64) {
    let day = seconds.floorDivided(by: 86_400)
    let rest = Int(seconds - day * 86_400)
    (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
    // Years that start in March put the leap day at the end (after Howard Hinnant,
    // "chrono-Compatible Low-Level Date Algorithms").
    let shifted = day + 719_468
    let era = shifted.floorDivided(by: 146_097)
    let dayOfEra = Int(shifted - era * 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    self.day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + Int(era) * 400 + (month <= 2 ? 1 : 0)
  }

  /// Seconds since 1970-01-01 00:00:00 in the same zone. The year must be in 0 to 9999.
  public var seconds: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = Int64(shiftedYear).floorDivided(by: 400)
    let yearOfEra = Int64(shiftedYear) - era * 400
    let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    return days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }

  /// The day of the week: 0 is Monday. The year must be in 0 to 9999.
  public var weekday: Int {
    // 1970-01-01 was a Thursday.
    Int((seconds.floorDivided(by: 86_400) % 7 + 7 + 3) % 7)
  }

  /// Days in a month of a year.
  public static func dayCount(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Int64 {
  /// The quotient rounded down, for negative numbers too.
  fileprivate func floorDivided(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
