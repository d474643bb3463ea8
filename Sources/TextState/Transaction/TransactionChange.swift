public import EditModel

/// What a group of edits did to a state, as one notification tells it. Derived from the edits, and
/// never stored: a group cannot be replayed from it.
public struct TransactionChange: Hashable, Sendable {
  /// What was edited, where, and by how much the text grew.
  public let extent: EditedExtent
  /// The edits in the group: one at least.
  public let editCount: Int
  /// What became of paragraphs from before the first edit to after the last: the removed ones
  /// first, highest old index first; then the inserted, edited and restyled ones by ascending new
  /// index. Replaying them on the list of identifiers before the group gives the list after it.
  ///
  /// One that came and went inside the group is not told of, and neither is one whose units and
  /// attributes are at the end what they were. Lineage leads past those that came and went: what
  /// is split is split from a paragraph of the version before, and what is merged is merged into
  /// one of the version after.
  public let paragraphEvents: ParagraphEvents

  /// What kind of edits they were: the union over all.
  public var actions: EditActions { extent.actions }
  /// What was edited, in UTF-16 units of the text after the last edit.
  public var editedRange: UTF16Range { extent.editedRange }
  /// New length minus old length of the text, in UTF-16 units.
  public var changeInLength: Int { extent.changeInLength }
}
