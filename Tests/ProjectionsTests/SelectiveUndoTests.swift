import EditModel
import TestSupport
import Testing
import TextState

@testable import Projections

/// The attributes of units, by the oracle's rule: the newest edit that is not undone.
private struct StyledOracle {
  var units = UnitOracle()
  /// What each edit made of the units that it touched, by the number of the unit.
  var styles: [Int: [(sequence: SequenceNumber, style: StyleLog.Style)]] = [:]

  mutating func apply(_ edit: Edit, after state: TextState) {
    let visible = units.visible
    units.apply(edit.action, edit.sequence)
    var touched = edit.action.range.bounds.map { units.units.isEmpty ? 0 : $0 }
    if edit.action.replacement != nil {
      touched = Array(edit.action.editedRange.bounds)
      let now = units.visible
      let runs = state.attributeRuns(in: edit.action.editedRange)
      let sets = runs.flatMap { Array(repeating: $0.attributes, count: $0.length) }
      for (offset, set) in zip(touched, sets) {
        styles[units.units[now[offset]].number, default: []].append((edit.sequence, .set(set)))
      }
      return
    }
    let changes: [StyleLog.Style] =
      switch edit.action.attributes {
      case .inherit: []
      case .set(let runs):
        runs.flatMap { Array(repeating: .set($0.attributes), count: $0.length) }
      case .merge(let runs):
        runs.flatMap { Array(repeating: .merge($0.attributes), count: $0.length) }
      case .remove(let names): Array(repeating: .remove(names), count: touched.count)
      }
    for (offset, change) in zip(touched, changes) {
      styles[units.units[visible[offset]].number, default: []].append((edit.sequence, change))
    }
  }

  /// The text and the attributes of each unit.
  var snapshot: (units: [UInt16], attributes: [AttributeSet]) {
    let visible = units.visible
    return (
      visible.map { units.units[$0].value },
      visible.map { index in
        var set = AttributeSet.empty
        for (sequence, style) in styles[units.units[index].number] ?? []
        where !units.undone.contains(sequence) {
          set = style.applied(to: set)
        }
        return set
      }
    )
  }
}

/// An editor whose selections are undone.
private struct SelectiveEditor {
  var random: SplitMix64
  var runner = ProjectionRunner([UndoHistory()])
  var oracle = StyledOracle()
  var ordinary = SequenceSet()

  var tree: UndoTree {
    get throws { try #require(runner[UndoHistory.self]).tree }
  }

  mutating func edit(in transaction: SequenceNumber? = nil) throws {
    let sequence = runner.state.sequence + 1
    let edit = Edit(
      sequence: sequence, action: try random.action(in: runner.state.length), origin: .program,
      transaction: transaction, time: seconds(Double(sequence)))
    let before = Snapshot(runner.state)
    try runner.apply(edit)
    // An edit that changes nothing leaves the units as they are.
    if Snapshot(runner.state) != before { oracle.apply(edit, after: runner.state) }
    ordinary.append(sequence)
  }

  /// Some edits that are not undone.
  mutating func selection() throws -> SequenceSet {
    var ranges: [ClosedRange<SequenceNumber>] = []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let first = SequenceNumber.random(in: 1...runner.state.sequence, using: &random)
      ranges.append(first...first + .random(in: 0...3, using: &random))
    }
    return SequenceSet(ranges).intersection(ordinary).subtracting(try tree.provenance.undone)
  }

  /// Makes a change, which leads to `step` if it is given.
  mutating func make(
    _ change: UndoneChange, to step: Int? = nil, _ origin: Origin = .undo
  ) throws {
    let tree = try tree
    let actions = try tree.actions(making: change, in: runner.state)
    let first = runner.state.sequence + 1
    let target = step.flatMap { tree[$0]?.sequences.upperBound }
    try runner.apply(
      HistoryEvent(
        kind: .undo(change, to: target), after: first - 1, time: seconds(Double(first))))
    for action in actions {
      try runner.apply(
        Edit(
          sequence: runner.state.sequence + 1, action: action, origin: origin,
          transaction: first, time: seconds(Double(first))))
    }
    oracle.units.apply(change, first: first)
  }

