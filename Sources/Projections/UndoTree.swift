public import EditModel

/// The undo steps of a version, as a tree, the current step, and the units that undo and redo make
/// visible and dead.
///
/// Invariants: a step's number is its index in `nodes`; its parent was created before it; its edits are
/// consecutive; along the path from the root to `current`, each step is the `redoChild` of its parent;
/// the edits that are undone are those of all steps that are not on this path, with what the steps on
/// the path that are undos of a selection take back.
public struct UndoTree: Sendable {
  /// The number of the current step; 0 is the root.
  public internal(set) var current = 0
  /// The units that ever existed, and the undone edits.
  public internal(set) var provenance: Provenance

  var nodes: [UndoStep]
  var boundaries: UndoBoundaries
  var revivals = ParagraphRevivals()
  /// The last edits, if they change nothing and begin no step: they belong to the step of an edit of the same
  /// transaction that does change something.
  var skipped: ClosedRange<SequenceNumber>?

  init(root: UndoStep, _ boundaries: UndoBoundaries, _ provenance: Provenance) {
    (nodes, self.boundaries, self.provenance) = ([root], boundaries, provenance)
  }

  /// The rule by which edits make steps.
  public var grouping: UndoGrouping { boundaries.grouping }

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
  public var undoable: UndoStep? { undoable(at: current) }

  /// The step that undo would take back if the step `number` were the current one; nil as for `undoable`.
  package func undoable(at number: Int) -> UndoStep? {
    guard let step = self[number], step.parent != nil,
      step.origin != .load || grouping.undoesLoad
    else { return nil }
    return step
  }

  /// The step after `number` that redo brings back: the child visited last. Nil if there is none.
  package func redoable(at number: Int) -> UndoStep? {
    self[number]?.redoChild.flatMap { self[$0] }
  }

  /// The step that redo is about: the child of the current step that was visited last, which redo brings
  /// back. If there is none, and the last transaction is the undo of a selection, the step of that: redo
  /// brings back what it took back. A step that redo itself led to is not taken back.
  public var redoable: UndoStep? {
    let step = nodes[current]
    if let child = step.redoChild { return nodes[child] }
    let isNew = boundaries.transaction == step.sequences.lowerBound
    return step.selection != nil && isNew ? step : nil
  }

  /// The step to which redo leads; nil if there is nothing to redo.
  public var redoTarget: Int? { redoable.flatMap { $0.number == current ? $0.parent : $0.number } }

  /// The steps from the root to the current one, without the root. O(steps).
  public var path: [UndoStep] {
    var (path, at): ([UndoStep], Int) = ([], current)
    while let parent = nodes[at].parent {
      path.append(nodes[at])
      at = parent
    }
    return path.reversed()
  }

  /// The edits that realise no undo or redo: those that can be taken back. O(steps).
  public var ordinaryEdits: SequenceSet {
    var edits = SequenceSet()
    for step in steps where step.selection == nil { edits.append(step.sequences) }
    return edits
  }

  /// The removed paragraph that an undo or a redo brought back as this one; nil if there is none. O(1).
  public func revivalSource(of id: ParagraphID) -> ParagraphID? { revivals.sources[id]?.id }

  /// The paragraph as which an undo or a redo brought a removed one back; nil if there is none. O(1).
  public func revival(of id: ParagraphID) -> ParagraphID? { revivals.successors[id] }

  /// The change that leads to a step along the tree: it takes back the steps up to the one that both
  /// have in common, and brings back those down to it. Nothing if there is no such step. O(steps between
  /// them).
  public func change(to target: Int) -> UndoneChange {
    guard nodes.indices.contains(target) else { return UndoneChange() }
    var (change, up, down) = (UndoneChange(), current, target)
    var entered: [Int] = []
    // A step's parent was created before it.
    while up != down {
      if up > down {
        change = change.followed(by: nodes[up].change.inverse)
        up = nodes[up].parent ?? 0
      } else {
        entered.append(down)
        down = nodes[down].parent ?? 0
      }
    }
    for number in entered.reversed() { change = change.followed(by: nodes[number].change) }
    return change.effective(before: provenance.undone)
  }

  /// The step after whose last edit the text was that of this version; nil if there is none. O(log
  /// steps).
  public func step(endingAt sequence: SequenceNumber) -> UndoStep? {
    let index = nodes.partitionPoint { $0.sequences.upperBound < sequence }
    return index < nodes.count && nodes[index].sequences.upperBound == sequence ? nodes[index] : nil
  }
}

