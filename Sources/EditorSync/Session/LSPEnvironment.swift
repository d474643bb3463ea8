package import EditModel
package import TextState

/// The facts outside a message that its reading depends on: the log and the files.
package struct LSPEnvironment {
  /// The newest state of a document. Returns nil if the log has no history of it.
  package var state: (DocumentID) -> TextState?
  /// The state that a client has, if other sessions have changed the document since it sent the last
  /// message about it. Nil if they have not.
  package var left: (DocumentID) -> TextState? = { _ in nil }
  /// True if another editor has the document open, was used since the client's version, and has the
  /// newest text.
  package var isUsedElsewhere = false
  /// True if the log has a history of a document.
  package var isKnown: (DocumentID) -> Bool
  /// The documents of the log in folders with these names, and in their subfolders.
  package var documents: (FolderNames) -> [DocumentID] = { _ in [] }
  /// The bytes of a document's file. Returns nil if the file cannot be read or is too long.
  package var readDisk: (DocumentID) -> [UInt8]?
  /// True if there is a document's file. False for a name that is not that of a file.
  package var hasFile: (DocumentID) -> Bool
  /// The digest of a text.
  package var digest: (UTF16Text) -> ContentDigest
  /// The digest of the text of a state.
  package var digestOfState: (TextState) -> ContentDigest

  package init(
    state: @escaping (DocumentID) -> TextState?,
    isKnown: @escaping (DocumentID) -> Bool,
    readDisk: @escaping (DocumentID) -> [UInt8]?,
    hasFile: @escaping (DocumentID) -> Bool,
    digest: @escaping (UTF16Text) -> ContentDigest,
    digestOfState: @escaping (TextState) -> ContentDigest
  ) {
    (self.state, self.isKnown) = (state, isKnown)
    (self.readDisk, self.hasFile) = (readDisk, hasFile)
    (self.digest, self.digestOfState) = (digest, digestOfState)
  }

  /// The text of a document's file. Returns nil if the file cannot be read or is not UTF-8.
  func textOfFile(_ document: DocumentID) -> UTF16Text? {
    readDisk(document).flatMap(UTF16Text.init(utf8:))
  }

  /// The text of a document's file, as it is compared. Returns nil if the file cannot be read or is
  /// not UTF-8.
  func file(of document: DocumentID) -> ComparableText? {
    readDisk(document).flatMap(ComparableText.init(bytes:))
  }
}
