package import EditModel
package import EditProtocol
package import TextState

/// Reads one content change as edit actions.
///
/// Never fails: a position outside the text is clamped and noted as an anomaly. To drop the document
/// after one wrong edit would lose all its later edits. The rules were found by comparing the buffers
/// of six editors with the changes that they send:
///
/// 1. LF, CR LF and a lone CR end a line, as in LSP. For clients whose lines end at an LF only, such as Neovim,
///    a CR is a character of its line. A column after the end of a line is its end, before the CR of a CR LF.
/// 2. A range that ends exactly one line after the text includes the newline of the last line, whether
///    the text has this newline or not.
/// 3. For clients whose buffers consist of lines, a text that ends in a newline never becomes empty:
///    the newline stays. This is a property of the buffer, not of its text: if the last line of a
///    buffer has no newline and is empty, the text still ends in a newline.
/// 4. Columns count the client's units; range lengths are ignored.
/// 5. Clients that compare texts do not know where the user edited. If whole lines that are removed or inserted make
///    the same text, that is the edit: paragraphs keep their identity.
package struct LSPReader: Sendable {
  /// The client that sends the changes.
  package let client: LSPClient
  /// True if the client's buffer cannot lose its last newline.
  private let keepsLastNewline: Bool

  /// A reader of this client's changes to one buffer.
  package init(client: LSPClient, bufferEndsInNewline: Bool) {
    self.client = client
    keepsLastNewline = client.keepsLastNewline && bufferEndsInNewline
  }

  /// The edits of `change`, in order. The ranges of each edit refer to the text after the edit before
  /// it. Only a change of the whole text has more than one edit: it becomes the difference between the
  /// texts, so that paragraphs keep their identity.
  ///
  /// O(log n + change) for a range in UTF-16, plus the length of the line for code points; O(n) for a
  /// whole text.
  package func actions(
    for change: DidChangeParams.Change, in state: TextState, noting anomalies: inout [LSPAnomaly]
  ) -> [EditAction] {
    guard let range = change.range else {
      return replacingAll(of: state, with: change.text, noting: &anomalies)
    }
    let action = replacing(range, with: change.text, in: state, noting: &anomalies)
    var trimmed = client.sendsWholeLines ? state.trimming(action) : action
    if client.sendsDifferences { trimmed = state.takingWholeLines(trimmed) }
    guard !trimmed.range.isEmpty || trimmed.newLength > 0 else { return [] }
    return fitting([trimmed], in: state, noting: &anomalies)
  }

  /// The edits that change `state` to this text.
  func replacingAll(
    of state: TextState, with text: UTF16Text, noting anomalies: inout [LSPAnomaly]
  ) -> [EditAction] {
    var text = text
    if keepsLastNewline, text.isEmpty, state.endsInNewline {
      anomalies.append(.keptLastNewline)
      text = state.newline(besides: text)
    }
    let actions = TextDifference.replacements(from: state.text, to: text)
    return fitting(actions, in: state, noting: &anomalies)
  }

  /// The edit that replaces a range, by rule 2 if it ends after the text.
  private func replacing(
    _ range: LSPRange, with text: UTF16Text, in state: TextState,
    noting anomalies: inout [LSPAnomaly]
  ) -> EditAction {
    let (start, end) = places(of: range, in: state, noting: &anomalies)
    switch (start, end) {
    case (.offset(let start), .offset(let end)):
      let action = EditAction(replacing: UTF16Range(start..<end), with: text)
      return keepingLastNewline(action, in: state, noting: &anomalies)
    case (.offset(let start), .pastEnd):
      anomalies.append(.endOfFileForm)
      return state.replacingThroughLastNewline(from: start, with: text)
    case (.pastEnd, _):
      // The change starts after a newline that the text lacks: the client's buffer has it.
      anomalies.append(.endOfFileForm)
      var added = state.newline(besides: text)
      added.append(text)
      return EditAction(replacing: UTF16Range(state.length..<state.length), with: added)
    }
  }

  /// `action`, or the edit that leaves the last newline if rule 3 applies.
  private func keepingLastNewline(
    _ action: EditAction, in state: TextState, noting anomalies: inout [LSPAnomaly]
  ) -> EditAction {
    guard keepsLastNewline, state.endsInNewline, action.newLength == 0,
      action.range.length == state.length
    else { return action }
    anomalies.append(.keptLastNewline)
    let kept = state.newline(besides: "").count
    return EditAction(replacing: UTF16Range(0..<state.length - kept), with: "")
  }

  /// The `actions` before the first that does not fit.
  private func fitting(
    _ actions: [EditAction], in state: TextState, noting anomalies: inout [LSPAnomaly]
  ) -> [EditAction] {
    var length = state.length
    for (index, action) in actions.enumerated() {
      do {
        try action.validate(textLength: length)
        length += action.changeInLength
      } catch {
        anomalies.append(.refused(error))
        return Array(actions[..<index])
      }
    }
    return actions
  }
}
