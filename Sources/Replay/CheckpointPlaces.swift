import EditLog
import EditModel
import TextState

/// Finds the edits after which a checkpoint is worth its cost. It needs only the lengths of edits.
struct CheckpointPlaces {
  private var sequence: SequenceNumber
  /// UTF-16 units of the text.
  private var length: Int
  private var cost = ReplayCost()
  private let sealedSequence: SequenceNumber
  private let spacing: Int

  init(after state: TextState, sealedSequence: SequenceNumber, spacing: Int) {
    (sequence, length) = (state.sequence, state.length)
    (self.sealedSequence, self.spacing) = (sealedSequence, spacing)
  }

  /// The parts of a span that are passed one by one: it is split after each link of the chain.
  static func parts(of span: EditSpan) -> [EditSpan] {
    span.parts(endingAtMultiplesOf: History.linkSize)
  }

  /// Passes a part of a span that inserts `insertedLength` units; nil if it changes only attributes.
  /// Returns true if a checkpoint after it is worth its cost.
  mutating func pass(_ span: EditSpan, inserting insertedLength: Int?) -> Bool {
    sequence = span.last
    length += (insertedLength ?? span.range.length) - span.range.length
    cost.add(editCount: span.count, unitCount: insertedLength ?? 0)
    let isLink = sequence % History.linkSize == 0
    if isLink { cost.passLink() }
    // The head at the end of the sealed part is known too: a few expensive edits get a checkpoint
    // there. `isWorth` includes the cost of hashing from the last link when it is read later.
    guard isLink || sequence == sealedSequence, cost.isWorth(length: length, spacing: spacing)
    else { return false }
    cost.passCheckpoint()
    return true
  }
}
