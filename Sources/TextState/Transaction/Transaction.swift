import EditModel

/// A group of edits between `beginEditing` and `endEditing`: it takes in the change of each, and
/// says at the end what they come to.
///
/// ```swift
/// var transaction = Transaction(before: state)
/// transaction.append(try state.apply(first))
/// transaction.append(try state.apply(second))
/// let change = transaction.change(to: state)
/// ```
///
/// `TextState.apply(contentsOf:)` does just that. The version before is kept, as a copy that shares
/// its memory, until the transaction goes.
public struct Transaction: Sendable {
  /// The version before the first edit.
  public let before: TextState
  /// The extent of the edits so far; nil if there was none.
  public private(set) var extent: EditedExtent?
  /// The edits so far.
  public private(set) var editCount = 0
  /// Paragraphs that had an event. Nil after a large removal: it is cheaper then to compare the two
  /// versions than to look each paragraph up.
  private(set) var touched: Set<ParagraphID>? = []
  private var lineage = ParagraphLineage()

  /// A group without edits, on top of `before`.
  public init(before: TextState) { self.before = before }

  /// Takes in the next edit. The changes must come in the order in which the edits were applied,
  /// the first to `before`. O(paragraphs put in or edited), however many were removed.
  public mutating func append(_ change: Change) {
    if extent?.append(change) == nil { extent = EditedExtent(change) }
    editCount += 1
    if let removed = change.paragraphEvents.manyRemoved {
      lineage.append(removed)
      touched = nil
    }
    for event in change.paragraphEvents.fewEvents {
      touched?.insert(event.descriptor.id)
      lineage.append(event)
    }
  }

  /// What the edits come to; nil if there was none. `after` must be the version after the last
  /// of them.
  ///
  /// O(t · log n) for t paragraphs that the edits touched, and the size of the nodes they changed
  /// where a touched paragraph is as long as before. Where one edit removed a great many, the cost
  /// is that of `TextState.difference(from:)` instead, of paragraphs alone.
  public func change(to after: TextState) -> TransactionChange? {
    guard let extent else { return nil }
    let comparison = StateComparison(before.core, after.core)
    let matching =
      touched.map { comparison.matchParagraphs($0) } ?? comparison.matchParagraphs()
    return TransactionChange(
      extent: extent, editCount: editCount,
      paragraphEvents: comparison.events(of: matching, lineage))
  }
}
