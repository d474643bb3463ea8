import EditModel

/// Predicts the form of an edit's selection: that of the last edit of the same shape whose form has no
/// ranges of its own; none at first.
private struct SelectionPrediction {
  private var forms: [SelectionForm] = [.none, .none, .none]

  func predict(_ shape: EditShape) -> SelectionForm { forms[shape.rawValue] }

  mutating func correct(_ form: SelectionForm, _ shape: EditShape) {
    if form.isRelative { forms[shape.rawValue] = form }
  }
}

/// Writes the selections of edits: those that are not as predicted.
struct SelectionEncoder {
  private var exceptions = ExceptionWriter()
  private var prediction = SelectionPrediction()

  mutating func encode(_ edit: Edit, _ shape: EditShape, to writer: inout ByteWriter) {
    let form = SelectionForm(edit.selection, of: edit.action)
    guard form != prediction.predict(shape) else { return exceptions.skip() }
    exceptions.mark(in: &writer)
    form.write(to: &writer)
    prediction.correct(form, shape)
  }
}

/// Reads what `SelectionEncoder` wrote.
struct SelectionDecoder {
  private var exceptions: ExceptionReader
  private var prediction = SelectionPrediction()
  /// False if no edit of the block has a selection.
  private let isPresent: Bool
  /// The form of the current edit's selection, and the place of its bytes.
  private(set) var form = SelectionForm.none

  init(_ reader: ByteReader) throws(CodecError) {
    isPresent = !reader.isAtEnd
    exceptions = try ExceptionReader(reader)
  }

  /// Advances to the next edit.
  @inline(__always)
  mutating func advance(_ shape: EditShape) throws(CodecError) {
    if isPresent { try advancePresent(shape) }
  }

  private mutating func advancePresent(_ shape: EditShape) throws(CodecError) {
    form = prediction.predict(shape)
    guard exceptions.isException() else { return }
    let place = exceptions.reader
    form = try SelectionForm(&exceptions.reader)
    // The ranges of a side that is relative to the edit are always those of a selection.
    try form.checkRanges(at: place)
    prediction.correct(form, shape)
    try exceptions.advance()
  }

  /// The selection of the current edit, which has the action `action`.
  @inline(__always)
  func selection(of action: borrowing EditAction) -> EditSelection? {
    isPresent && form != .none ? form.checkedSelection(of: action) : nil
  }

  func expectEnd() throws(CodecError) { try exceptions.expectEnd() }
}

extension SelectionForm {
  /// Refuses ranges that are not those of a selection.
  fileprivate func checkRanges(at place: ByteReader) throws(CodecError) {
    for case .ranges(let ranges) in [before, after] {
      do { _ = try EditSelection(before: ranges) } catch { throw place.error(.action) }
    }
  }

  /// The selection of an edit, once `checkRanges` has passed: one exists for each edit that lies in a
  /// text.
  fileprivate func checkedSelection(of action: EditAction) -> EditSelection? {
    try? EditSelection(
      before: before.ranges(in: action.range), after: after.ranges(in: action.editedRange))
  }
}
