import EditModel
import EditProtocol
import Testing

@testable import EditLogCommands

@Suite struct PointParserTests {
  private func parse(_ text: String, now: String = "2026-11-20T15:04:05Z") throws -> Point {
    try PointParser(now: time(now), utcOffset: berlin).parse(text)
  }

  @Test func namesThatAreNoTimes() throws {
    #expect(try parse("0") == .sequence(0))
    #expect(try parse("1234") == .sequence(1234))
    #expect(try parse("2026") == .sequence(2026))
    #expect(try parse("18446744073709551615") == .sequence(.max))
    #expect(try parse("latest") == .latest)
    #expect(try parse(" latest ") == .latest)
    #expect(try parse("mark:first draft") == .mark("first draft"))
    #expect(try parse("mark:15:04") == .mark("15:04"))
  }

  @Test(arguments: [
    ("2026-11-20T15:04:05Z", "2026-11-20T15:04:05Z"),
    ("2026-11-20t15:04:05z", "2026-11-20T15:04:05Z"),
    ("2026-11-20T15:04:05.123456789Z", "2026-11-20T15:04:05.123456789Z"),
    ("2026-11-20T15:04:05.5+05:30", "2026-11-20T09:34:05.500Z"),
    ("2026-11-20T15:04Z", "2026-11-20T15:04:00Z"),
    ("2026-11-20T15:04", "2026-11-20T14:04:00Z"),
    ("2026-11-20 15:04:05", "2026-11-20T14:04:05Z"),
    ("2026-11-20 15:04-08:00", "2026-11-20T23:04:00Z"),
    ("2026-11-20", "2026-11-19T23:00:00Z"),
    ("2026-07-01", "2026-06-30T22:00:00Z"),
    ("2024-02-29 12:00Z", "2024-02-29T12:00:00Z"),
    ("2025-12-31T23:59:60Z", "2026-01-01T00:00:00Z"),
    ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500Z"),
    // As `log` and `scrub` show dates.
    ("Fri 20 Nov 2026", "2026-11-19T23:00:00Z"),
    ("Fri 20 Nov 2026 15:04:05", "2026-11-20T14:04:05Z"),
    ("9 august 2026 15:04", "2026-08-09T13:04:00Z"),
    ("20 Nov 15:04", "2026-11-20T14:04:00Z"),
    ("21 Nov", "2025-11-20T23:00:00Z"),
    ("29 Feb 2024 12:00Z", "2024-02-29T12:00:00Z"),
  ])
  func moments(text: String, utc: String) throws {
    #expect(try parse(text) == .time(time(utc)))
  }

  @Test(arguments: [
    // It is 16:04:05 on 20 November in Berlin.
    ("15:04", "2026-11-20T15:04:05Z", "2026-11-20T14:04:00Z"),
    ("15:04:30 today", "2026-11-20T15:04:05Z", "2026-11-20T14:04:30Z"),
    ("15:04 yesterday", "2026-11-20T15:04:05Z", "2026-11-19T14:04:00Z"),
    ("yesterday 15:04", "2026-11-20T15:04:05Z", "2026-11-19T14:04:00Z"),
    ("yesterday", "2026-11-20T15:04:05Z", "2026-11-18T23:00:00Z"),
    // Half past midnight on New Year's Day in Berlin, still the old year in UTC.
    ("yesterday", "2025-12-31T23:30:00Z", "2025-12-30T23:00:00Z"),
    ("23:59 yesterday", "2025-12-31T23:30:00Z", "2025-12-31T22:59:00Z"),
    ("00:10", "2025-12-31T23:30:00Z", "2025-12-31T23:10:00Z"),
    ("yesterday", "2026-03-01T12:00:00Z", "2026-02-27T23:00:00Z"),
    // The day after clocks went forward: yesterday had 23 hours.
    ("01:30 yesterday", "2026-03-30T12:00:00Z", "2026-03-29T00:30:00Z"),
    ("03:30 yesterday", "2026-03-30T12:00:00Z", "2026-03-29T01:30:00Z"),
    // 02:30 did not occur; it is read as an hour later.
    ("02:30 yesterday", "2026-03-30T12:00:00Z", "2026-03-29T01:30:00Z"),
    // 02:30 occurred twice; the first counts.
    ("2026-10-25 02:30", "2026-11-20T15:04:05Z", "2026-10-25T00:30:00Z"),
    ("2026-10-25 03:00", "2026-11-20T15:04:05Z", "2026-10-25T02:00:00Z"),
    ("2026-10-25 01:59", "2026-11-20T15:04:05Z", "2026-10-24T23:59:00Z"),
    ("10m ago", "2026-11-20T15:04:05Z", "2026-11-20T14:54:05Z"),
    ("90 s ago", "2026-11-20T15:04:05Z", "2026-11-20T15:02:35Z"),
    ("1h30m ago", "2026-11-20T15:04:05Z", "2026-11-20T13:34:05Z"),
    // A day is 24 hours, also over a change of clocks.
    ("1d ago", "2026-10-25T12:00:00Z", "2026-10-24T12:00:00Z"),
    ("2w ago", "2026-11-20T15:04:05Z", "2026-11-06T15:04:05Z"),
    // As in git and journalctl.
    ("2 hours ago", "2026-11-20T15:04:05Z", "2026-11-20T13:04:05Z"),
    ("1 week ago", "2026-11-20T15:04:05Z", "2026-11-13T15:04:05Z"),
    ("a week ago", "2026-11-20T15:04:05Z", "2026-11-13T15:04:05Z"),
    ("an hour ago", "2026-11-20T15:04:05Z", "2026-11-20T14:04:05Z"),
    ("1 hour 5 minutes ago", "2026-11-20T15:04:05Z", "2026-11-20T13:59:05Z"),
    ("30min ago", "2026-11-20T15:04:05Z", "2026-11-20T14:34:05Z"),
    ("2.days.ago", "2026-11-20T15:04:05Z", "2026-11-18T15:04:05Z"),
    ("-1h", "2026-11-20T15:04:05Z", "2026-11-20T14:04:05Z"),
    ("-1h30min", "2026-11-20T15:04:05Z", "2026-11-20T13:34:05Z"),
    ("-2 days", "2026-11-20T15:04:05Z", "2026-11-18T15:04:05Z"),
    // It is Friday.
    ("monday", "2026-11-20T15:04:05Z", "2026-11-15T23:00:00Z"),
    ("Mon 10:00", "2026-11-20T15:04:05Z", "2026-11-16T09:00:00Z"),
    ("10:00 sunday", "2026-11-20T15:04:05Z", "2026-11-15T09:00:00Z"),
    ("saturday", "2026-11-20T15:04:05Z", "2026-11-13T23:00:00Z"),
    ("fri", "2026-11-20T15:04:05Z", "2026-11-19T23:00:00Z"),
    ("Friday 16:00", "2026-11-20T15:04:05Z", "2026-11-20T15:00:00Z"),
    ("Friday 17:00", "2026-11-20T15:04:05Z", "2026-11-13T16:00:00Z"),
    ("sunday 02:30", "2026-10-30T12:00:00Z", "2026-10-25T00:30:00Z"),
    ("Fri 2026-11-20 10:00:00 UTC", "2026-11-20T15:04:05Z", "2026-11-20T10:00:00Z"),
  ])
  func localAndRelative(text: String, now: String, utc: String) throws {
    #expect(try parse(text, now: now) == .time(time(utc)))
  }

