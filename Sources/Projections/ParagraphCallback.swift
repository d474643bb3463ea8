public import EditModel

/// One call that a paragraph-tracking text storage with positional identity makes to its delegate.
///
/// Replaying the calls of one processing on the identifiers before it (take out at the index of
/// each `willDelete`, put in at that of each `didAdd`) gives the identifiers after it.
public enum ParagraphCallback: Hashable, Sendable {
  /// The paragraph is about to leave the list, in which it is still at `index`. `descriptor` has
  /// its range in the text before the edit, though the text has changed already. Each time it is
  /// the paragraph behind the first one edited, so the index is the same again and again.
  case willDelete(index: Int, descriptor: ParagraphDescriptor)
  /// The paragraph keeps its place and has new text; it is called so even where the text is what
  /// it was. `index` and `descriptor` are those after the edit.
  case didEdit(index: Int, descriptor: ParagraphDescriptor)
  /// The paragraph is new and in the list. `index` and `descriptor` are those after the edit.
  case didAdd(index: Int, descriptor: ParagraphDescriptor)
  /// A question: which attributes should the paragraph have? `index` and `descriptor` are those
  /// after the edit.
  case shouldSetStyle(index: Int, descriptor: ParagraphDescriptor)
}
