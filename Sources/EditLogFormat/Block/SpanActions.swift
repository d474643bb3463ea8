import EditModel

/// The actions of a span's edits, one by one. What all of them have in common is looked at once.
struct SpanActions {
  private enum Form {
    /// Each inserts one of the units.
    case typing
    /// Each deletes as many units: at the same location, or just before those of the edit before.
    case deletion
    case backspacing
    case other
  }

  private let span: EditSpan
  private let form: Form
  private let size: Int
  private let units: ArraySlice<UInt16>
  private let typed = UTF16Text.typed
  private let none = UTF16Text()

  init(_ span: EditSpan) {
    (self.span, size) = (span, span.unitsPerEdit)
    units = span.text == nil ? span.units ?? [] : []
    if case .inherit = span.attributes {
    } else {
      form = .other
      return
    }
    if span.insertedLength == 0, !span.range.isEmpty {
      form = span.kind == .backspacing ? .backspacing : .deletion
    } else if span.range.isEmpty, units.count == span.count {
      form = .typing
    } else {
      form = .other
    }
  }

  /// The action of the edit of this number, counted from 0. O(units it inserts).
  @inline(__always)
  subscript(index: Int) -> EditAction {
    let location = span.range.location
    switch form {
    case .typing:
      let unit = units[units.startIndex + index]
      let range = UTF16Range(uncheckedLocation: location + index, length: 0)
      return EditAction(
        replacing: range,
        with: unit < 0x80 ? typed[Int(unit)] : UTF16Text(units: [unit]))
    case .deletion:
      return EditAction(
        replacing: UTF16Range(uncheckedLocation: location, length: size), with: none)
    case .backspacing:
      let start = location + (span.count - 1 - index) * size
      return EditAction(replacing: UTF16Range(uncheckedLocation: start, length: size), with: none)
    case .other: return span[index]
    }
  }
}
