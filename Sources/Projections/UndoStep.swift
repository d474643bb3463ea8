public import EditModel

/// What one undo takes back: a run of edits, and its place in the tree of steps.
public struct UndoStep: Hashable, Sendable {
  /// Which step, by birth: 1, 2, 3, …; 0 is the root, the version the history starts from.
  public internal(set) var number: Int
  /// The step it was made on top of; nil for the root.
  public let parent: Int?
  /// Steps made on top of it, in order of birth.
  public internal(set) var children: [Int] = []
  /// The sequence numbers of its edits, without gaps. The root's are those of its version.
  public internal(set) var sequences: ClosedRange<SequenceNumber>
  /// Edits in it.
  public internal(set) var editCount = 0
  /// UTF-16 units its edits brought, counted edit by edit.
  public internal(set) var insertedUnits = 0
  /// UTF-16 units its edits took away, counted edit by edit.
  public internal(set) var deletedUnits = 0
  /// Where its first edit comes from; nil for the root.
  public let origin: Origin?
  /// Who made its first edit, where known.
  public let author: String?
  /// When its first edit happened; nil for the root.
  public let firstTime: Timestamp?
  /// When its last edit happened; nil for the root.
  public internal(set) var lastTime: Timestamp?
  /// UTF-16 units of the text after it.
  public internal(set) var lengthAfter: Int
  /// The child that redo leads to: the one visited last.
  var redoChild: Int?

  /// The root: a history that starts at this version.
  init(rootAt sequence: SequenceNumber, length: Int) {
    (number, parent, sequences, lengthAfter) = (0, nil, sequence...sequence, length)
    (origin, author, firstTime) = (nil, nil, nil)
  }

  /// A step of no edits yet, which `edit` opens.
  init(number: Int, parent: Int, openedBy edit: Edit) {
    (self.number, self.parent, lengthAfter) = (number, parent, 0)
    sequences = edit.sequence...edit.sequence
    (origin, author, firstTime) = (edit.origin, edit.author, edit.time)
  }

  /// Takes in the next edit, which left a text of `length` UTF-16 units.
  mutating func append(_ edit: Edit, length: Int) {
    sequences = sequences.lowerBound...edit.sequence
    editCount += 1
    if let replacement = edit.action.replacement {
      insertedUnits += replacement.count
      deletedUnits += edit.action.range.length
    }
    (lastTime, lengthAfter) = (edit.time, length)
  }
}
