public import EditModel
public import TextState

/// Paragraph identity by position: the rule of the reference storage, which tracks paragraphs as a
/// plain list. `TextState` uses another rule: identity follows content.
///
/// Identifiers are folded from the same edits and changes. The ranges of paragraphs are read from
/// the state, because they depend only on the text; only the identifiers differ. The two rules have
/// separate sets of identifiers: `12.0` of one need not be `12.0` of the other.
///
/// A transaction is processed as one, by its extent (`EditedExtent`). The anchor is the paragraph
/// at the start of the extent in the text before; a paragraph's start belongs to it, and the text's
/// end to the last paragraph. The extent covers o paragraphs before and n after the transaction.
///
/// - The anchor and the paragraphs after it keep their identifiers, in order.
/// - If o > n, the o - n paragraphs just after the anchor are removed.
/// - If n > o, n - o new paragraphs are inserted after the o that stay.
///
/// Content is not considered: deleting a whole paragraph with its terminator removes the identifier
/// of the next one. During a transaction, the model is as if the transaction ended with the last
/// edit. The identifier of a new paragraph is the number of the transaction's first edit and its
/// rank among the new ones.
///
/// The order, arguments and indices of the delegate's callbacks are those of the reference storage.
/// Defects by which its list becomes inconsistent are not reproduced:
///
/// - More than one paragraph before and more of them after: it inserts new paragraphs just after
///   the anchor, out of order. Here they come after those that stay, so the index of `didAdd` is
///   greater; identifiers and ranges of that processing are the same.
/// - Several edits in a transaction: it counts only the last one's terminators, over the extent of
///   all. Here all are counted.
/// - It uses two definitions of terminators that disagree. Here they are those of `TextState`: CR
///   LF is one terminator; U+2028, U+0085, VT and FF are not terminators. If an LF completes the CR
///   of the paragraph before, that one is the anchor.
/// - It asks for the style of a paragraph once for each attribute run in it, and styling a part of
///   a paragraph styles all of it. Here there is one question, and attributes stay in their ranges.
///
/// Invariant: there are as many identifiers as paragraphs in the state last applied, all different.
///
/// An edit costs a few look-ups in the state and the paragraphs by which the extent grows. If it
/// grows towards the front, the 8 bytes of each paragraph in it are moved. The first edit after a
/// transaction that changed the number of paragraphs splices an array of 16-byte identifiers: it
/// moves O(n) bytes once. Callbacks are made on request.
public struct PositionalParagraphs: Projection {
  /// 1: the first.
  public static let version: UInt32 = 1

  /// The extent of the current or last transaction; nil before the first edit.
  public private(set) var extent: EditedExtent?

  /// The identifiers before that transaction. They are updated when the next one begins.
  private(set) var settled: [ParagraphID]
  /// The change of these identifiers by that transaction.
  private(set) var splice = PositionalSplice()
  /// The version last applied.
  private(set) var sequence: SequenceNumber
  private var transaction: SequenceNumber?
  private var firstEdit: SequenceNumber = 0
  /// The edit that was announced, and the paragraphs before it.
  private var announced: (edit: SequenceNumber, paragraphCount: Int) = (0, 0)

  /// A model that starts at the version `state`, with its identifiers. If the first edits of a
  /// transaction are in `state` already, only the others count. O(paragraphs).
  public init(from state: TextState = TextState()) {
    (settled, sequence) = ([], state.sequence)
    settled.reserveCapacity(state.paragraphCount)
    for paragraph in state.paragraphs { settled.append(paragraph.id) }
  }

  /// Paragraphs in the version last applied.
  public var count: Int { settled.count + splice.addedCount - splice.removedCount }

  /// The identifier of the paragraph at `index`, which must be less than `count`. O(1).
  public subscript(index: Int) -> ParagraphID {
    precondition(index >= 0 && index < count)
    let rank = index - splice.seam
    if rank < 0 { return settled[index] }
    if rank < splice.addedCount { return newID(rank) }
    return settled[index - splice.addedCount + splice.removedCount]
  }

  /// All identifiers in document order. O(n).
  public var ids: [ParagraphID] { (0..<count).map { self[$0] } }

  /// All paragraphs in document order; `state` is the version last applied. O(n).
  public func paragraphs(in state: TextState) -> [ParagraphDescriptor] {
    precondition(state.sequence == sequence)
    let ranges = state.paragraphRanges(at: 0..<count)
    return zip(ids, ranges).map { ParagraphDescriptor(id: $0, range: $1) }
  }

  /// Records the paragraphs that the edit will touch.
  public mutating func willApply(_ edit: Edit, to state: TextState) {
    if edit.transaction != transaction { begin(edit) }
    announced = (edit.sequence, state.paragraphCount)
    guard edit.action.replacement != nil || !splice.isEmpty else { return }
    // Attributes that were edited before are part of the extent. No characters have moved before
    // this edit.
    if splice.isEmpty, let extent { splice.widen(to: extent.editedRange, in: state) }
    splice.widen(to: edit.action.range, in: state)
  }

  /// Records the edit's change. `willApply` must have been called for it.
  public mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {
    precondition(announced.edit == edit.sequence)
    splice.follow(
      editAt: change.range.location,
      changeInCount: state.paragraphCount - announced.paragraphCount, state)
    if extent?.append(change) == nil { extent = EditedExtent(change) }
    sequence = edit.sequence
  }

  /// Ends the transaction before, and begins that of `edit`.
  private mutating func begin(_ edit: Edit) {
    settled.replaceSubrange(
      splice.seam..<splice.seam + splice.removedCount,
      with: (0..<splice.addedCount).map(newID))
    splice.removeAll()
    (extent, transaction, firstEdit) = (nil, edit.transaction, edit.sequence)
  }

  /// The identifier of the transaction's `rank`-th new paragraph.
  private func newID(_ rank: Int) -> ParagraphID {
    ParagraphID(sequence: firstEdit, ordinal: UInt32(truncatingIfNeeded: rank))
  }
}
