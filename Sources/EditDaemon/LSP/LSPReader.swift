public import EditModel
public import EditProtocol
public import TextState

/// Reads one content change as edit actions, the way editors really send them.
///
/// Never fails: what fits no text is clamped and noted, because a document dropped after one odd
/// edit loses all the edits that follow. The rules were found by comparing six editors' own
/// buffers with what they send:
///
/// 1. Only LF ends a line; a CR is a character of its line.
/// 2. A range that ends exactly one line behind the text means "with the newline of the last
///    line", whether there is one or not.
/// 3. For clients that hold lines, a text that ends in a newline never becomes empty: the newline
///    stays. Whether it does is the buffer's, not the moment's: a buffer whose last line has no
///    newline may end in an empty line, and look as if it had.
/// 4. Columns count as the client does; range lengths are ignored.
public struct LSPReader: Sendable {
  /// Whose changes are read.
  public let client: LSPClient
  /// True where the client's buffer is one that cannot lose its last newline.
  private let keepsLastNewline: Bool

  /// A reader of this client's changes to a buffer whose last line has a newline, or has none.
  public init(client: LSPClient, bufferEndsInNewline: Bool) {
    self.client = client
    keepsLastNewline = client.keepsLastNewline && bufferEndsInNewline
  }

  /// The edits that `change` makes to `state`, to be applied in order, each against the text left
  /// by the one before; none where nothing changes. More than one only for a change of the whole
  /// text, which becomes its difference, so that paragraphs keep their identity.
  ///
  /// O(log n + change) for a range in UTF-16, plus the line's length for code points; O(n) for a
  /// whole text.
  public func actions(
    for change: DidChangeParams.Change, in state: TextState, noting anomalies: inout [LSPAnomaly]
  ) -> [EditAction] {
    guard let range = change.range else {
      return replacingAll(of: state, with: change.text, noting: &anomalies)
    }
    let action = replacing(range, with: change.text, in: state, noting: &anomalies)
    let trimmed = client.sendsWholeLines ? state.trimming(action) : action
    guard !trimmed.range.isEmpty || trimmed.newLength > 0 else { return [] }
    return fitting([trimmed], in: state, noting: &anomalies)
  }

  /// The edits that make `state` this text.
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

  /// The change of a range, with the end-of-file forms of rule 2 resolved.
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
      // The client starts behind a newline that we do not have: it is really there.
      anomalies.append(.endOfFileForm)
      var added = state.newline(besides: text)
      added.append(text)
      return EditAction(replacing: UTF16Range(state.length..<state.length), with: added)
    }
  }

  /// `action`, except that it leaves the last newline where rule 3 says so.
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

  /// The leading `actions` that fit, each against the text left by the one before.
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
