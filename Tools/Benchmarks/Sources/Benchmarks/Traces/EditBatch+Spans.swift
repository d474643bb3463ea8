import CBaselines
import EditModel

extension EditBatch {
  /// The same edits, joined to spans as the log joins them.
  var spans: [EditSpan] {
    var spans: [EditSpan] = []
    for (index, action) in actions.enumerated()
    where spans.isEmpty || !spans[spans.count - 1].extend(by: action) {
      spans.append(EditSpan(action, at: UInt64(index + 1)))
    }
    return spans
  }

  /// One edit for each span.
  init(_ spans: [EditSpan]) {
    self.init()
    reserve(spans.count)
    for span in spans {
      append(
        at: span.range.location, removing: span.range.length, inserting: Array(span.units ?? []))
    }
  }
}
