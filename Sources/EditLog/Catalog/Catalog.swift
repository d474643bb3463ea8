public import EditModel

/// What must be in a store: its documents with what is sealed of each, and what is known to be
/// lost. The durable mark adds which journals must exist.
struct Catalog: Hashable, Sendable {
  /// Bytes of the longest file.
  static let sizeMax = 1 << 32

  /// The documents that were sealed, by number.
  var documents: [UInt64: CatalogDocument] = [:]
  /// The highest number of a document that was ever sealed or forgotten: none is given twice.
  var newestDocument: UInt64 = 0
  /// What was acknowledged and is lost, in the order it was noticed.
  private(set) var losses: [StoreLoss] = []
  /// The place of each loss in `losses`, by its key.
  private var lossPositions: [String: Int] = [:]

  /// What one entry of the file says.
  enum Record: Hashable {
    case document(UInt64, CatalogDocument)
    /// The document is no more, or has never been sealed.
    case removed(UInt64)
    /// Something is lost, or, with the same key, the loss was accepted.
    case loss(StoreLoss)
  }

  /// Takes over what an entry says. O(1).
  mutating func apply(_ record: Record) {
    switch record {
    case .document(let number, let document):
      documents[number] = document
      newestDocument = max(newestDocument, number)
    case .removed(let number):
      documents[number] = nil
      newestDocument = max(newestDocument, number)
    case .loss(let loss):
      if let position = lossPositions[loss.key] {
        losses[position] = loss
      } else {
        lossPositions[loss.key] = losses.count
        losses.append(loss)
      }
    }
  }

  /// The records that say all of it, in a fixed order.
  var records: [Record] {
    var records = documents.sorted { $0.key < $1.key }.map { Record.document($0.key, $0.value) }
    if newestDocument > 0, documents[newestDocument] == nil {
      records.append(.removed(newestDocument))
    }
    return records + losses.map { .loss($0) }
  }

  /// The loss with this key, if it is known. O(1).
  func loss(_ key: String) -> StoreLoss? { lossPositions[key].map { losses[$0] } }

  /// True if a loss with this key was accepted. O(1).
  func isAccepted(_ key: String) -> Bool { loss(key)?.acceptedTime != nil }
}

/// What is sealed of one document, as the catalog has it.
struct CatalogDocument: Hashable, Sendable {
  /// A segment: its first sequence number, the number of its last entry, the bytes of its file.
  struct Segment: Hashable, Sendable {
    var first: SequenceNumber
    var lastIndex: UInt64
    var size: Int
  }

  /// The times of two entries. The second is the later one if all is well.
  struct Times: Hashable, Sendable {
    var first: Timestamp
    var last: Timestamp
  }

  var name: DocumentID
  /// The number of the last sealed entry, edits and events counted together, and of the last edit.
  var lastIndex: UInt64
  var lastSequence: SequenceNumber
  /// The head of the chain after the last sealed entry.
  var head: ChainHead
  /// The journal that the last segment names.
  var journal: UInt64
  /// The times of the first and the last sealed entry; nil if that is not known.
  var times: Times?
  /// True if the history is known to lack something.
  var isDamaged = false
  /// The segments, in order.
  var segments: [Segment]
}

/// Something that was acknowledged and is lost.
public struct StoreLoss: Hashable, Sendable, CustomStringConvertible {
  /// What is lost.
  public enum Kind: UInt8, Sendable {
    /// Entries that were acknowledged.
    case entries = 0
    /// What says which files must be there: the catalog or the durable mark. Nothing else is known
    /// to be missing.
    case record = 1
  }

  /// What is lost.
  public var kind = Kind.entries
  /// Names the loss for good: two with the same key are one.
  public var key: String
  /// The file it was in, by its path in the store.
  public var file: String
  /// What is lost.
  public var what: String
  /// When it was noticed.
  public var time: Timestamp
  /// When a person accepted it; nil before.
  public var acceptedTime: Timestamp?

  /// True if entries of any document may be among what is lost, and no person has accepted it.
  public var mayConcernAnyDocument: Bool {
    kind == .entries && acceptedTime == nil && !file.hasPrefix(StoreLayout.documents)
  }

  /// One line: the file, and what is lost.
  public var description: String { "\(file): \(what)" }
}
