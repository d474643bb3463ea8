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
  var edits: [Edit] = []
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
    edits.append(edit)
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

  /// Takes the current step back as the projection says; nothing where it changed nothing.
  mutating func undo() throws {
    guard let history = runner[UndoHistory.self], let step = history.undoable else { return }
    clock += 1
    let range = step.sequences
    let actions = try UndoHistory.inverseActions(
      of: step, from: states[Int(range.lowerBound) - 1], edits: stepEdits(step))
    let first = next
    for action in actions { try append(action, .undo, in: first) }
    if !actions.isEmpty { tree.current = tree.nodes[tree.current].parent ?? 0 }
  }

  mutating func redo() throws {
    guard let history = runner[UndoHistory.self], let step = history.redoable else { return }
    clock += 1
    let first = next
    for edit in stepEdits(step) { try append(edit.action, .redo, in: first) }
    tree.current = tree.nodes[tree.current].redo ?? tree.current
  }

  func stepEdits(_ step: UndoStep) -> [Edit] {
    Array(edits[Int(step.sequences.lowerBound) - 1..<Int(step.sequences.upperBound)])
  }

  func check() throws {
    let history = try #require(runner[UndoHistory.self])
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
      switch Int.random(in: 0..<5, using: &editor.random) {
      case 0, 1: try editor.makeStep()
      case 2, 3: try editor.undo()
      default: try editor.redo()
      }
      try editor.check()
    }

    var again = ProjectionRunner([UndoHistory()])
    try again.apply(contentsOf: editor.edits.map { .edit($0) })
    let (first, second) = (editor.runner[UndoHistory.self], again[UndoHistory.self])
    #expect(first?.steps == second?.steps)
    #expect(first?.root == second?.root)
    #expect(first?.current == second?.current)
  }

  @Test func inversesWantTheStepsOwnEdits() throws {
    var editor = RandomEditor(random: SplitMix64(seed: 1))
    for text: UTF16Text in ["ab", "cd", "ef"] {
      try editor.append(replace(0, 0, text), .paste)
    }
    let step = try #require(editor.runner[UndoHistory.self]?[2])
    #expect(throws: ProjectionError.notTheStep(sequences: 2...2, editCount: 0)) {
      try UndoHistory.inverseActions(of: step, from: editor.states[1], edits: [])
    }
    #expect(throws: ProjectionError.outOfOrder(expected: 1, found: 2)) {
      try UndoHistory.inverseActions(of: step, from: editor.states[0], edits: [editor.edits[1]])
    }
    #expect(throws: ProjectionError.outOfOrder(expected: 2, found: 3)) {
      try UndoHistory.inverseActions(of: step, from: editor.states[1], edits: [editor.edits[2]])
    }
    var foreign = editor.edits[1]
    foreign.action = replace(7, 1, "")
    let outside = EditError.rangeOutsideText(range: UTF16Range(7..<8), textLength: 2)
    #expect(throws: ProjectionError.refused(sequence: 2, outside)) {
      try UndoHistory.inverseActions(of: step, from: editor.states[1], edits: [foreign])
    }
  }
}
