public import EditModel

/// The edits that one undo takes back, and their place in the tree of steps.
public struct UndoStep: Hashable, Sendable {
  /// Its number, in order of creation: 1, 2, 3, …; 0 is the root, the version that the history
  /// starts from.
  public internal(set) var number: Int
  /// The step before it; nil for the root.
  public let parent: Int?
  /// The steps after it, in order of creation.
  public internal(set) var children: [Int] = []
  /// The sequence numbers of its edits, without gaps. The root's are those of its version.
  public internal(set) var sequences: ClosedRange<SequenceNumber>
  /// The number of its edits.
  public internal(set) var editCount = 0
  /// UTF-16 units that its edits inserted, counted edit by edit.
  public internal(set) var insertedUnits = 0
  /// UTF-16 units that its edits removed, counted edit by edit.
  public internal(set) var deletedUnits = 0
  /// The origin of its first edit; nil for the root.
  public let origin: Origin?
  /// The author of its first edit, if known.
  public let author: String?
  /// The time of its first edit; nil for the root.
  public let firstTime: Timestamp?
  /// The time of its last edit; nil for the root.
  public internal(set) var lastTime: Timestamp?
  /// UTF-16 units of the text after it.
  public internal(set) var lengthAfter: Int
  /// What it takes back and brings back, if it is an undo of a selection that leads to no other step.
  public let selection: UndoneChange?
  /// The child that redo leads to: the one visited last.
  var redoChild: Int?

  /// What it changes in the set of undone edits when it is brought back.
  var change: UndoneChange {
    // The root is never taken back.
    parent == nil ? UndoneChange() : selection ?? UndoneChange(redone: SequenceSet(sequences))
  }

  /// The root: a history that starts at this version.
  init(rootAt sequence: SequenceNumber, length: Int) {
    (number, parent, sequences, lengthAfter) = (0, nil, sequence...sequence, length)
    (origin, author, firstTime, selection) = (nil, nil, nil, nil)
  }

  /// A step of no edits yet, which `edit` opens.
  init(number: Int, parent: Int, openedBy edit: Edit, selection: UndoneChange? = nil) {
    self.selection = selection
    (self.number, self.parent, lengthAfter) = (number, parent, 0)
    sequences = edit.sequence...edit.sequence
    (origin, author, firstTime) = (edit.origin, edit.author, edit.time)
  }

  /// Adds the next edit, after which the text has `length` UTF-16 units.
  mutating func append(_ edit: Edit, length: Int) {
    sequences = min(sequences.lowerBound, edit.sequence)...edit.sequence
    editCount += 1
    if let replacement = edit.action.replacement {
      insertedUnits += replacement.count
      deletedUnits += edit.action.range.length
    }
    (lastTime, lengthAfter) = (edit.time, length)
  }

  /// Takes in the edits before its first one, which change nothing. It has no edits yet.
  mutating func begin(with edits: ClosedRange<SequenceNumber>) {
    sequences = edits.lowerBound...sequences.upperBound
    editCount += edits.count
  }

  /// Takes in the next step, which is its last child and has none.
  mutating func join(_ step: UndoStep) {
    sequences = sequences.lowerBound...step.sequences.upperBound
    editCount += step.editCount
    insertedUnits += step.insertedUnits
    deletedUnits += step.deletedUnits
    (lastTime, lengthAfter) = (step.lastTime, step.lengthAfter)
    children.removeLast()
    redoChild = children.last
  }
}
