/// A row that was looked for by its number in a text.
public enum FoundRow: Hashable, Sendable {
  /// It is here.
  case place(RowPlace)
  /// There is none: the text has this number of rows.
  case end(count: Int)
}
