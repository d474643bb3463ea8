package import EditJSON
package import EditModel
import EditProtocol
package import TextState

/// Writes positions as a client counts them: the inverse of `LSPReader`.
struct LSPWriter {
  let client: LSPClient

  /// A range. Returns nil if one of its ends is inside a surrogate pair, or inside a CR LF that ends a line of
  /// the client. As `LSPLines`, plus the length of the line for code points.
  func range(_ range: UTF16Range, in state: TextState) -> LSPRange? {
    let lines = LSPLines(state, of: client)
    guard let start = position(range.location, lines, in: state),
      let end = position(range.upperBound, lines, in: state)
    else { return nil }
    return LSPRange(start: start, end: end)
  }

  /// `edit`, with the whole of a CR LF at an end that is inside of one.
  func widening(_ edit: EditAction, in state: TextState) -> EditAction {
    let lines = LSPLines(state, of: client)
    guard var text = edit.replacement else { return edit }
    var range = edit.range.bounds
    if lines.splitsLineEnd(at: range.upperBound) {
      text.append("\n")
      range = range.lowerBound..<range.upperBound + 1
    }
    if lines.splitsLineEnd(at: range.lowerBound) {
      text = UTF16Text(units: [0x0D] + text.units)
      range = range.lowerBound - 1..<range.upperBound
    }
    return EditAction(replacing: UTF16Range(range), with: text)
  }

  private func position(
    _ offset: Int, _ lines: LSPLines, in state: TextState
  ) -> LSPPosition? {
    guard !state.splitsSurrogatePair(at: offset), !lines.splitsLineEnd(at: offset) else {
      return nil
    }
    let place = lines.position(at: offset)
    guard client.encoding == .utf32 else {
      return LSPPosition(line: place.line, character: place.column)
    }
    let before = state.text(in: UTF16Range(offset - place.column..<offset))
    return LSPPosition(line: place.line, character: String(before).unicodeScalars.count)
  }
}

extension LSPClient {
  /// The params of `window/showDocument` that ask the client to select a range of a document that it has
  /// open, without taking the focus. Returns nil if the client cannot. O(log n), plus the length of the
  /// line for code points.
  ///
  /// - Parameters:
  ///   - document: The document.
  ///   - range: The range, in UTF-16 units; a caret if it is empty.
  ///   - state: The client's text.
  package func showDocument(
    _ document: DocumentID, selecting range: UTF16Range, in state: TextState
  ) -> JSON? {
    guard showsDocuments, range.upperBound <= state.length,
      let range = LSPWriter(client: self).range(range, in: state)
    else { return nil }
    return ["uri": JSON(document.name), "takeFocus": false, "selection": range.json]
  }
}

extension LSPSession {
  /// The params of `workspace/applyEdit` that ask the client to make these edits of a document that it
  /// has open, and the state after them. Returns nil if LSP cannot express them, or if the client's
  /// text is not known for certain. The caller makes sure that the client's text is the newest version.
  ///
  /// The edits become one, from the first changed unit to the last: the ranges of LSP refer to the
  /// text before all of them, and an editor can take a larger change for another one. O(n).
  package func applyEdit(
    _ actions: [EditAction], to document: DocumentID, in state: TextState
  ) -> (params: JSON, after: TextState)? {
    guard let opened = documents[document], !opened.comparesNextChange,
      actions.allSatisfy({ $0.replacement != nil && $0.attributes == .inherit })
    else { return nil }
    var after = state
    do { for action in actions { try after.advance(by: action) } } catch { return nil }
    let writer = LSPWriter(client: client)
    let edit = writer.widening(state.change(to: after.text), in: state)
    // No editor can make half of a surrogate pair.
    guard let text = edit.replacement, !(text.isEmpty && edit.range.isEmpty),
      String(text).utf16.elementsEqual(text.units),
      let range = writer.range(edit.range, in: state)
    else { return nil }
    let edits: JSON = [["range": range.json, "newText": JSON(text)]]
    let identifier: JSON = [
      "uri": JSON(document.name), "version": opened.version.map { .integer($0) } ?? .null,
    ]
    let change: JSON = ["textDocument": identifier, "edits": edits]
    return (["label": "editlog", "edit": ["documentChanges": [change]]], after)
  }
}
