public import EditModel

/// The change of a state by a group of edits, for one notification. It is derived from the edits,
/// and never stored: a group cannot be replayed from it.
public struct TransactionChange: Hashable, Sendable {
  /// The kinds of changes, the edited range and the change in length.
  public let extent: EditedExtent
  /// The edits in the group: one at least.
  public let editCount: Int
  /// What became of paragraphs from before the first edit to after the last: the removed ones
  /// first, highest old index first; then the inserted, edited and restyled ones by ascending new
  /// index. If they are applied to the list of identifiers before the group, the result is the list
  /// after it.
  ///
  /// A paragraph that was created and removed inside the group has no event, and neither has one
  /// with the same units and attributes before and after. Lineage skips paragraphs that were
  /// created and removed: `splitFrom` is a paragraph of the version before, and `mergedInto` one of
  /// the version after.
  public let paragraphEvents: ParagraphEvents

  /// The kinds of changes of all edits.
  public var actions: EditActions { extent.actions }
  /// The edited range, in UTF-16 units of the text after the last edit.
  public var editedRange: UTF16Range { extent.editedRange }
  /// New length minus old length of the text, in UTF-16 units.
  public var changeInLength: Int { extent.changeInLength }
}