  func check(_ comment: Comment) throws {
    let (snapshot, expected) = (Snapshot(runner.state), oracle.snapshot)
    #expect(snapshot.units == expected.units, comment)
    #expect(snapshot.attributes == expected.attributes, comment)
    let undone = try tree.provenance.undone
    #expect(Set(undone.ranges.flatMap { Array($0) }) == oracle.units.undone, comment)
  }
}

@Suite struct SelectiveUndoTests {
  @Test("text and attributes are those without the selection", arguments: seeds(40))
  func equalsOracle(seed: UInt64) throws {
    var editor = SelectiveEditor(random: SplitMix64(seed: seed))
    for step in 0..<60 {
      try editor.edit()
      guard step % 6 == 5 else { continue }
      let change = UndoneChange(undone: try editor.selection())
      try editor.make(change)
      try editor.check("seed \(seed), step \(step)")
    }
  }

  /// Ranges of an earlier version are followed through later edits and undos, and through an undo that is
  /// still to be made: from the first of their units to the last.
  @Test("ranges of earlier versions are found in the text after an undo", arguments: seeds(40))
  func rangesAreFollowed(seed: UInt64) throws {
    var editor = SelectiveEditor(random: SplitMix64(seed: seed))
    var older: (provenance: Provenance, units: [Int])?
    for step in 0..<80 {
      try editor.edit()
      if step % 20 == 3 {
        let numbers = editor.oracle.units.visible.map { editor.oracle.units.units[$0].number }
        older = (try editor.tree.provenance, numbers)
      }
      guard step % 5 == 4, let older else { continue }
      let change = UndoneChange(undone: try editor.selection())
      let length = older.units.count
      let ranges = (0..<6).map { _ in
        let anchor = Int.random(in: 0...length, using: &editor.random)
        let head = min(length, max(0, anchor + Int.random(in: -4...4, using: &editor.random)))
        return SelectedRange(min(anchor, head)..<max(anchor, head), isReversed: head < anchor)
      }
      let outside = SelectedRange(0..<length + 1)
      let found = try editor.tree.provenance.ranges(
        ranges + [outside], of: older.provenance, after: change)
      try editor.make(change)
      let units = editor.oracle.units
      /// The units of the text up to the unit of the older text at an offset.
      func count(upTo offset: Int, isIncluded: Bool) -> Int {
        guard offset >= 0 else { return 0 }
        var count = 0
        for unit in units.units {
          let isIt = unit.number == older.units[offset]
          if isIt && !isIncluded { return count }
          if units.isVisible(unit) { count += 1 }
          if isIt { return count }
        }
        return count
      }
      var expected: [SelectedRange] = []
      for range in ranges {
        let lower = range.range.location
        let bounds =
          range.isCaret
          ? count(upTo: lower - 1, isIncluded: true)..<count(upTo: lower - 1, isIncluded: true)
          : count(
            upTo: lower, isIncluded: false)..<count(
              upTo: range.range.upperBound - 1, isIncluded: true)
        if expected.contains(where: { $0.range.bounds == bounds }) { continue }
        expected.append(SelectedRange(bounds, isReversed: range.isReversed))
      }
      #expect(found == expected, "seed \(seed), step \(step)")
      try editor.check("seed \(seed), step \(step)")
    }
  }

  @Test("undo then redo is the identity", arguments: seeds(40))
  func redoIsTheInverse(seed: UInt64) throws {
    var editor = SelectiveEditor(random: SplitMix64(seed: seed))
    for _ in 0..<30 { try editor.edit() }
    let before = Snapshot(editor.runner.state)
    let change = UndoneChange(undone: try editor.selection())
    try editor.make(change)
    try editor.make(change.inverse)
    #expect(Snapshot(editor.runner.state) == before, "seed \(seed)")
    try editor.check("seed \(seed)")
  }

  @Test("the undo of the newest step is the plain undo", arguments: seeds(40))
  func newestStepIsPlain(seed: UInt64) throws {
    var editor = SelectiveEditor(random: SplitMix64(seed: seed))
    for _ in 0..<30 { try editor.edit() }
    let tree = try editor.tree
    let step = try #require(tree.undoable)
    let change = UndoneChange(undone: SequenceSet(step.sequences))
    #expect(change == tree.change(to: step.parent ?? 0))
    try editor.make(change)
    try editor.check("seed \(seed)")
  }

