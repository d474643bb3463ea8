public import EditModel

/// A call to the delegate of a text storage that tracks paragraphs by position.
///
/// If the calls of one transaction are applied to the identifiers before it (remove at the index of
/// each `willDelete`, insert at that of each `didAdd`), the result is the identifiers after it.
public enum ParagraphCallback: Hashable, Sendable {
  /// The paragraph will be removed from the list, in which it is still at `index`. `descriptor` has
  /// its range in the text before the edit, although the text has changed already. It is always the
  /// paragraph after the first edited one, so `index` is the same in all these calls.
  case willDelete(index: Int, descriptor: ParagraphDescriptor)
  /// The paragraph keeps its place and was edited, even if its text is the same. `index` and
  /// `descriptor` are those after the edit.
  case didEdit(index: Int, descriptor: ParagraphDescriptor)
  /// The paragraph is new and in the list. `index` and `descriptor` are those after the edit.
  case didAdd(index: Int, descriptor: ParagraphDescriptor)
  /// Asks for the attributes of the paragraph. `index` and `descriptor` are those after the edit.
  case shouldSetStyle(index: Int, descriptor: ParagraphDescriptor)
}
