public import EditModel
public import TextState

/// The undo steps of a document as a tree, and where in it the document stands.
///
/// Undo is itself an edit in the log. A transaction of origin `undo` takes the current step
/// back: the document then stands at its parent. One of origin `redo` leads to the child
/// visited last. Any other edit makes a step on top of the current one, so that undoing and
/// typing on keeps the other branch.
///
/// An editor groups by rules of its own, so what it calls an undo may be none of our steps. A
/// move is believed only where the text comes out as long as at the step it leads to;
/// otherwise the transaction is a step like any other, of origin `undo` or `redo`.
///
/// Invariants: a step's number is its index in `nodes`; its parent was born before it; its
/// edits are consecutive; along the path from the root to `current`, each step is the
/// `redoChild` of its parent.
///
/// No inverses are kept: see `inverseActions(of:from:edits:)`. An edit costs O(1).
public struct UndoHistory: Projection {
  /// 1: the first.
  public static let version: UInt32 = 1

  /// The rule by which edits make steps.
  public var grouping: UndoGrouping { boundaries.grouping }
  /// The number of the step the document stands at; 0 is the root.
  public private(set) var current = 0

  private var nodes: [UndoStep]
  private var boundaries: UndoBoundaries
  private var move: Move?

  /// A history that starts at the version `state`.
  public init(grouping: UndoGrouping = UndoGrouping(), from state: TextState = TextState()) {
    boundaries = UndoBoundaries(grouping)
    nodes = [UndoStep(rootAt: state.sequence, length: state.length)]
  }

  /// The root: the version the history starts from.
  public var root: UndoStep { nodes[0] }

  /// The steps in order of birth, without the root.
  public var steps: ArraySlice<UndoStep> { nodes.dropFirst() }

  /// The step of this number, or the root; nil where there is none.
  public subscript(number: Int) -> UndoStep? {
    nodes.indices.contains(number) ? nodes[number] : nil
  }

  /// The step that undo would take back; nil at the root, and at the loaded text unless
  /// `grouping.undoesLoad`.
  public var undoable: UndoStep? {
    let step = nodes[current]
    guard step.parent != nil, step.origin != .load || grouping.undoesLoad else { return nil }
    return step
  }

  /// The step that redo would bring back: of the steps made on top of the current one, that
  /// which was visited last.
  public var redoable: UndoStep? { nodes[current].redoChild.map { nodes[$0] } }

  /// Puts the edit into a step, or follows it through the tree.
  public mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {
    let continuation = boundaries.continuation(of: edit)
    if continuation == .transaction {
      if move == nil { extendCurrent(edit, state) } else { followMove(edit, state) }
      return
    }
    let joins = move == nil && continuation == .stroke
    move = target(of: edit).map { target in
      Move(target: target, step: UndoStep(number: nodes.count, parent: current, openedBy: edit))
    }
    if move != nil {
      followMove(edit, state)
    } else if joins {
      extendCurrent(edit, state)
    } else {
      push(UndoStep(number: nodes.count, parent: current, openedBy: edit))
      extendCurrent(edit, state)
    }
  }

  /// Ends the step at a mark of this version and where the document is closed.
  public mutating func apply(_ event: HistoryEvent, _ state: TextState) {
    boundaries.note(event, at: state.sequence)
  }
}

/// A transaction of origin undo or redo under way.
private struct Move {
  /// The step it leads to.
  let target: Int
  /// What it is if it does not lead there: a step on top of the one it started from.
  var step: UndoStep
  /// True where `step` is in the tree.
  var isStep = false
  /// The redo child of the step it started from, before.
  var redoChild: Int?
}

extension UndoHistory {
  /// The step that an edit which opens a transaction leads back or on to, nil where it moves
  /// nowhere.
  private func target(of edit: Edit) -> Int? {
    switch edit.origin {
    case .undo: nodes[current].parent
    case .redo: nodes[current].redoChild
    default: nil
    }
  }

  private mutating func push(_ step: UndoStep) {
    nodes.append(step)
    nodes[current].children.append(step.number)
    nodes[current].redoChild = step.number
    current = step.number
  }

  private mutating func extendCurrent(_ edit: Edit, _ state: TextState) {
    nodes[current].append(edit, length: state.length)
  }

  /// Decides after each edit of a move whether it has arrived, so that only the last decision,
  /// at the end of the transaction, lasts.
  private mutating func followMove(_ edit: Edit, _ state: TextState) {
    guard var move, let start = move.step.parent else { return }
    move.step.append(edit, length: state.length)
    if move.isStep {
      nodes.removeLast()
      nodes[start].children.removeLast()
      nodes[start].redoChild = move.redoChild
    }
    move.isStep = state.length != nodes[move.target].lengthAfter
    if move.isStep {
      (current, move.redoChild) = (start, nodes[start].redoChild)
      push(move.step)
    } else {
      current = move.target
    }
    self.move = move
  }
}