  @Test("an undo of a selection is a step, and can be undone", arguments: seeds(20))
  func selectionsAreSteps(seed: UInt64) throws {
    var editor = SelectiveEditor(random: SplitMix64(seed: seed))
    for _ in 0..<30 { try editor.edit() }
    let before = Snapshot(editor.runner.state)
    let current = try editor.tree.current
    let change = UndoneChange(undone: try editor.selection())
    try editor.make(change)
    let tree = try editor.tree
    #expect(tree.undoable?.parent == current)
    #expect(tree.undoable?.selection == change)
    for absent in [-1, .max] { #expect(tree.change(to: absent) == UndoneChange()) }
    #expect(tree.change(to: current) == change.inverse)
    try editor.make(tree.change(to: current))
    #expect(Snapshot(editor.runner.state) == before, "seed \(seed)")
  }

  @Test("redo brings a selection back, once; undo and redo go to and fro", arguments: seeds(20))
  func redoBringsSelectionsBack(seed: UInt64) throws {
    var editor = SelectiveEditor(random: SplitMix64(seed: seed))
    for _ in 0..<30 { try editor.edit() }
    let before = Snapshot(editor.runner.state)
    let start = try editor.tree.current
    let change = UndoneChange(undone: try editor.selection())
    try editor.make(change)
    let (after, selection) = (Snapshot(editor.runner.state), try editor.tree.current)

    func redo() throws {
      let tree = try editor.tree
      let target = try #require(tree.redoTarget)
      try editor.make(tree.change(to: target), to: target, .redo)
    }
    #expect(try editor.tree.redoable?.number == selection)
    try redo()
    #expect(Snapshot(editor.runner.state) == before, "seed \(seed)")
    #expect(try editor.tree.current == start)
    #expect(try editor.tree.redoable == nil)

    // Taken back by undo, the selection can be redone.
    try editor.make(try editor.tree.change(to: selection), to: selection)
    #expect(Snapshot(editor.runner.state) == after, "seed \(seed)")
    try editor.make(try editor.tree.change(to: start), to: start)
    #expect(try editor.tree.redoTarget == selection)
    try redo()
    #expect(Snapshot(editor.runner.state) == after, "seed \(seed)")
    // Redo has brought back all that undo took back.
    #expect(try editor.tree.redoable == nil)

    // An edit ends it.
    try editor.edit()
    #expect(try editor.tree.redoable == nil)
  }

  @Test("the undo of everything is the empty document", arguments: seeds(20))
  func undoOfAll(seed: UInt64) throws {
    var editor = SelectiveEditor(random: SplitMix64(seed: seed))
    for _ in 0..<30 { try editor.edit() }
    try editor.make(UndoneChange(undone: editor.ordinary))
    #expect(editor.runner.state.length == 0)
    try editor.check("seed \(seed)")
  }

  /// An agent writes and deletes among what a human types.
  @Test(
    "without an agent's edits stands what the human alone would have typed", arguments: seeds(40))
  func agentsEditsAreTakenBack(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var (mixed, alone) = (ProjectionRunner([UndoHistory()]), TextState())
    // The human's units; the agent's are capitals.
    var agent = SequenceSet()
    for number in 0..<60 {
      let sequence = mixed.state.sequence + 1
      let text = mixed.state.text.units
      let place = Int.random(in: 0...text.count, using: &random)
      let isHuman = Bool.random(using: &random)
      let own = text[..<place].count { $0 >= 0x61 }
      var action = replace(
        place, 0, UTF16Text(units: [(isHuman ? 0x61 : 0x41) + UInt16(number % 26)]))
      // Each deletes text of their own only.
      if place < text.count, (text[place] >= 0x61) == isHuman, number % 3 == 0 {
        action = replace(place, 1, "")
        if isHuman { try alone.apply(replace(own, 1, "")) }
      } else if isHuman {
        try alone.apply(replace(own, 0, action.replacement ?? ""))
      }
      try mixed.apply(Edit(sequence: sequence, action: action, origin: .program))
      if !isHuman { agent.append(sequence) }
    }
    let tree = try #require(mixed[UndoHistory.self]).tree
    var state = mixed.state
    for action in try tree.actions(making: UndoneChange(undone: agent), in: state) {
      try state.apply(action)
    }
    #expect(state.text == alone.text, "seed \(seed)")
  }
}
