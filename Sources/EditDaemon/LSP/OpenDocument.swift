public import EditModel
import EditProtocol
import TextState

/// A document that a client has open. The text the client believes in is the live state; here is
/// only what else must be remembered.
public struct OpenDocument: Sendable {
  /// The document's name.
  public internal(set) var document: DocumentID
  /// The version of the last message that had one. A hint that tells duplicates: versions jump,
  /// repeat and start again.
  public internal(set) var version: Int64?
  /// True where the last line of the client's buffer has a newline too, as its texts tell.
  var endsInNewline: Bool
  /// The changes of the last `didChange`.
  var changes: [DidChangeParams.Change] = []
  /// The text last saved, or opened and found on disk; nil where neither was.
  var saved: ContentDigest?
  /// The file of a `didSave` that neither text explained: the next change may.
  var unclearSave: ComparableText?
  /// The text before it was brought to that of a `didSave`: changes that make the one from the
  /// other came late, and are known.
  var beforeSave: TextState?

  /// True if the next change is compared with a whole text.
  var comparesNextChange: Bool { unclearSave != nil || beforeSave != nil }

  init(_ document: DocumentID, version: Int64?, endsInNewline: Bool) {
    (self.document, self.version, self.endsInNewline) = (document, version, endsInNewline)
  }

  /// True where a `didChange` repeats the one before, or says nothing. Notes it where not.
  mutating func isRepeated(version: Int64?, changes: [DidChangeParams.Change]) -> Bool {
    defer { (self.version, self.changes) = (version ?? self.version, changes) }
    return version != nil && version == self.version && changes == self.changes
  }
}
