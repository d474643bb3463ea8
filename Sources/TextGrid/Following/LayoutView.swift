/// What a follower of a document looks at.
public enum LayoutView: Hashable, Sendable {
  /// Rows of one width.
  ///
  /// - Parameters:
  ///   - options: How text is laid out.
  ///   - top: The unit, in UTF-16 units of the text, that the first row has. Edits before it move it
  ///     along.
  ///   - rows: Rows in view.
  case rows(options: GridOptions, top: Int, rows: Int)
  /// One page.
  ///
  /// - Parameters:
  ///   - format: The shape of each page.
  ///   - page: The page in view, counted from 0.
  case page(format: PageFormat, page: Int)
}
