import EditLog
import EditModel
import Projections
import Replay
import TestSupport
import Testing
import TextState

/// Steps of every kind, found by looking at each entry of a history.
private struct StepOracle {
  private let count: SequenceNumber
  private var times: [Int64] = []
  private var undoSteps: Set<SequenceNumber> = [0]
  private var paragraphChanges: Set<SequenceNumber> = [0]
  private var saves: Set<SequenceNumber> = []
  private var sessions: Set<SequenceNumber> = []

  init(_ history: SteppedHistory) throws {
    count = SequenceNumber(history.states.count - 1)
    var (boundaries, before) = (UndoBoundaries(), ParagraphID?.none)
    for entry in history.entries {
      switch entry {
      case .event(let event):
        boundaries.note(event, at: event.after)
        if case .saved = event.kind { saves.insert(event.after) }
        if case .session = event.kind { sessions.insert(event.after) }
      case .edit(let edit):
        times.append(edit.time.nanoseconds)
        switch boundaries.continuation(of: edit) {
        case nil: undoSteps.insert(edit.sequence - 1)
        case .correction(let first): undoSteps.remove(first - 1)
        case .transaction, .stroke: break
        }
        var state = history.states[Int(edit.sequence) - 1]
        let events = try state.apply(edit.action).paragraphEvents
        let changed: [ParagraphID?] = events.map { event in
          switch event {
          case .edited(_, let descriptor, _), .attributesChanged(_, let descriptor, _):
            descriptor.id
          case .inserted, .removed: nil
          }
        }
        let paragraph = changed.count == 1 ? changed[0] : nil
        if paragraph == nil || paragraph != before { paragraphChanges.insert(edit.sequence - 1) }
        before = paragraph
      }
    }
    undoSteps.insert(count)
    paragraphChanges.insert(count)
  }

  func step(
    _ from: SequenceNumber, _ direction: ReplayCursor.Direction, _ unit: StepUnit
  ) -> SequenceNumber? {
    let isForward = direction == .forward
    guard isForward ? from < count : from > 0 else { return nil }
    func next(_ ends: Set<SequenceNumber>) -> SequenceNumber? {
      isForward ? ends.filter { $0 > from }.min() : ends.filter { $0 < from }.max()
    }
    switch unit {
    case .edit: return isForward ? from + 1 : from - 1
    case .undoStep: return next(undoSteps)
    case .paragraphChange: return next(paragraphChanges)
    case .save: return next(saves)
    case .session: return next(sessions)
    case .time(let nanoseconds):
      let limit = times[max(Int(from), 1) - 1] + (isForward ? nanoseconds : -nanoseconds)
      let found = SequenceNumber(times.count { $0 <= limit })
      return isForward ? max(found, from + 1) : min(found, from - 1)
    }
  }
}

@Suite struct ReplayCursorTests {
  private static let units: [StepUnit] = [
    .edit, .undoStep, .paragraphChange, .save, .session, .time(nanoseconds: 0),
    .time(nanoseconds: 300_000_000), .time(nanoseconds: 60_000_000_000),
    .time(nanoseconds: .max / 4),
  ]

  /// After any walk, the state is the one that was folded: text, attributes, paragraphs with their
  /// identifiers, and number.
  @Test(arguments: seeds(4))
  func walksEndAtTheStatesOfTheHistory(seed: UInt64) throws {
    // Longer than the parts in which ends of steps are looked up.
    let history = try SteppedHistory(seed: seed, editCount: 1_400)
    let oracle = try StepOracle(history)
    var random = SplitMix64(seed: seed)
    var cursor = try ReplayCursor(history.replay())
    for _ in 0..<30 {
      if Int.random(in: 0..<4, using: &random) == 0 {
        let target = SequenceNumber.random(in: 0..<UInt64(history.states.count), using: &random)
        try cursor.seek(to: .sequence(target))
        #expect(cursor.sequence == target)
      }
      let unit = Self.units[Int.random(in: Self.units.indices, using: &random)]
      let direction: ReplayCursor.Direction = Bool.random(using: &random) ? .forward : .backward
      for _ in 0..<Int.random(in: 1..<40, using: &random) {
        let expected = oracle.step(cursor.sequence, direction, unit)
        let made = try cursor.step(direction, by: unit)
        #expect(made == (expected == nil ? 0 : 1))
        guard let expected else { break }
        #expect(cursor.sequence == expected, "seed \(seed): \(unit)")
        #expect(cursor.state == history.states[Int(expected)], "seed \(seed): \(expected)")
      }
      if let violation = cursor.state.invariantViolation() {
        Issue.record("seed \(seed), \(cursor.sequence): \(violation)")
      }
    }
  }

  /// Several steps at once end where as many single steps do.
  @Test(arguments: seeds(4))
  func stepsAreCounted(seed: UInt64) throws {
    let history = try SteppedHistory(seed: seed, editCount: 300)
    var random = SplitMix64(seed: seed)
    var (one, many) = (try ReplayCursor(history.replay()), try ReplayCursor(history.replay()))
    for _ in 0..<40 {
      let unit = Self.units[Int.random(in: Self.units.indices, using: &random)]
      let direction: ReplayCursor.Direction = Bool.random(using: &random) ? .forward : .backward
      let count = Int.random(in: 0..<30, using: &random)
      var made = 0
      while made < count, try one.step(direction, by: unit) == 1 { made += 1 }
      #expect(try many.step(direction, by: unit, count: count) == made)
      #expect(many.state == one.state, "seed \(seed): \(unit)")
    }
  }

  @Test func stepsEndAtBothEndsOfTheHistory() throws {
    let history = try SteppedHistory(seed: 1, editCount: 100)
    let count = history.states.count - 1
    var cursor = try ReplayCursor(history.replay(), at: .sequence(0))
    for unit in Self.units {
      #expect(try cursor.step(.backward, by: unit) == 0)
      #expect(cursor.state == TextState())
    }
    #expect(try cursor.step(.forward, by: .edit, count: .max) == count)
    #expect(cursor.state == history.states[count])
    for unit in Self.units { #expect(try cursor.step(.forward, by: unit) == 0) }
    #expect(try cursor.step(.backward, by: .undoStep, count: .max) > 1)
    #expect(cursor.sequence == 0)
    #expect(throws: ReplayError.self) { try cursor.seek(to: .sequence(UInt64(count) + 1)) }
    #expect(cursor.sequence == 0)
  }

  @Test func verifiedCursorsUseNoKeptStates() throws {
    let history = try SteppedHistory(seed: 2, editCount: 120)
    var cursor = try ReplayCursor(history.replay(isVerified: true))
    while try cursor.step(.backward, by: .undoStep) == 1 {
      #expect(cursor.state == history.states[Int(cursor.sequence)])
    }
    #expect(cursor.sequence == 0)
  }
}
