public import EditModel
public import TextState

/// The undo steps of a document as a tree, and the current step.
///
/// Undo is itself an edit in the log. A transaction that takes the current step back makes its parent
/// the current step; one that brings a step back moves to that step. Any other edit makes a child of
/// the current step, so that typing after an undo keeps the other branch.
///
/// A transaction is an undo or a redo if it says so, and if it does exactly that to the text:
///
/// - an event before it names the edits that it takes back and brings back (`HistoryEvent.Kind.undo`);
///   or its origin is `undo`, which means the current step, or `redo`, which means the child visited
///   last, or else the selection that the current step took back;
/// - the text after it is what the text would be without the edits that are undone then
///   (`Provenance`).
///
/// Otherwise it is a step like any other, of origin `undo` or `redo`. So an editor that groups edits by
/// its own rules never makes the tree wrong.
///
/// An undo of a selection, which leads to no step, is a step of its own. To undo it brings the selection
/// back; so does redo, if it was the last transaction.
///
/// No inverses are stored. An edit costs O(1), and what `Provenance` says. A transaction of origin
/// `undo` or `redo` is kept until it has ended. One of very many edits at places without order, which
/// would take too many steps to check, is a step like any other.
public struct UndoHistory: Projection {
  /// 8: text typed over a selection begins a step, unless an input method composes.
  public static let version: UInt32 = 8

  /// The rule by which edits make steps.
  public var grouping: UndoGrouping { decided.grouping }

  /// The tree after the last edit. O(1), or the cost of the last transaction if it is an undo or a
  /// redo.
  public var tree: UndoTree {
    var copy = self
    copy.decide()
    return copy.decided
  }

  /// The tree without the last transaction, if that may be an undo or a redo.
  package var decided: UndoTree
  var pending: PendingUndo?
  /// The change that the next transaction makes, as an event says.
  var announced: AnnouncedUndo?

  /// A history that starts at the version `state`.
  public init(grouping: UndoGrouping = UndoGrouping(), from state: TextState = TextState()) {
    decided = UndoTree(
      root: UndoStep(rootAt: state.sequence, length: state.length), UndoBoundaries(grouping),
      Provenance(of: state))
  }

  /// Adds the edit to a step, or to the undo or redo of which it is a part.
  public mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {
    if let transaction = pending?.edits.first?.edit.transaction {
      if edit.transaction == transaction {
        pending?.append(PlacedEdit(edit, change, state, notesInserted: true), state)
        return
      }
      decide()
    }
    if edit.transaction == edit.sequence,
      announced != nil || edit.origin == .undo || edit.origin == .redo
    {
      pending = PendingUndo(announced: announced)
      pending?.append(PlacedEdit(edit, change, state, notesInserted: true), state)
    } else {
      decided.append(PlacedEdit(edit, change, state))
    }
    announced = nil
  }

  /// Notes what the next transaction does; ends the step at a mark of this version, and when the
  /// document is closed.
  public mutating func apply(_ event: HistoryEvent, _ state: TextState) {
    if case .undo(let change, let target) = event.kind {
      announced = AnnouncedUndo(change: change, target: target)
      return
    }
    decide()
    decided.boundaries.note(event, at: state.sequence)
  }

  /// Decides whether the last transaction is an undo or a redo. It gets no more edits.
  mutating func decide() {
    guard let undo = pending.take() else { return }
    if let (change, target) = undo.move(in: decided) {
      let replacements = EditComposition.replacements(of: undo.edits.map(\.edit.action))
      if let replacements, decided.realise(change, by: replacements, undo, to: target) {
        return decided.follow(undo.edits, change, to: target)
      }
    }
    for placed in undo.edits { decided.append(placed) }
  }
}

/// What an event says of the next transaction.
struct AnnouncedUndo: Hashable, Sendable {
  var change: UndoneChange
  /// The version whose text it leads to.
  var target: SequenceNumber?
}

/// A transaction that may be an undo or a redo.
struct PendingUndo: Sendable {
  /// What an event says of it.
  var announced: AnnouncedUndo?
  /// Its edits so far, at least one.
  var edits: [PlacedEdit] = []
  /// The version after its last edit. Nil if that was read from a store.
  private var state: TextState?
  /// Those of the paragraphs that this version has, if it was read from a store.
  var storedPlaces: [ParagraphDescriptor] = []

  init(announced: AnnouncedUndo?) { self.announced = announced }

  mutating func append(_ placed: PlacedEdit, _ state: TextState) {
    edits.append(placed)
    self.state = state
  }

  /// The paragraphs that it made, and that are in the version after its last edit. O(their number · log
  /// n).
  var places: [ParagraphDescriptor] {
    guard let state else { return storedPlaces }
    return edits.flatMap(\.inserted).compactMap { state.paragraph($0)?.descriptor }
  }

  /// What it does if it is an undo or a redo, and the step that it leads to, if there is one. Nil if
  /// it says of itself nothing that could be.
  func move(in tree: UndoTree) -> (change: UndoneChange, target: Int?)? {
    guard let first = edits.first?.edit else { return nil }
    guard let announced else {
      let target = first.origin == .undo ? tree.nodes[tree.current].parent : tree.redoTarget
      return target.map { (tree.change(to: $0), $0) }
    }
    let (change, undone) = (announced.change, tree.provenance.undone)
    guard change.undone.intersection(undone).isEmpty,
      change.redone.subtracting(undone).isEmpty,
      change.undone.ranges.last.map({ $0.upperBound < first.sequence }) ?? true
    else { return nil }
    let target = announced.target.flatMap { tree.step(endingAt: $0)?.number }
    return (change, target.flatMap { tree.change(to: $0) == change ? $0 : nil })
  }
}
