package import EditModel

/// The required content of a store: its documents, how far each is sealed, and the known losses.
/// The durable mark says which journals must exist.
package struct Catalog: Hashable, Sendable {
  /// The maximum size of the file in bytes.
  package static let sizeMax = 1 << 32

  /// The documents that were sealed, by number.
  package var documents: [UInt64: CatalogDocument] = [:]
  /// The highest number of a document that was ever sealed or forgotten. No number is given twice.
  package var newestDocument: UInt64 = 0
  /// The sizes of the attachments that must be stored, by document. Only the file `attachments` has
  /// them.
  package var attachments: [UInt64: [AttachmentDigest: Int]] = [:]
  /// The losses of acknowledged data, in the order in which they were noticed.
  package private(set) var losses: [StoreLoss] = []
  /// The place of each loss in `losses`, by its key.
  private var lossPositions: [String: Int] = [:]

  /// The catalog of an empty store.
  package init() {}

  /// One record of the file.
  package enum Record: Hashable {
    case document(UInt64, CatalogDocument)
    /// The document was forgotten, or has never been sealed.
    case removed(UInt64)
    /// A loss, or the acceptance of the loss with the same key.
    case loss(StoreLoss)
    /// An attachment of a document was stored: its size in bytes; nil if its loss was accepted.
    case attachment(UInt64, AttachmentDigest, size: Int?)
  }

  /// Applies a record. O(1).
  package mutating func apply(_ record: Record) {
    switch record {
    case .document(let number, let document):
      documents[number] = document
      newestDocument = max(newestDocument, number)
    case .removed(let number):
      (documents[number], attachments[number]) = (nil, nil)
      newestDocument = max(newestDocument, number)
    case .attachment(let number, let digest, let size):
      attachments[number, default: [:]][digest] = size
    case .loss(let loss):
      if let position = lossPositions[loss.key] {
        losses[position] = loss
      } else {
        lossPositions[loss.key] = losses.count
        losses.append(loss)
      }
    }
  }

  /// The records from which the whole catalog can be rebuilt, in a fixed order.
  package var records: [Record] {
    var records = documents.sorted { $0.key < $1.key }.map { Record.document($0.key, $0.value) }
    if newestDocument > 0, documents[newestDocument] == nil {
      records.append(.removed(newestDocument))
    }
    for (number, stored) in attachments.sorted(by: { $0.key < $1.key }) {
      records += stored.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
        .map { .attachment(number, $0.key, size: $0.value) }
    }
    return records + losses.map { .loss($0) }
  }

  /// The loss with this key, if it is known. O(1).
  package func loss(_ key: String) -> StoreLoss? { lossPositions[key].map { losses[$0] } }

  /// The keys of the accepted losses. O(losses).
  package var acceptedKeys: Set<String> {
    Set(losses.lazy.filter { $0.acceptedTime != nil }.map(\.key))
  }

  /// True if a loss with this key was accepted. O(1).
  package func isAccepted(_ key: String) -> Bool { loss(key)?.acceptedTime != nil }
}

/// The sealed part of one document, as the catalog describes it.
package struct CatalogDocument: Hashable, Sendable {
  /// A segment: its first sequence number, the number of its last entry, and the size of its file
  /// in bytes.
  package struct Segment: Hashable, Sendable {
    package var first: SequenceNumber
    package var lastIndex: UInt64
    package var size: Int

    package init(first: SequenceNumber, lastIndex: UInt64, size: Int) {
      (self.first, self.lastIndex, self.size) = (first, lastIndex, size)
    }
  }

  /// The times of two entries. In a sound history, the second is the later one.
  package struct Times: Hashable, Sendable {
    package var first: Timestamp
    package var last: Timestamp

    package init(first: Timestamp, last: Timestamp) { (self.first, self.last) = (first, last) }
  }

  package var name: DocumentID
  /// The number of the last sealed entry, edits and events counted together, and of the last edit.
  package var lastIndex: UInt64
  package var lastSequence: SequenceNumber
  /// The head of the chain after the last sealed entry.
  package var head: ChainHead
  /// The journal that the last segment names.
  package var journal: UInt64
  /// The times of the first and the last sealed entry; nil if that is not known.
  package var times: Times?
  /// True if the history is known to lack something.
  package var isDamaged = false
  /// The segments, in order.
  package var segments: [Segment]

  package init(
    name: DocumentID, lastIndex: UInt64, lastSequence: SequenceNumber, head: ChainHead,
    journal: UInt64, isDamaged: Bool = false, segments: [Segment]
  ) {
    (self.name, self.head, self.journal) = (name, head, journal)
    (self.lastIndex, self.lastSequence) = (lastIndex, lastSequence)
    (self.isDamaged, self.segments) = (isDamaged, segments)
  }
}
