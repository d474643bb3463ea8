import EditLog
import EditModel
import EditProtocol
import EditQueries
import Projections
import TestSupport
import Testing
import TextState

/// A seeded history with undo, redo, undo of selections, loads, strokes, and edits that claim to be an
/// undo and are not.
private struct UndoingHistory {
  var random: SplitMix64
  var runner = ProjectionRunner([UndoHistory()])
  var entries: [HistoryEntry] = []
  /// The states of the versions.
  var states = [TextState()]
  /// Whether there is something to undo and to redo after each version, by a fold of all before it.
  var answers = [[false, false]]
  private var clock: Int64 = 0

  init(seed: UInt64, stepCount: Int) throws {
    random = SplitMix64(seed: seed)
    for _ in 0..<stepCount { try step() }
  }

  private var tree: UndoTree {
    get throws { try #require(runner[UndoHistory.self]).tree }
  }
  private var next: SequenceNumber { runner.state.sequence + 1 }

  private mutating func append(
    _ action: EditAction, _ origin: Origin, in transaction: SequenceNumber? = nil
  ) throws {
    clock += 1_000_000_000
    let edit = Edit(
      sequence: next, action: action, origin: origin, transaction: transaction,
      time: Timestamp(nanoseconds: clock))
    try runner.apply(edit)
    entries.append(.edit(edit))
    states.append(runner.state)
    let tree = try tree
    answers.append([tree.undoable != nil, tree.redoable != nil])
  }

  private mutating func note(_ kind: HistoryEvent.Kind) throws {
    let event = HistoryEvent(
      kind: kind, after: runner.state.sequence, time: Timestamp(nanoseconds: clock))
    try runner.apply(event)
    entries.append(.event(event))
  }

  private mutating func insertion() -> EditAction {
    let place = Int.random(in: 0...runner.state.length, using: &random)
    return EditAction(replacing: UTF16Range(place..<place), with: "x")
  }

  private mutating func step() throws {
    let first = next
    switch Int.random(in: 0..<15, using: &random) {
    case 0..<3:
      // A run of strokes.
      var place = Int.random(in: 0...runner.state.length, using: &random)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        try append(EditAction(replacing: UTF16Range(place..<place), with: "a"), .typing)
        place += 1
      }
    case 3:
      // A stroke where the last edit ended.
      guard case .edit(let edit)? = entries.last else { return }
      let place = edit.action.editedRange.upperBound
      try append(EditAction(replacing: UTF16Range(place..<place), with: "b"), .typing)
    case 4:
      let origin = [Origin.load, .paste, .program, .undo, .redo][
        Int.random(in: 0..<5, using: &random)]
      for index in 0..<Int.random(in: 1...3, using: &random) {
        try append(insertion(), index == 0 ? origin : .typing, in: first)
      }
    case 5:
      let origin = Origin.allCases[Int.random(in: 0..<Origin.allCases.count, using: &random)]
      try append(insertion(), origin)
    case 6: try note(.mark(label: "m", at: runner.state.sequence))
    case 7:
      // A claim that may be wrong, and the edits that follow it, of any origin.
      let target = SequenceNumber.random(in: 0...runner.state.sequence, using: &random)
      try note(.undo(UndoneChange(), to: target))
      if Bool.random(using: &random) { try append(insertion(), .typing) }
    case 8:
      let tree = try tree
      guard runner.state.sequence > 0 else { return }
      let at = SequenceNumber.random(in: 1...runner.state.sequence, using: &random)
      let selection = SequenceSet([at...at]).intersection(tree.ordinaryEdits)
        .subtracting(tree.provenance.undone)
      try make(UndoneChange(undone: selection), to: nil, .undo, isAnnounced: true)
    case 9..<12:
      let tree = try tree
      guard let step = tree.undoable, let parent = step.parent else { return }
      try make(
        tree.change(to: parent), to: tree[parent]?.sequences.upperBound, .undo,
        isAnnounced: Bool.random(using: &random))
    case 12:
      // An edit that changes nothing, and perhaps one that does.
      let length = Int.random(in: 0...min(2, runner.state.length), using: &random)
      let range = UTF16Range(0..<length)
      try append(EditAction(replacing: range, with: runner.state.text(in: range)), .program)
      if Bool.random(using: &random) { try append(insertion(), .program, in: first) }
    default:
      let tree = try tree
      guard let step = tree.redoable else { return }
      try make(
        tree.change(to: step.number), to: step.sequences.upperBound,
        Bool.random(using: &random) ? .redo : .typing, isAnnounced: true)
    }
  }

