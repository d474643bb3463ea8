import EditModel
import Projections
import TestSupport
import Testing
import TextState

/// The tree of whole texts, built by the code that makes the edits and so knows the steps.
private struct NaiveTree {
  struct Node {
    var parent: Int?
    var children: [Int] = []
    var redo: Int?
    var snapshot: Snapshot
    var sequences: ClosedRange<SequenceNumber>
  }
  var nodes: [Node]
  var current = 0

  init(_ state: TextState) { nodes = [Node(snapshot: Snapshot(state), sequences: 0...0)] }

  mutating func push(_ sequences: ClosedRange<SequenceNumber>, _ state: TextState) {
    let number = nodes.count
    nodes[current].children.append(number)
    nodes[current].redo = number
    nodes.append(Node(parent: current, snapshot: Snapshot(state), sequences: sequences))
    current = number
  }
}

/// An editor that makes steps of every kind and goes back and forth among them.
private struct RandomEditor {
  var random: SplitMix64
  var runner = ProjectionRunner([UndoHistory()])
  var tree = NaiveTree(TextState())
  var entries: [HistoryEntry] = []
  /// The versions: index is the sequence number.
  var states = [TextState()]
  var clock = 0.0

  var length: Int { runner.state.length }
  var next: SequenceNumber { runner.state.sequence + 1 }

  mutating func append(
    _ action: EditAction, _ origin: Origin, in transaction: SequenceNumber? = nil
  ) throws {
    let edit = Edit(
      sequence: next, action: action, origin: origin, transaction: transaction,
      time: seconds(clock))
    try runner.apply(edit)
    entries.append(.edit(edit))
    states.append(runner.state)
  }

  mutating func makeStep() throws {
    clock += 6
    let first = next
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try type()
    case 1 where length > 0: try delete()
    default:
      let origin = random.pick([Origin.paste, .program, .format, .typing])
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let action = try random.action(in: length)
        try append(action, origin, in: first)
      }
    }
    // Edits that change nothing are no step.
    let versions = states[(Int(first) - 1)...].map { Snapshot($0) }
    guard versions.contains(where: { $0 != versions[0] }) else { return }
    tree.push(first...next - 1, runner.state)
  }

  private mutating func type() throws {
    var location = Int.random(in: 0...length, using: &random)
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      clock += Double.random(in: 0...5, using: &random)
      let text: UTF16Text = random.pick(["a", "é", "🙂", UTF16Text(units: [0xD83D])])
      try append(replace(location, 0, text), .typing)
      location += text.count
    }
  }

  private mutating func delete() throws {
    var location = Int.random(in: 1...length, using: &random)
    for _ in 0..<Int.random(in: 1...5, using: &random) where location > 0 {
      clock += Double.random(in: 0...5, using: &random)
      location -= 1
      try append(replace(location, 1, ""), .removal)
    }
  }

  /// Takes the current step back as the projection says.
  mutating func undo() throws {
    guard let undo = runner[UndoHistory.self]?.tree, let step = undo.undoable else { return }
    let parent = step.parent ?? 0
    try move(to: parent, undo, .undo)
    tree.current = parent
  }

  mutating func redo() throws {
    guard let undo = runner[UndoHistory.self]?.tree, let step = undo.redoable else { return }
    try move(to: step.number, undo, .redo)
    tree.current = step.number
  }

  /// Goes to any step.
  mutating func jump() throws {
    guard let undo = runner[UndoHistory.self]?.tree else { return }
    let target = Int.random(in: 0..<tree.nodes.count, using: &random)
    guard target != tree.current else { return }
    try move(to: target, undo, .undo, isAnnounced: true)
    tree.current = target
    var child = target
    while let parent = tree.nodes[child].parent {
      tree.nodes[parent].redo = child
      child = parent
    }
  }

  /// Appends the edits that lead to a step; with an event that says so, or without.
  private mutating func move(
    to target: Int, _ undo: UndoTree, _ origin: Origin, isAnnounced: Bool? = nil
  ) throws {
    clock += 1
    let change = undo.change(to: target)
    let version = tree.nodes[target].sequences.upperBound
    let actions = try undo.actions(
      making: change, in: runner.state, to: states[Int(version)])
    if isAnnounced ?? Bool.random(using: &random) {
      let event = HistoryEvent(
        kind: .undo(change, to: version), after: runner.state.sequence, time: seconds(clock))
      try runner.apply(event)
      entries.append(.event(event))
    }
    let first = next
    for action in actions { try append(action, origin, in: first) }
  }

  func check() throws {
    let history = try #require(runner[UndoHistory.self]).tree
    #expect(history.current == tree.current)
    #expect(Snapshot(runner.state) == tree.nodes[tree.current].snapshot)
    #expect(history.steps.count == tree.nodes.count - 1)
    #expect(history.redoable?.number == tree.nodes[tree.current].redo)
    #expect(history.undoable?.number == (tree.current == 0 ? nil : tree.current))
    for (number, node) in tree.nodes.enumerated() {
      let step = try #require(history[number])
      #expect((step.number, step.parent) == (number, node.parent))
      #expect(step.children == node.children)
      #expect(step.sequences == node.sequences)
      #expect(number == 0 || step.editCount == step.sequences.count)
      #expect(step.lengthAfter == node.snapshot.units.count)
    }
  }
}

