package import EditModel
import EditProtocol
import TextState

/// A document that a client has open. The client's text is a version of the log, mostly the newest; this
/// is the rest of the state between messages.
package struct OpenDocument: Sendable {
  /// The document's name.
  package internal(set) var document: DocumentID
  /// The version of the last message that had one. It only helps to recognise duplicates: versions of
  /// some clients skip numbers, repeat and start again.
  package internal(set) var version: Int64?
  /// The version of the log that is the client's text. Nil if it is the newest version after the plan
  /// of the last message.
  package internal(set) var sequence: SequenceNumber?
  /// True if the last line of the client's buffer has a newline too, as its texts show.
  var endsInNewline: Bool
  /// The changes of the last `didChange`.
  var changes: [DidChangeParams.Change] = []
  /// The text that was saved last, or that was opened and equals the file. Nil before that.
  var saved: ContentDigest?
  /// The text of a `didSave` that was not the log's text. The next change is compared with it.
  var unclearSave: ComparableText?
  /// The text after the last change, if a `didSave` has replaced it since. Changes that lead from it to
  /// the log's text are already logged.
  var beforeSave: TextState?

  /// True if the client had it open before it connected, and has sent nothing about it since.
  package var isAsBefore: Bool { version == nil && changes.isEmpty && saved == nil }

  /// True if the next change is compared with a whole text.
  package var comparesNextChange: Bool { unclearSave != nil || beforeSave != nil }

  init(_ document: DocumentID, version: Int64?, endsInNewline: Bool) {
    (self.document, self.version, self.endsInNewline) = (document, version, endsInNewline)
  }

  /// True if version and changes are those of the last `didChange`. Remembers them for the next one.
  mutating func isRepeated(version: Int64?, changes: [DidChangeParams.Change]) -> Bool {
    defer { (self.version, self.changes) = (version ?? self.version, changes) }
    return version != nil && version == self.version && changes == self.changes
  }
}
