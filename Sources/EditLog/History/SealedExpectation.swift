import EditLogFormat
import EditModel

/// What the files of a document must agree with, as far as the rest of the store tells.
struct SealedExpectation: Sendable {
  /// What must be sealed at least; nil if that is not known.
  var listed: CatalogDocument?
  /// The name that the last segment must have; nil if the journals have a newer one.
  var name: DocumentID?
  var journals = JournalLimit()
}

/// The newest journal that a store has had. A file that names a newer one is not what was written:
/// the entries of the journals would be taken for older ones, and be skipped.
struct JournalLimit: Sendable {
  /// Its number; nil if it is not known, because the durable mark is lost.
  var newest: UInt64?
  /// The journals, to look again: a writer may have started a newer one. Nil for the writer itself.
  var folder: (any Directory)?

  func allows(_ number: UInt64) throws(LogError) -> Bool {
    guard let newest, number > newest else { return true }
    guard let folder else { return false }
    return number <= StoreLayout.numbers(.journal, in: try folder.names()).last ?? 0
  }
}
