import EditModel
import Scrubbing
import TestSupport
import Testing

/// The timeline, against a history whose times are known.
@Suite struct TimelineTests {
  /// Asks for times until nothing is asked for.
  private static func filled(
    _ range: ClosedRange<SequenceNumber>, _ time: (SequenceNumber) -> Int64
  ) -> (timeline: Timeline, asked: Int) {
    var timeline = Timeline(range)
    var (wanted, asked) = (timeline.firstSamples, 0)
    while !wanted.isEmpty {
      asked += wanted.count
      timeline.insert(wanted.map { TimeSample($0, Timestamp(nanoseconds: time($0))) })
      wanted = timeline.nextSamples
    }
    return (timeline, asked)
  }

  @Test(arguments: seeds(40))
  func `columns and versions go together`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let count = UInt64.random(in: 1...400, using: &random)
    var (times, now) = ([Int64](), Int64(1_000))
    for _ in 0...count {
      let pauses: [Int64] = [0, 200_000_000, 3_000_000_000, 4_000_000_000_000]
      now += pauses[Int.random(in: 0..<pauses.count, using: &random)]
      times.append(now)
    }
    let (timeline, _) = Self.filled(0...count) { times[Int($0)] }
    let width = Int.random(in: 1...200, using: &random)
    var last = 0
    for version in 0...count {
      let column = timeline.column(of: version, count: width)
      #expect(column >= last && column < width, "seed \(seed)")
      last = column
    }
    for column in 0..<width {
      let version = timeline.sequence(at: column, count: width)
      #expect(version <= count, "seed \(seed)")
    }
    #expect(timeline.sequence(at: 0, count: width) == 0, "seed \(seed)")
    if width > 1 {
      #expect(timeline.sequence(at: width - 1, count: width) == count, "seed \(seed)")
    }
    let sum = timeline.columns(width).reduce(0) { $0 + $1.edits }
    // Version 0 has no time, so the first sample is version 1.
    #expect((sum - Double(count - 1)).magnitude < 0.01, "seed \(seed)")
  }

  /// The author of most edits of each column, of all edits, is the one that is shown.
  @Test(arguments: seeds(20))
  func `columns have the author of most edits`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    // The last two are one string for Swift, and two names.
    let names: [String?] = ["ann", nil, "\u{E9}", "e\u{301}"]
    var authors: [String?] = []
    // Shorter parts may be between two samples.
    while authors.count <= 20_000 {
      let author = names[Int.random(in: 0..<4, using: &random)]
      let count = Int.random(in: 400...2_000, using: &random)
      authors += Array(repeating: author, count: count)
    }
    var timeline = Timeline(0...20_000)
    var (wanted, asked) = (timeline.firstSamples, 0)
    while !wanted.isEmpty {
      asked += wanted.count
      timeline.insert(
        wanted.map {
          TimeSample($0, Timestamp(nanoseconds: Int64($0) * 200_000_000), author: authors[Int($0)])
        })
      wanted = timeline.nextSamples
    }
    #expect(asked <= 1_024 + 64, "seed \(seed)")
    let columns = timeline.columns(100)
    var counts = Array(repeating: [ExactString?: Int](), count: 100)
    for version in 1...20_000 {
      let author = authors[version].map(ExactString.init)
      counts[timeline.column(of: UInt64(version), count: 100)][author, default: 0] += 1
    }
    for (column, count) in zip(columns, counts) {
      let most = count.values.max() ?? 0
      // About the half of a column, either may be shown.
      #expect((count[column.author.map(ExactString.init)] ?? 0) * 2 >= most, "seed \(seed)")
    }
  }

  @Test func `changes of a paragraph are counted by column`() {
    let (timeline, _) = Self.filled(0...1_000) { Int64($0) * 1_000_000_000 }
    let counts = timeline.counts(of: [1, 2, 500, 1_000, 1_001], 10)
    #expect(counts == [2, 0, 0, 0, 1, 0, 0, 0, 0, 1] || counts == [2, 0, 0, 0, 0, 1, 0, 0, 0, 1])
    #expect(timeline.counts(of: [1], 0) == [])
  }

  @Test func `a long history is known from few times`() {
    let (timeline, asked) = Self.filled(0...1_000_000_000_000) { number in
      // A year of pauses in the middle.
      Int64(number) + (number > 500_000_000_000 ? 31_536_000_000_000_000 : 0)
    }
    #expect(asked <= 2_048)
    let columns = timeline.columns(100)
    #expect(columns.count { $0.isIdle } == 1)
    #expect((45...55).contains(columns.firstIndex { $0.isIdle } ?? 0))
  }

  @Test func `times that go back are left out`() {
    var timeline = Timeline(0...10)
    timeline.insert([1, 5, 10].map { TimeSample($0, Timestamp(nanoseconds: $0 == 5 ? 0 : 100)) })
    #expect(timeline.samples.map(\.sequence) == [1, 10])
    timeline.insert([TimeSample(11, Timestamp(nanoseconds: 500))])
    #expect(timeline.samples.map(\.sequence) == [1, 10])
  }

  @Test func `an empty history has a timeline`() {
    let (timeline, _) = Self.filled(0...0) { _ in 0 }
    #expect(timeline.columns(10).allSatisfy { $0.edits == 0 })
    #expect(timeline.sequence(at: 5, count: 10) == 0)
    #expect(timeline.column(of: 0, count: 10) == 0)
  }
}