  @Test(arguments: [
    ("", "is empty"),
    ("15:61", "its minute 61 is not in 0 to 59"),
    ("25:00", "its hour 25"),
    ("2026-02-29", "its day 29 is not in 1 to 28"),
    ("2026-13-01", "its month 13"),
    ("0000-01-01", "its year 0"),
    ("26-11-20", "not of the form 2026-11-20"),
    ("3:04", "not of the form 15:04"),
    ("15:04:05.", "not a fraction of a second"),
    ("15:04.5", "not of the form 15:04"),
    ("15:04Z", "gives a zone, but no date"),
    ("2026-11-20T15:04:05+1", "not a zone"),
    ("2026-11-20 15:04 yesterday", "names both a date and 'yesterday'"),
    ("yesterday today", "names two days"),
    ("15:04 16:04", "names two times"),
    ("99999999999999999999", "is a sequence number beyond"),
    ("-5", "undo:-5 counts undo steps, -5m minutes"), ("-0", "undo:-0"),
    ("tomorrow", "is not understood"),
    ("soon", "is not understood"),
    ("10:00 soon", "is not understood at 'soon'"),
    ("mark:", "names a mark without its label"),
    ("10 ago", "'10' is not a duration"),
    ("m ago", "'m' is not a duration"),
    ("ago", "'' is not a duration"),
    ("-1y", "not of the form 2026-11-20"), ("-h", "not of the form 2026-11-20"),
    ("1 month ago", "'1month' is not a duration"), ("a ago", "'a' is not a duration"),
    ("Mon 20 Nov 2026", "has a date that is not on the given day of the week"),
    ("31 Nov 2026", "its day 31 is not in 1 to 30"), ("29 Feb 2025", "is not in 1 to 28"),
    ("15:04 20", "a date may be 20 Nov 2026"), ("Nov 2026", "a date may be 20 Nov 2026"),
    ("20 Nov 2026-11-20", "names two dates"), ("20 Nov 21", "is not understood at '21'"),
    ("20 Nov yesterday", "names both a date and 'yesterday'"),
    ("Mon 2026-11-20", "has a date that is not on the given day of the week"),
    ("monday tuesday", "names two days"), ("monday yesterday", "names two days"),
    ("10:00 UTC", "gives a zone, but no date"), ("mondays", "is not understood"),
    ("10y ago", "'10y' is not a duration"),
    ("99999999999w ago", "outside the range of times, the years 1677 to 2262"),
    ("9999999999999999999999s ago", "is not a duration"),
    ("1500-01-01", "outside the range of times, the years 1677 to 2262"),
    ("2026-11-2١", "not of the form"),
  ])
  func mistakes(text: String, problem: String) throws {
    let error = #expect(throws: PointError.self) { try parse(text) }
    #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    #expect(error?.description.hasSuffix(PointError.grammar) == true)
    #expect(error?.description.contains("\n") == false)
  }

  @Test func civilTimesAndSecondsAgree() {
    for day in stride(from: Int64(-150_000), through: 150_000, by: 97) {
      let seconds = day * 86_400 + 12_345
      let civil = CivilTime(seconds: seconds)
      #expect(civil.seconds == seconds)
      #expect((1...12).contains(civil.month) && civil.day >= 1)
      #expect(civil.day <= CivilTime.dayCount(ofMonth: civil.month, year: civil.year))
    }
    #expect(CivilTime(seconds: 0) == CivilTime(year: 1970, month: 1, day: 1))
  }
}
