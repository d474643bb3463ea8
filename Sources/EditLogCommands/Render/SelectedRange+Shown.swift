import EditModel

extension Sequence<SelectedRange> {
  /// The carets and selected ranges of a client as text, such as `caret at 5, {9, 2} reversed`; the first
  /// is the main one.
  var shownAsSelection: String {
    map { $0.isCaret ? "caret at \($0.head)" : "\($0)" }.joined(separator: ", ")
  }
}