extension UndoTree {
  /// Adds an edit that realises no undo to a step. One that changes nothing makes no step.
  mutating func append(_ placed: PlacedEdit) {
    let edit = placed.edit
    // An event may end an undo before its last edit, which then does not belong to the step that the undo
    // led to.
    let follows = current > 0 && nodes[current].sequences.upperBound + 1 == edit.sequence
    switch boundaries.continuation(of: edit) {
    case .transaction where follows, .stroke where follows: break
    case .correction(let first) where follows: joinCorrection(from: first)
    default:
      guard placed.changesText else { return skip(edit) }
      push(UndoStep(number: nodes.count, parent: current, openedBy: edit))
      if let skipped, skipped.lowerBound >= edit.transaction,
        skipped.upperBound + 1 == edit.sequence
      {
        nodes[current].begin(with: skipped)
      }
    }
    skipped = nil
    nodes[current].append(edit, length: placed.lengthAfter)
    for descriptor in placed.removed {
      let grave = ParagraphRevivals.Grave(id: descriptor.id, death: edit.sequence)
      revivals.bury(grave, provenance.bounds(of: descriptor.range))
    }
    // Equal text that replaces text is not new: the units stay, with their writers.
    if placed.changesText { provenance.apply(edit, newRuns: placed.newRuns) }
  }

  /// Notes an edit that changes nothing.
  private mutating func skip(_ edit: Edit) {
    if let skipped, skipped.lowerBound >= edit.transaction,
      skipped.upperBound + 1 == edit.sequence
    {
      self.skipped = skipped.lowerBound...edit.sequence
    } else {
      skipped = edit.sequence...edit.sequence
    }
  }

  /// Makes the current step, which began with the edit `first`, part of the step before it.
  private mutating func joinCorrection(from first: SequenceNumber) {
    guard let correction = nodes.last, let parent = correction.parent, parent > 0,
      correction.number == current, correction.sequences.lowerBound == first,
      nodes[parent].sequences.upperBound + 1 == first
    else { return }
    nodes.removeLast()
    nodes[parent].join(correction)
    current = parent
  }

  /// Makes a change of the undone edits, if the transaction does the same to the text, and links the
  /// paragraphs that it brings back to the removed ones. `target` is the step that it leads to, if there is
  /// one. Returns false if it does something else.
  mutating func realise(
    _ change: UndoneChange, by replacements: [TextReplacement], _ transaction: PendingUndo,
    to target: Int?
  ) -> Bool {
    let removed = transaction.edits.removedParagraphs.map { ($0.grave, provenance.bounds(of: $0)) }
    let first = transaction.edits.first?.edit.sequence ?? 0
    guard provenance.realise(change, by: replacements, first: first) else { return false }
    for (grave, bounds) in removed { revivals.bury(grave, bounds) }
    let version = target.map { nodes[$0].sequences.upperBound }
    for place in transaction.places {
      revivals.bear(place.id, provenance.bounds(of: place.range), to: version)
    }
    return true
  }

  /// Goes to the step that a transaction leads to, or makes a step of it: the undo of a selection.
  mutating func follow(
    _ transaction: [PlacedEdit], _ change: UndoneChange, to target: Int?
  ) {
    for placed in transaction { _ = boundaries.continuation(of: placed.edit) }
    guard let first = transaction.first?.edit else { return }
    if let target {
      let isRedone = first.origin == .redo && target < current
      move(to: target)
      // Redo brought a selection back: redo again must not take it back.
      if isRedone { nodes[target].redoChild = nil }
      return
    }
    push(UndoStep(number: nodes.count, parent: current, openedBy: first, selection: change))
    for placed in transaction { nodes[current].append(placed.edit, length: placed.lengthAfter) }
  }

  /// Makes a step the current one, and those on its path the ones that redo leads to.
  private mutating func move(to target: Int) {
    var (up, down) = (current, target)
    while up != down {
      if up > down {
        up = nodes[up].parent ?? 0
      } else {
        let parent = nodes[down].parent ?? 0
        nodes[parent].redoChild = down
        down = parent
      }
    }
    current = target
  }

  private mutating func push(_ step: UndoStep) {
    nodes.append(step)
    nodes[current].children.append(step.number)
    nodes[current].redoChild = step.number
    current = step.number
  }
}