@Suite struct UndoHistoryTests {
  /// Random editing, undo and redo appended as edits, against a tree of whole texts.
  @Test(arguments: UInt64(0)..<24)
  func treeAgreesWithWholeTexts(seed: UInt64) throws {
    var editor = RandomEditor(random: SplitMix64(seed: seed))
    for _ in 0..<60 {
      switch Int.random(in: 0..<6, using: &editor.random) {
      case 0, 1: try editor.makeStep()
      case 2, 3: try editor.undo()
      case 4: try editor.redo()
      default: try editor.jump()
      }
      try editor.check()
    }

    var again = ProjectionRunner([UndoHistory()])
    try again.apply(contentsOf: editor.entries)
    let (first, second) = (editor.runner[UndoHistory.self]?.tree, again[UndoHistory.self]?.tree)
    #expect(first?.steps == second?.steps)
    #expect(first?.root == second?.root)
    #expect(first?.current == second?.current)
  }

  /// A file of the tree, resumed at any place, goes on as if there had been no file.
  @Test(arguments: UInt64(0)..<8)
  func storedTreesGoOn(seed: UInt64) throws {
    var editor = RandomEditor(random: SplitMix64(seed: seed))
    for _ in 0..<30 {
      switch Int.random(in: 0..<4, using: &editor.random) {
      case 0, 1: try editor.makeStep()
      case 2: try editor.undo()
      default: try editor.jump()
      }
    }
    let whole = try #require(editor.runner[UndoHistory.self]).storedBytes
    var runner = ProjectionRunner([UndoHistory()])
    for entry in editor.entries {
      try runner.apply(entry)
      guard Int.random(in: 0..<9, using: &editor.random) == 0 else { continue }
      let stored = try UndoHistory(storedBytes: #require(runner[UndoHistory.self]).storedBytes)
      #expect(stored.fits(runner.state))
      runner = ProjectionRunner(from: runner.state, [stored])
    }
    #expect(try #require(runner[UndoHistory.self]).storedBytes == whole, "seed \(seed)")
  }

  /// An edit of origin `undo` that removes something else, as the next undo showed it once.
  @Test func anUndoOfSomethingElseNeverMakesAWrongText() throws {
    var editor = RandomEditor(random: SplitMix64(seed: 1))
    try editor.append(replace(0, 0, "abc"), .paste)
    try editor.append(replace(3, 0, "d"), .paste)
    try editor.append(replace(4, 0, "e"), .paste)
    try editor.append(replace(0, 1, ""), .undo)
    let tree = try #require(editor.runner[UndoHistory.self]).tree
    #expect(tree.current == 4)
    let actions = try tree.actions(
      making: tree.change(to: 3), in: editor.runner.state, to: editor.states[3])
    var state = editor.runner.state
    for action in actions { try state.apply(action) }
    #expect(state.text == "abcde")
    // An event that says something else than the edits do is not believed.
    try editor.runner.apply(
      HistoryEvent(
        kind: .undo(UndoneChange(undone: SequenceSet(2...2)), to: 1), after: 4, time: seconds(9)))
    try editor.append(replace(0, 1, ""), .undo)
    #expect(try #require(editor.runner[UndoHistory.self]).tree.current == 5)
    #expect(try #require(editor.runner[UndoHistory.self]).tree.provenance.undone.isEmpty)
  }

  @Test func anotherVersionIsRefused() throws {
    var editor = RandomEditor(random: SplitMix64(seed: 1))
    for text: UTF16Text in ["ab", "cd", "ef"] { try editor.append(replace(0, 0, text), .paste) }
    let tree = try #require(editor.runner[UndoHistory.self]).tree
    let change = tree.change(to: 2)
    #expect(throws: UndoError.otherText(of: 1, expected: 6, found: 2)) {
      try tree.actions(making: change, in: editor.states[1])
    }
    #expect(throws: UndoError.otherText(of: 1, expected: 2, found: 4)) {
      try tree.actions(making: change, in: editor.runner.state, to: editor.states[1])
    }
  }

  /// A mark inside the transaction of an undo ends the undo; the rest of the transaction is a step.
  @Test func aMarkInsideAnUndoLeavesStepsApart() throws {
    var runner = ProjectionRunner([UndoHistory()])
    func edit(_ action: EditAction, _ origin: Origin, in transaction: SequenceNumber? = nil) throws
    {
      let sequence = runner.state.sequence + 1
      try runner.apply(
        Edit(sequence: sequence, action: action, origin: origin, transaction: transaction))
    }
    try edit(replace(0, 0, "one"), .paste)
    try edit(replace(3, 0, "two"), .paste)
    try edit(replace(3, 3, ""), .undo)
    try runner.apply(
      HistoryEvent(kind: .mark(label: "here", at: 3), after: 3, time: Timestamp(nanoseconds: 0)))
    try edit(replace(3, 0, "!"), .undo, in: 3)
    let history = try #require(runner[UndoHistory.self])
    #expect(history.tree.steps.map(\.sequences) == [1...1, 2...2, 4...4])
    #expect(history.tree.undoable?.number == 3)
    #expect(try UndoHistory(storedBytes: history.storedBytes).tree.steps == history.tree.steps)
  }
}
