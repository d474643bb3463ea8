package import EditModel
package import EditProtocol
package import TextState

/// The text of one version, which steps to its neighbours by applying edits and taking them back.
///
/// The text is folded by `TextState`, as everywhere. A copy is made in O(1), and a step costs
/// O(log n + size of the edit), however long text and history are.
package struct VersionCursor: Sendable {
  /// The version.
  package private(set) var sequence: SequenceNumber
  /// Its text. The identifiers of paragraphs and the attributes are not those of the history.
  package private(set) var text: TextState
  /// The edits that were applied and taken back.
  package private(set) var stepCount = 0

  /// A version.
  package init(_ sequence: SequenceNumber, _ text: UTF16Text) {
    self.sequence = sequence
    self.text = TextState(showing: text)
  }

  /// Applies the next edit. Returns false, and changes nothing, if it does not fit.
  package mutating func stepForward(_ edit: EditPreview) -> Bool {
    guard edit.sequence == sequence + 1, edit.hasWholeText else { return false }
    return move(to: edit.sequence, replacing: edit.range, with: edit.text)
  }

  /// Takes the last edit back. Returns false, and changes nothing, if it does not fit.
  package mutating func stepBack(_ edit: EditPreview) -> Bool {
    guard edit.sequence == sequence, sequence > 0, edit.hasWholeRemoved else { return false }
    let removed = edit.text.map { _ in edit.removed ?? UTF16Text() }
    return move(to: sequence - 1, replacing: edit.editedRange, with: removed)
  }

  /// Takes the last edit back, of whose removed text only the beginning is known. Returns the place at which
  /// the rest is missing; nil, without a change, if it does not fit.
  mutating func stepBack(_ edit: EditPreview, removed: UTF16Text) -> ShownText.Gap? {
    guard edit.sequence == sequence, removed.count <= edit.removedLength,
      move(to: sequence - 1, replacing: edit.editedRange, with: removed)
    else { return nil }
    return ShownText.Gap(
      place: edit.range.location + removed.count, length: edit.removedLength - removed.count)
  }

  /// Replaces a range, or nothing if `replacement` is nil: the edit formats.
  private mutating func move(
    to version: SequenceNumber, replacing range: UTF16Range, with replacement: UTF16Text?
  ) -> Bool {
    if let replacement {
      do throws(EditError) {
        try text.advance(by: EditAction(replacing: range, with: replacement))
      } catch { return false }
    }
    sequence = version
    stepCount += 1
    return true
  }
}

extension TextState {
  /// A state with this text. A text that is longer than a state may be is cut.
  package init(showing text: UTF16Text) {
    self.init()
    guard !text.isEmpty else { return }
    let shown = text.count > EditAction.textLengthMax ? text.prefix(EditAction.textLengthMax) : text
    // The text is empty, and the new one is not longer than allowed, so this never fails.
    try? advance(by: EditAction(replacing: UTF16Range(0..<0), with: shown))
  }
}
