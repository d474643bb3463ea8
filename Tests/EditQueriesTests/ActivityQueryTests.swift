import EditModel
import EditProtocol
import EditQueries
import TestSupport
import Testing
import TextState

/// Activity, against a slow count over the edits and their texts.
@Suite struct ActivityQueryTests {
  private let history: HistoryReference
  init() throws { history = HistoryReference(try #require(DocumentID(QueryBench.name))) }

  /// A seeded history of edits that are seconds, minutes, hours and days apart.
  private func history(seed: UInt64) -> MixedHistory {
    var random = SplitMix64(seed: seed)
    var time: Int64 = -40_000_000_000_000
    var entries: [HistoryEntry] = []
    for var edit in MixedHistory(seed: seed, editCount: 150).edits {
      let pauses: [Int64] = [0, 1, 7, 120, 299, 300, 301, 1_799, 1_800, 5_000, 200_000]
      let index = Int.random(in: 0..<pauses.count, using: &random)
      time += pauses[index] * 1_000_000_000
      edit.time = Timestamp(nanoseconds: time)
      entries.append(.edit(edit))
    }
    return MixedHistory(entries)
  }

  /// The counts of some edits of a bench, by one pass for each of them.
  private func count(
    _ bench: QueryBench, _ numbers: ClosedRange<Int>, where isWanted: (Edit) -> Bool
  ) -> ShownActivity {
    var found = ShownActivity()
    for number in numbers {
      let edit = bench.mixed.edits[number - 1]
      guard isWanted(edit) else { continue }
      found.edits += 1
      let gap =
        number == numbers.lowerBound
        ? nil : edit.time.nanoseconds - bench.mixed.edits[number - 2].time.nanoseconds
      let isReading = edit.origin == .undo || edit.origin == .redo
      if let gap, gap < 300_000_000_000, !isReading { found.activeMicros += gap / 1_000 }
      if gap.map({ $0 >= 1_800_000_000_000 }) ?? true { found.sessions += 1 }
      guard let text = edit.action.replacement else { continue }
      found.inserted += text.count
      found.removed += edit.action.range.length
      if [.load, .undo, .redo].contains(edit.origin) { continue }
      let units = bench.states[number].text.units
      let start = edit.action.range.location
      for index in start..<start + text.count {
        let isBegin = index == 0 || isWhite(units[index - 1])
        if isBegin, !isWhite(units[index]) { found.words += 1 }
      }
    }
    return found
  }

  private func isWhite(_ unit: UInt16) -> Bool {
    Unicode.Scalar(unit)?.properties.isWhitespace ?? false
  }

  @Test(arguments: UInt64(0)..<6)
  func theCountsAreThoseOfTheEdits(seed: UInt64) async throws {
    let bench = try QueryBench(history(seed: seed))
    for (after, through) in [(0, 150), (0, 1), (37, 111), (149, 150)] {
      let answer = try await bench.engine.answer(
        ActivityRequest(
          history, after: SequenceNumber(after), through: SequenceNumber(through)))
      let numbers = after + 1...through
      let edits = bench.mixed.edits[after..<through]
      #expect(answer.sequence == SequenceNumber(through) && answer.omitted == 0)
      #expect(answer.total == count(bench, numbers) { _ in true }, "\(seed)")
      #expect(answer.firstTime == edits.first?.time && answer.lastTime == edits.last?.time)
      for quarter in answer.quarters {
        let end = quarter.time.nanoseconds + 900_000_000_000
        #expect(quarter.time.nanoseconds % 900_000_000_000 == 0)
        #expect(
          quarter.counts
            == count(bench, numbers) {
              (quarter.time.nanoseconds..<end).contains($0.time.nanoseconds)
            })
      }
      #expect(answer.quarters.map(\.counts.edits).reduce(0, +) == through - after)
      for share in answer.shares {
        var expected = count(bench, numbers) {
          $0.author == share.author && $0.origin == share.origin
        }
        expected.sessions = 0
        #expect(share.counts == expected)
      }
      #expect(answer.shares.map(\.counts.edits).reduce(0, +) == through - after)
      let edited = answer.shares.map(\.counts.edits)
      #expect(edited == edited.sorted(by: >))
      var pauses: [(Int64, SequenceNumber)] = zip(edits, edits.dropFirst()).map {
        (-($1.time.nanoseconds - $0.time.nanoseconds), $0.sequence)
      }
      pauses = pauses.filter { $0.0 <= -300_000_000_000 }.sorted { $0 < $1 }
      #expect(answer.pauses.map(\.after) == pauses.prefix(10).map(\.1))
      #expect(answer.stretches.isEmpty)
    }
  }

  /// They are the time spent, by author, and do not overlap.
  @Test(arguments: UInt64(0)..<6)
  func stretchesSumUpToTheTimeSpent(seed: UInt64) async throws {
    let bench = try QueryBench(history(seed: seed))
    let answer = try await bench.engine.answer(ActivityRequest(history, stretches: true))
    func nanoseconds(_ stretches: [ShownStretch]) -> Int64 {
      stretches.reduce(0) { $0 + $1.toTime.nanoseconds - $1.fromTime.nanoseconds }
    }
    for author in Set(answer.shares.map(\.author)) {
      let shares = answer.shares.filter { $0.author == author }
      let sum = nanoseconds(answer.stretches.filter { $0.author == author }) / 1_000
      // Each edit's time is cut to microseconds.
      let cut = sum - shares.reduce(0) { $0 + $1.counts.activeMicros }
      #expect((0...Int64(bench.mixed.edits.count)).contains(cut), "seed \(seed)")
    }
    for (stretch, next) in zip(answer.stretches, answer.stretches.dropFirst()) {
      #expect(stretch.fromTime <= stretch.toTime && stretch.toTime <= next.fromTime)
    }
    let ends = Set(answer.stretches.map(\.toTime))
    #expect(ends.isSubset(of: Set(bench.mixed.edits.map(\.time))))
  }

  /// Each unit of a paragraph is removed from it, or the paragraph goes.
  @Test(arguments: UInt64(0)..<6)
  func reworkedParagraphsAreThoseOfTheText(seed: UInt64) async throws {
    let bench = try QueryBench(history(seed: seed))
    let state = try #require(bench.states.last)
    let answer = try await bench.engine.answer(ActivityRequest(history))
    var expected: [ParagraphID: (edits: Int, removed: Int)] = [:]
    var before = TextState()
    for edit in bench.mixed.edits {
      var after = before
      let change = try after.apply(edit.action)
      defer { before = after }
      for event in change.paragraphEvents where edit.action.replacement != nil {
        func removed(from paragraph: UTF16Range) -> Int {
          edit.action.range.bounds.filter { paragraph.bounds.contains($0) }.count
        }
        switch event {
        case .removed(_, let paragraph, let heir):
          let own = expected.removeValue(forKey: paragraph.id) ?? (0, 0)
          guard let heir else { continue }
          let old = expected[heir] ?? (0, 0)
          expected[heir] = (
            old.edits + own.edits, old.removed + own.removed + removed(from: paragraph.range)
          )
        case .edited(_, let paragraph, let oldRange):
          let old = expected[paragraph.id] ?? (0, 0)
          expected[paragraph.id] = (old.edits + 1, old.removed + removed(from: oldRange))
        default: break
        }
      }
    }
    for paragraph in answer.paragraphs {
      let work = try #require(expected[paragraph.id])
      #expect(work == (paragraph.edits, paragraph.removed) && paragraph.removed > 0)
      let found = try #require(state.paragraph(paragraph.id))
      #expect(found.index == paragraph.index)
      #expect(
        state.text(in: found.descriptor.range).units.starts(with: paragraph.text.units))
    }
    let all = expected.filter { state.paragraph($0.key) != nil && $0.value.removed > 0 }
    #expect(answer.paragraphs.count == min(10, all.count))
    #expect(
      answer.paragraphs.map(\.removed) == Array(all.map(\.value.removed).sorted(by: >).prefix(10)))
  }

  @Test func nothingIsAnswered() async throws {
    let bench = try QueryBench(MixedHistory(seed: 1, editCount: 20))
    for (after, through) in [(20, nil), (500, nil), (7, 7), (9, 3), (0, 0), (.max, .max)]
      as [(SequenceNumber, SequenceNumber?)]
    {
      let answer = try await bench.engine.answer(
        ActivityRequest(history, after: after, through: through))
      #expect(answer.total == ShownActivity() && answer.firstTime == nil)
      #expect(answer.quarters.isEmpty && answer.shares.isEmpty && answer.paragraphs.isEmpty)
    }
  }

  /// There is room for 1,000 pairs of author and origin; the rest is one share.
  @Test func manyAuthorsShareARow() async throws {
    let entries = (1...1_010).map { number in
      HistoryEntry.edit(
        Edit(
          sequence: SequenceNumber(number),
          action: EditAction(replacing: UTF16Range(0..<0), with: "ab "), author: "a\(number)"))
    }
    let bench = try QueryBench(MixedHistory(entries))
    let answer = try await bench.engine.answer(ActivityRequest(history))
    #expect(answer.shares.count == 1_001)
    let rest = try #require(answer.shares.last)
    #expect(rest.origin == nil && rest.counts.edits == 10 && rest.counts.inserted == 30)
    #expect(answer.total.words == 1_010)
  }
}
