import Testing

@testable import EditIngest

/// How many requests are written together.
@Suite struct BatchPaceTests {
  private func pace(_ nanosecondsEach: Int64, count: Int = 256) -> Int {
    var pace = BatchPace()
    for _ in 0..<200 { pace.note(count: count, nanoseconds: Int64(count) * nanosecondsEach) }
    return pace.count
  }

  @Test func aBatchTakesAboutTwoMilliseconds() {
    #expect(abs(pace(10_000) - 200) <= 1)
    #expect(abs(pace(20_000) - 100) <= 1)
  }

  @Test func aBatchIsNeverTooSmallForItsFlushNorTooLargeForOthers() {
    #expect(pace(1_000_000_000) == 16)
    #expect(pace(1) == 2_048 && pace(0) == 2_048)
    #expect(pace(.max / 512) == 16)
  }

  @Test func aClockThatGoesBackOrAnEmptyBatchDoNoHarm() {
    #expect(pace(-1_000) == 2_048)
    var pace = BatchPace()
    let before = pace.count
    pace.note(count: 0, nanoseconds: 5)
    #expect(pace.count == before)
  }

  @Test func oneSlowRequestChangesLittle() {
    var pace = BatchPace()
    pace.note(count: 1, nanoseconds: 1_000_000)
    #expect(pace.count > 200)
  }
}
