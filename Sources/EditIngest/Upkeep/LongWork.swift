import EditLog
import EditModel
import EditProtocol

/// Long work on one document, on another thread, while the loop takes other requests: a large document
/// is read, or a large edit is staged and then written.
struct LongWork {
  /// The editor that sent the message, if one did.
  var editor: EditorKey?
  /// True if the document is only read.
  var isReading = false
  /// The entries to write, once they are staged.
  var staged: StagedDocument?
  /// Called when the entries are durable, with a receipt if there are any, or with the error if they
  /// cannot be written.
  let whenDone: (Result<AppendReceipt?, ProtocolError>) -> Void
}
