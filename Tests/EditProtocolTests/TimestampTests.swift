import EditModel
import EditProtocol
import TestSupport
import Testing

@Suite struct TimestampTests {
  /// Known moments; the first and last that fit among them.
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59.999999999Z"),
      (1_000, "1970-01-01T00:00:00.000001Z"), (1_500_000_000, "1970-01-01T00:00:01.500Z"),
      (951_782_400_000_000_000, "2000-02-29T00:00:00Z"),
      (951_868_800_000_000_000, "2000-03-01T00:00:00Z"),
      (1_790_000_000_123_456_789, "2026-09-21T14:13:20.123456789Z"),
      (-2_203_891_200_000_000_000, "1900-03-01T00:00:00Z"),
      (-2_203_977_600_000_000_000, "1900-02-28T00:00:00Z"),
      (4_102_444_799_000_000_000, "2099-12-31T23:59:59Z"),
      (Int64.min, "1677-09-21T00:12:43.145224192Z"), (Int64.max, "2262-04-11T23:47:16.854775807Z"),
    ] as [(Int64, String)])
  func knownMoments(nanoseconds: Int64, text: String) {
    #expect(Timestamp(nanoseconds: nanoseconds).rfc3339 == text)
    #expect(Timestamp(rfc3339: text)?.nanoseconds == nanoseconds)
  }

  @Test(arguments: [
    ("2026-11-20T15:04:05.1+01:00", "2026-11-20T14:04:05.100Z"),
    ("2026-11-20t15:04:05z", "2026-11-20T15:04:05Z"),
    ("2026-01-01T00:30:00+05:30", "2025-12-31T19:00:00Z"),
    ("2026-12-31T23:30:00.000000001-23:59", "2027-01-01T23:29:00.000000001Z"),
    ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
    ("1970-01-01T00:00:00-00:00", "1970-01-01T00:00:00Z"),
  ])
  func otherForms(text: String, written: String) {
    #expect(Timestamp(rfc3339: text)?.rfc3339 == written)
  }

  @Test(arguments: [
    "", "2026", "2026-11-20", "2026-11-20T15:04:05", "2026-11-20 15:04:05Z", "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
    "2026-11-20T24:00:00Z", "2026-11-20T15:60:05Z", "2026-11-20T15:04:61Z", "2026-11-20T15:04:05.Z",
    "2026-11-20T15:04:05.1234567890Z", "2026-11-20T15:04:05+24:00", "2026-11-20T15:04:05+01:60",
    "2026-11-20T15:04:05+0100", "2026-11-20T15:04:05Zx", "26-11-20T15:04:05Z",
    "+026-11-20T15:04:05Z",
    "1677-09-21T00:12:43.145224191Z", "2262-04-11T23:47:16.854775808Z", "9999-12-31T23:59:59Z",
    "0000-01-01T00:00:00Z", "２026-11-20T15:04:05Z",
  ])
  func otherTextsAreNoTimes(text: String) { #expect(Timestamp(rfc3339: text) == nil) }

  @Test(arguments: UInt64(0)..<8)
  func randomMomentsRoundTrip(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2000 {
      let units: [Int64] = [1, 1000, 1_000_000, 1_000_000_000]
      let unit = units[Int.random(in: 0..<4, using: &random)]
      let time = Timestamp(nanoseconds: Int64(bitPattern: random.next()) / unit * unit)
      #expect(Timestamp(rfc3339: time.rfc3339) == time)
    }
  }

  /// Every day from 1970 to 2260, counted by hand: no table, no formula.
  @Test func theCalendarIsTheCountedOne() {
    var (year, month, day) = (1970, 1, 1)
    for count in 0..<106_000 {
      let text = Timestamp(nanoseconds: Int64(count) * 86_400_000_000_000).rfc3339
      let expected = [(year, 4), (month, 2), (day, 2)].map { number, width in
        String(repeating: "0", count: width - "\(number)".count) + "\(number)"
      }
      if text.prefix(10) != expected.joined(separator: "-") {
        Issue.record("day \(count) is \(expected), not \(text)")
        return
      }
      let isLeap = year % 400 == 0 || year % 4 == 0 && year % 100 != 0
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      day += 1
      if day > lengths[month - 1] { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
  }
}
