import Synchronization

/// Passes a document to another thread without a second reference to its text: with one, the first edit
/// would copy the text.
final class DocumentHandover: Sendable {
  private let document: Mutex<LiveDocument?>

  init(_ document: consuming LiveDocument) { self.document = Mutex(document) }

  /// Returns the document the first time, then nil.
  func take() -> LiveDocument? { document.withLock { $0.take() } }
}