  private mutating func make(
    _ change: UndoneChange, to target: SequenceNumber?, _ origin: Origin, isAnnounced: Bool
  ) throws {
    let actions = try tree.actions(
      making: change, in: runner.state, to: target.map { states[Int($0)] })
    if isAnnounced { try note(.undo(change, to: target)) }
    let first = next
    for action in actions { try append(action, origin, in: first) }
  }

  /// True if the next edit belongs to the transaction of this one.
  func isWithinTransaction(_ sequence: SequenceNumber) -> Bool {
    entries.contains {
      if case .edit(let edit) = $0 {
        edit.sequence == sequence + 1 && edit.transaction <= sequence
      } else {
        false
      }
    }
  }
}

extension FollowedUndo {
  /// Notes the entries of a delivery. Returns the answer after them, if the follower was told another one.
  fileprivate mutating func state(
    after entries: [HistoryEntry], of document: DocumentID, in engine: QueryEngine
  ) async throws -> UndoState? {
    note(entries)
    return try await state(of: document, in: engine)
  }
}

@Suite struct FollowedUndoTests {
  private let id: DocumentID
  init() throws { id = try #require(DocumentID(QueryBench.name)) }

  /// What is told is what a fold of all entries gives, however they are delivered.
  @Test(arguments: seeds(12)) func equalsAFoldAtEachVersion(seed: UInt64) async throws {
    let history = try UndoingHistory(seed: seed, stepCount: 80)
    let bench = try QueryBench(MixedHistory(history.entries))
    for limit in [1, 3, 7] {
      var random = SplitMix64(seed: seed)
      var undo = FollowedUndo(at: HistoryPosition())
      var (told, last): ([Bool]?, SequenceNumber) = (nil, 0)
      var rest = history.entries[...]
      while !rest.isEmpty {
        let part = Array(rest.prefix(Int.random(in: 1...limit, using: &random)))
        rest = rest.dropFirst(part.count)
        for case .edit(let edit) in part { last = edit.sequence }
        let news = try await undo.state(after: part, of: id, in: bench.engine)
        if let news {
          #expect(news.sequence == last)
          #expect(told != [news.isUndoable, news.isRedoable], "told twice")
          told = [news.isUndoable, news.isRedoable]
        }
        let expected = history.answers[Int(last)]
        if news != nil || !history.isWithinTransaction(last) {
          #expect(told == expected, "seed \(seed), limit \(limit), version \(last)")
        }
      }
    }
  }

  /// A subscription may begin at any place.
  @Test(arguments: seeds(4)) func beginsAnywhere(seed: UInt64) async throws {
    let history = try UndoingHistory(seed: seed, stepCount: 60)
    let bench = try QueryBench(MixedHistory(history.entries))
    for start in 0..<history.entries.count where start % 5 == 0 {
      var place = HistoryPosition()
      for entry in history.entries[..<start] {
        switch entry {
        case .edit(let edit): place = HistoryPosition(after: edit.sequence)
        case .event: place.events += 1
        }
      }
      let after = place.after
      var undo = FollowedUndo(at: place)
      let first = try await undo.state(skippingTo: place, of: id, in: bench.engine)
      #expect(first.map { [$0.isUndoable, $0.isRedoable] } == history.answers[Int(after)])
      var (told, last) = (history.answers[Int(after)], after)
      for entry in history.entries[start...].prefix(12) {
        if case .edit(let edit) = entry { last = edit.sequence }
        if let news = try await undo.state(after: [entry], of: id, in: bench.engine) {
          told = [news.isUndoable, news.isRedoable]
        }
        if !history.isWithinTransaction(last) {
          #expect(told == history.answers[Int(last)], "seed \(seed), from \(start), \(last)")
        }
      }
    }
  }

  /// Typing reads no history: there is none to read here.
  @Test func typingIsNotFolded() async throws {
    let bench = try QueryBench(seed: 1)
    let other = try #require(DocumentID("none"))
    var undo = FollowedUndo(at: HistoryPosition())
    var told: [UndoState] = []
    for number in 0..<100 {
      let edit = Edit(
        sequence: SequenceNumber(number + 1),
        action: EditAction(replacing: UTF16Range(number..<number), with: "a"), origin: .typing)
      if let news = try await undo.state(after: [.edit(edit)], of: other, in: bench.engine) {
        told.append(news)
      }
    }
    #expect(told == [UndoState(sequence: 1, isUndoable: true, isRedoable: false)])
    let undone = Edit(
      sequence: 101, action: EditAction(replacing: UTF16Range(0..<100), with: ""), origin: .undo)
    await #expect(throws: ProtocolError.self) {
      _ = try await undo.state(after: [.edit(undone)], of: other, in: bench.engine)
    }
  }
}
