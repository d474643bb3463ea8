public import EditModel
public import EditProtocol

/// Something odd in what a client sent, and what was made of it: for the daemon's log, so that
/// no guess goes unsaid. Its description holds no text and no document's name.
public enum LSPAnomaly: Hashable, Sendable, CustomStringConvertible {
  /// The line lies behind the text, which has `lineCount` of them. Read as the text's end.
  case linePastEnd(LSPPosition, lineCount: Int)
  /// The column lies behind its line, which has `length` of them. Read as the line's end.
  case columnPastEnd(LSPPosition, length: Int)
  /// The position parts a surrogate pair. Moved outward, to `offset` in UTF-16 units.
  case insideSurrogatePair(LSPPosition, offset: Int)
  /// The range ends before it starts. Read the other way round.
  case reversedRange(start: LSPPosition, end: LSPPosition)
  /// The range ends one line behind the text. Read as ending with the last line's newline.
  case endOfFileForm
  /// The text became empty for a client whose empty text is a newline. The newline was kept.
  case keptLastNewline
  /// The version and the changes are those of the message before. Dropped.
  case duplicateChange(version: Int64)
  /// The changes had reached us in the text of a `didSave` before them. Dropped.
  case changesAfterTheirSave
  /// The edit fits no text. Dropped; the edits behind it are read on.
  case refused(EditError)
  /// A `didOpen` for a document the client has open. Read as its new text.
  case openedTwice
  /// The message is about a document the client has not open, and nothing tells which it could
  /// be. Dropped.
  case notOpen
  /// The client goes on with an open document under this name without a word. Taken for a
  /// rename.
  case renamedUntold(from: DocumentID)
  /// The document was renamed to a name that has a history of its own. That history goes on.
  case renamedOntoKnown(DocumentID)
  /// The client writes to a document it never opened. Opened with the text it sent, or the
  /// file's.
  case openedByUse
  /// The file, the client's text and ours all differ: the next change must tell.
  case unclearSave

  /// One sentence: what was odd, and what was made of it.
  public var description: String {
    positionDescription ?? documentDescription
  }

  private var positionDescription: String? {
    switch self {
    case .linePastEnd(let position, let lineCount):
      "position \(position.line):\(position.character) is behind the text of \(lineCount) lines; read as its end"
    case .columnPastEnd(let position, let length):
      "position \(position.line):\(position.character) is behind its line of \(length) columns; read as the line's end"
    case .insideSurrogatePair(let position, let offset):
      "position \(position.line):\(position.character) is inside a surrogate pair; moved to offset \(offset)"
    case .reversedRange(let start, let end):
      "range \(start.line):\(start.character) to \(end.line):\(end.character) ends before it starts; read the other way round"
    case .endOfFileForm:
      "the range ends one line behind the text; read as ending with the last newline"
    case .keptLastNewline:
      "the text was emptied; its last newline is kept, as the client does"
    default: nil
    }
  }

  private var documentDescription: String {
    switch self {
    case .duplicateChange(let version):
      "version \(version) came twice with the same changes; dropped"
    case .changesAfterTheirSave:
      "the changes are those that the text of the save before held already; dropped"
    case .refused(let error): "an edit was dropped: \(error)"
    case .openedTwice: "the document was opened twice; read as its new text"
    case .notOpen: "the document is not open; message dropped"
    case .renamedUntold: "the document had another name until now; taken for a rename"
    case .renamedOntoKnown:
      "a document was renamed to a name with a history of its own, which goes on"
    case .openedByUse: "the document was never opened; opened with the text at hand"
    case .unclearSave:
      "the file, the editor's text and ours all differ; waiting for the next change"
    default: positionDescription ?? ""
    }
  }
}
