public import EditModel
public import TextState

/// Paragraph identity by position: the rule of the text storage that tracks paragraphs as a plain
/// list, beside `TextState`'s own rule by which identity follows content.
///
/// Identifiers are folded from the same edits and changes. Where paragraphs are comes from the
/// state, since the pieces of a text are a function of the text alone; only who they are differs.
/// The identifiers of the two rules are two sets of names: `12.0` here need not be `12.0` there.
///
/// One transaction is one processing, decided by its extent (`EditedExtent`). The paragraph that
/// holds the start of the extent in the text before is the anchor; a paragraph's start belongs to
/// it, the text's end to the last. The extent reaches over o paragraphs before and n after.
///
/// - The anchor and those behind it keep their identifiers, in order.
/// - Where o > n, the o - n paragraphs right behind the anchor are removed.
/// - Where n > o, n - o new ones are inserted behind the o that stay.
///
/// Content plays no part: deleting a whole paragraph with its terminator removes the identifier of
/// the one below. While a transaction goes on, the model is what it would be if it ended here.
/// A new paragraph is called after the transaction's first edit and its rank among the new ones.
///
/// The order, arguments and indices of the delegate's callbacks are those of the reference storage.
/// Where its list falls apart, this one does not:
///
/// - More than one paragraph before and more of them after: it inserts new paragraphs right behind
///   the anchor, out of order. Here they stand behind those that stay, so the index of `didAdd` is
///   greater; identifiers and ranges of that processing are the same.
/// - Several edits in a transaction: it counts only the last one's terminators, over the extent of
///   all. Here all are counted.
/// - Its terminators are those of two definitions that disagree. Here they are `TextState`'s: CR LF
///   is one; U+2028, U+0085, VT and FF are none. An LF that completes the CR of the paragraph
///   before makes that one the anchor.
/// - It asks for the style of a paragraph once for each attribute run in it, and styling a part of
///   a paragraph styles all of it. Here it is one question, and attributes are where they were put.
///
/// Invariant: there are as many identifiers as paragraphs in the state last applied, all different.
///
/// An edit costs a few look-ups in the state and the paragraphs that the extent grows by; where it
/// grows towards the front, the 8 bytes of each paragraph in it are moved. The first edit behind a
/// transaction that changed the number of paragraphs splices an array of 16-byte identifiers: O(n)
/// bytes moved, once. Callbacks are made where they are asked for.
public struct PositionalParagraphs: Projection {
  /// 1: the first.
  public static let version: UInt32 = 1

  /// What the transaction under way, or else the last one, has edited; nil before the first edit.
  public private(set) var extent: EditedExtent?

  /// The identifiers before that transaction. They are spliced when the next one begins.
  private(set) var settled: [ParagraphID]
  /// What that transaction does to them.
  private(set) var splice = PositionalSplice()
  /// The version last applied.
  private(set) var sequence: SequenceNumber
  private var transaction: SequenceNumber?
  private var firstEdit: SequenceNumber = 0
  /// The edit that was announced, and the paragraphs before it.
  private var announced: (edit: SequenceNumber, paragraphCount: Int) = (0, 0)

  /// A model that starts at the version `state`, with its identifiers. Of a transaction whose
  /// first edits are in `state` already, only the rest counts. O(paragraphs).
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

  /// Notes which paragraphs the edit is going to touch.
  public mutating func willApply(_ edit: Edit, to state: TextState) {
    if edit.transaction != transaction { begin(edit) }
    announced = (edit.sequence, state.paragraphCount)
    guard edit.action.replacement != nil || !splice.isEmpty else { return }
    // Attributes that were edited first are part of the extent; characters had not moved till now.
    if splice.isEmpty, let extent { splice.widen(to: extent.editedRange, in: state) }
    splice.widen(to: edit.action.range, in: state)
  }

  /// Takes in what the edit did. `willApply` must have been called for it.
  public mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {
    precondition(announced.edit == edit.sequence)
    splice.follow(
      editAt: change.range.location,
      changeInCount: state.paragraphCount - announced.paragraphCount, state)
    if extent?.append(change) == nil { extent = EditedExtent(change) }
    sequence = edit.sequence
  }

  /// Settles the transaction before, and begins that of `edit`.
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
