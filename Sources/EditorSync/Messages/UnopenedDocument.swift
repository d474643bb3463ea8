package import EditModel

/// The identity of a document that a client changes or saves but has not opened.
package enum UnopenedDocument: Hashable, Sendable {
  /// An open document that was renamed without a notification: its file is gone.
  case renamed(from: DocumentID)
  /// An open document that was saved under this name, without a notification: its file is still there.
  case copied(from: DocumentID)
  /// Another document, whose text is known from the message, its file or the log.
  case opened
  /// Another document, whose text is not known.
  case unknown
}
