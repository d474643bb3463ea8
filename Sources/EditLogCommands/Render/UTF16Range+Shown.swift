import EditModel

extension Sequence<UTF16Range> {
  /// The carets and selected ranges of a client as text, such as `caret at 5, {9, 2}`; the first is the
  /// main one.
  var shownAsSelection: String {
    map { $0.isEmpty ? "caret at \($0.location)" : "\($0)" }.joined(separator: ", ")
  }
}
