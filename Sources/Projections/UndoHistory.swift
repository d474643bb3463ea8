public import EditModel
public import TextState

/// The undo steps of a document as a tree, and the current step.
///
/// Undo is itself an edit in the log. A transaction of origin `undo` takes the current step back:
/// its parent becomes the current step. One of origin `redo` moves to the child visited last. Any
/// other edit makes a child of the current step, so that typing after an undo keeps the other
/// branch.
///
/// An editor groups edits by its own rules, so its undo may differ from the steps here. A
/// transaction is accepted as a move only if the text then has the same length as at the target
/// step. Otherwise it is a step like any other, of origin `undo` or `redo`.
///
/// Invariants: a step's number is its index in `nodes`; its parent was created before it; its edits
/// are consecutive; along the path from the root to `current`, each step is the `redoChild` of its
/// parent.
///
/// No inverses are stored; see `inverseActions(of:from:edits:)`. An edit costs O(1).
public struct UndoHistory: Projection {
  /// 1: the first.
  public static let version: UInt32 = 1

  /// The rule by which edits make steps.
  public var grouping: UndoGrouping { boundaries.grouping }
  /// The number of the current step; 0 is the root.
  public internal(set) var current = 0

  var nodes: [UndoStep]
  var boundaries: UndoBoundaries
  var move: UndoMove?

  /// A history that starts at the version `state`.
  public init(grouping: UndoGrouping = UndoGrouping(), from state: TextState = TextState()) {
    boundaries = UndoBoundaries(grouping)
    nodes = [UndoStep(rootAt: state.sequence, length: state.length)]
  }

  /// The root: the version that the history starts from.
  public var root: UndoStep { nodes[0] }

  /// The steps in order of creation, without the root.
  public var steps: ArraySlice<UndoStep> { nodes.dropFirst() }

  /// The step of this number, or the root; nil if there is none.
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

  /// The step that redo would bring back: the child of the current step that was visited last.
  public var redoable: UndoStep? { nodes[current].redoChild.map { nodes[$0] } }

  /// Adds the edit to a step, or moves the current step if it is an undo or redo.
  public mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {
    let continuation = boundaries.continuation(of: edit)
    if continuation == .transaction {
      if move == nil { extendCurrent(edit, state) } else { followMove(edit, state) }
      return
    }
    let joins = move == nil && continuation == .stroke
    move = target(of: edit).map { target in
      UndoMove(target: target, step: UndoStep(number: nodes.count, parent: current, openedBy: edit))
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

  /// Ends the step at a mark of this version, and when the document is closed.
  public mutating func apply(_ event: HistoryEvent, _ state: TextState) {
    boundaries.note(event, at: state.sequence)
  }
}

/// A transaction of origin undo or redo that has not ended.
struct UndoMove {
  /// The step it moves to.
  let target: Int
  /// The step that it makes if it does not reach the target: a child of the step it started from.
  var step: UndoStep
  /// True if `step` is in the tree.
  var isStep = false
  /// The redo child that the step it started from had before.
  var redoChild: Int?
}

extension UndoHistory {
  /// The step that an edit which opens a transaction leads back or on to; nil if it moves
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

  /// Decides after each edit of a move whether it has reached its target. The decision after the
  /// last edit of the transaction is final.
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
