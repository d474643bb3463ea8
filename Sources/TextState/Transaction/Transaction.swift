package import EditModel

/// A group of edits between `beginEditing` and `endEditing`: it collects the change of each, and
/// computes the combined change at the end.
///
/// ```swift
/// var transaction = Transaction(before: state)
/// transaction.append(try state.apply(first))
/// transaction.append(try state.apply(second))
/// let change = transaction.change(to: state)
/// ```
///
/// `TextState.apply(contentsOf:)` does this. The transaction keeps the version before, as a copy
/// that shares its memory.
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

  /// Adds the next edit. The changes must be added in the order in which the edits were applied,
  /// the first to `before`. O(paragraphs inserted or edited), however many were removed.
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

  /// Adds attributes that are not part of an edit to the changes of the last one. `state` must be
  /// the version after it, with these attributes. O(paragraphs in `range`).
  package mutating func touch(_ range: UTF16Range, in state: TextState) {
    guard touched != nil else { return }
    for paragraph in state.paragraphs(in: range) { touched?.insert(paragraph.id) }
  }

  /// The combined change of the edits; nil if there are none. `after` must be the version after the
  /// last of them.
  ///
  /// O(t · log n) for t paragraphs that the edits touched, plus the size of the changed nodes if a
  /// touched paragraph has the same length as before. If one edit removed very many, the cost is
  /// that of `TextState.difference(from:)` for paragraphs alone.
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
