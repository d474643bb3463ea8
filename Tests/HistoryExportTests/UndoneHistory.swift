import EditModel
import Projections
import TestSupport
import TextState

/// A seeded history of typing, deletions, lines that are cut and pasted, undo, redo, and jumps in the tree.
/// Few different units, so that equal text stands side by side.
struct UndoneHistory {
  private(set) var entries: [HistoryEntry] = []
  /// The last edits of the transactions.
  private(set) var ends: Set<SequenceNumber> = []
  private var runner = ProjectionRunner([UndoHistory()])
  private var random: SplitMix64
  private var cut: UTF16Text = "one line of some length\n"

  init(seed: UInt64, actionCount: Int) throws {
    random = SplitMix64(seed: seed)
    for _ in 0..<actionCount { try act() }
  }

  private mutating func act() throws {
    let length = runner.state.length
    let location = Int.random(in: 0...length, using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0...3:
      for offset in 0..<Int.random(in: 1...5, using: &random) {
        let text: UTF16Text = ["a", "b", "\n", "aa", "ab\n"].randomElement(using: &random) ?? "a"
        try add(
          [EditAction(replacing: UTF16Range(location + offset..<location + offset), with: text)],
          .typing)
      }
    case 4, 5:
      let end = Int.random(in: location...length, using: &random)
      cut = runner.state.text(in: UTF16Range(location..<end))
      try add([EditAction(replacing: UTF16Range(location..<end), with: "")], .removal)
    case 6:
      try add([EditAction(replacing: UTF16Range(location..<location), with: cut)], .paste)
    default: try undo()
    }
  }

  private mutating func undo() throws {
    guard let tree = runner[UndoHistory.self]?.tree, !tree.steps.isEmpty else { return }
    let isUndo = Bool.random(using: &random)
    var target = isUndo ? tree.undoable?.parent : tree.redoTarget
    let jumps = Int.random(in: 0..<3, using: &random) == 0
    if jumps { target = Int.random(in: 0...tree.steps.count, using: &random) }
    guard let target, target != tree.current else { return }
    let change = tree.change(to: target)
    let version = tree[target]?.sequences.upperBound ?? 0
    guard let actions = try? tree.actions(making: change, in: runner.state), !actions.isEmpty
    else { return }
    if jumps {
      let event = HistoryEvent(
        kind: .undo(change, to: version), after: runner.state.sequence, time: time)
      try runner.apply(event)
      entries.append(.event(event))
    }
    try add(actions, isUndo ? .undo : .redo)
  }

  private var time: Timestamp {
    Timestamp(nanoseconds: Int64(runner.state.sequence) * 400_000_000)
  }

  /// Adds a transaction.
  private mutating func add(_ actions: [EditAction], _ origin: Origin) throws {
    let transaction = runner.state.sequence + 1
    for action in actions {
      let edit = Edit(
        sequence: runner.state.sequence + 1, action: action, origin: origin,
        transaction: transaction, time: time)
      try runner.apply(edit)
      entries.append(.edit(edit))
    }
    ends.insert(runner.state.sequence)
  }
}
