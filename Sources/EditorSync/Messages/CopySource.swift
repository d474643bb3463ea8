package import EditModel

/// The version that a document begins as a copy of.
package struct CopySource: Hashable, Sendable {
  /// The other document.
  package var document: DocumentID
  /// The version of it.
  package var sequence: SequenceNumber

  /// A version.
  package init(_ document: DocumentID, at sequence: SequenceNumber) {
    (self.document, self.sequence) = (document, sequence)
  }

  var event: PlannedEntry { .event(.copied(from: document, at: sequence)) }
}
