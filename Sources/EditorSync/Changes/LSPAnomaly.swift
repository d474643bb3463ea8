package import EditModel
package import EditProtocol

/// An anomaly in a client's message, and how the message was read. Each one is written to the daemon's
/// log. The description contains no text and no document name.
package enum LSPAnomaly: Hashable, Sendable, CustomStringConvertible {
  /// The line is after the last of the `lineCount` lines. Read as the end of the text.
  case linePastEnd(LSPPosition, lineCount: Int)
  /// The column is after the last of the `length` columns of its line. Read as the end of the line.
  case columnPastEnd(LSPPosition, length: Int)
  /// The position is inside a surrogate pair. Moved out of it, to `offset` in UTF-16 units.
  case insideSurrogatePair(LSPPosition, offset: Int)
  /// The range ends before it starts. Read with start and end exchanged.
  case reversedRange(start: LSPPosition, end: LSPPosition)
  /// The range ends one line after the text. Read as including the newline of the last line.
  case endOfFileForm
  /// The change empties the text of a client whose empty buffer has one newline. The newline is kept.
  case keptLastNewline
  /// The version and the changes are the same as in the message before. Ignored.
  case duplicateChange(version: Int64)
  /// The text of the `didSave` before already contained the changes. Ignored.
  case changesAfterTheirSave
  /// The edit does not fit the text. Ignored; the edits after it are read.
  case refused(EditError)
  /// `didOpen`, with another text, of a document that the client has open. Read as its new text.
  case openedTwice
  /// The client does not have the document open, and its text is not known. Ignored.
  case notOpen
  /// The client uses a new name for an open document, without a notification. Read as a rename.
  case renamedWithoutNotice(from: DocumentID)
  /// The client uses a new name for an open document whose file is still there, without a
  /// notification. Read as a copy: the document is closed, and another one begins with its text.
  case savedUnderAnotherName(DocumentID)
  /// The document is renamed to a name that already has a history. That history is continued.
  case renamedOntoKnown(DocumentID)
  /// The client changes or saves a document that it has not opened. Opened with the text of the
  /// message, the file or the log.
  case openedByUse
  /// Another session changed the document while the client was not connected. Changed back to the
  /// client's text.
  case changedElsewhere
  /// Another session has changed the document since the client's last message. Changed back to the
  /// client's text.
  case changedByAnother
  /// The saved text is not the log's text. The next change decides whether the log has it then.
  case unclearSave

  /// One sentence: the anomaly, and how the message was read.
  package var description: String {
    positionDescription ?? documentDescription
  }

  private var positionDescription: String? {
    switch self {
    case .linePastEnd(let position, let lineCount):
      "position \(position.line):\(position.character) is after the last of \(lineCount) lines; read as the end of the text"
    case .columnPastEnd(let position, let length):
      "position \(position.line):\(position.character) is after the last of \(length) columns; read as the end of the line"
    case .insideSurrogatePair(let position, let offset):
      "position \(position.line):\(position.character) is inside a surrogate pair; moved to offset \(offset)"
    case .reversedRange(let start, let end):
      "range \(start.line):\(start.character) to \(end.line):\(end.character) ends before it starts; read with start and end exchanged"
    case .endOfFileForm:
      "the range ends one line after the text; read as including the last newline"
    case .keptLastNewline:
      "the change empties the text; its last newline is kept, as in the client's buffer"
    default: nil
    }
  }

  private var documentDescription: String {
    switch self {
    case .duplicateChange(let version):
      "version \(version) was sent twice with the same changes; ignored"
    case .changesAfterTheirSave:
      "the text of the save before already contained the changes; ignored"
    case .refused(let error): "an edit was ignored: \(error)"
    case .openedTwice: "the document was opened twice; read as its new text"
    case .notOpen: "the document is not open; the message is ignored"
    case .renamedWithoutNotice:
      "an open document is used under a new name; read as a rename"
    case .savedUnderAnotherName:
      "an open document is used under a new name, and its file is still there; read as a copy"
    case .renamedOntoKnown:
      "a document is renamed to a name that already has a history, which is continued"
    case .openedByUse: "the document was not opened; opened with the text that is known"
    case .changedElsewhere:
      "the document was changed while the client was not connected; changed back to its text"
    case .changedByAnother:
      "another client changed the document meanwhile; changed back to the text of this one"
    case .unclearSave:
      "the saved text is not the text of the log; the next change decides"
    default: positionDescription ?? ""
    }
  }
}
