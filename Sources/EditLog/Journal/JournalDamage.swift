import EditLogFormat

/// Bad bytes in a journal, before batches that were written later.
public struct JournalDamage: Hashable, Sendable, CustomStringConvertible {
  /// The journal's number.
  public var journal: UInt64
  /// Where the bad bytes start, in bytes from the start of the file.
  public var offset: Int
  /// The number of missing batches, each of which may hold edits of any document; 1 if it cannot be
  /// counted. 0 if only the file's own header is bad, or the bytes were never part of a batch.
  public var lostBatches: UInt64
  /// The number of journal files that are missing, from this one on; 0 if the file exists.
  public var missingCount: UInt64 = 0

  /// A place with everything known about it.
  public init(journal: UInt64, offset: Int, lostBatches: UInt64) {
    (self.journal, self.offset, self.lostBatches) = (journal, offset, lostBatches)
  }

  init(missing journal: UInt64, count: UInt64) {
    self.init(journal: journal, offset: 0, lostBatches: 0)
    missingCount = count
  }

  /// The file, by its path in the store.
  var file: String { "\(StoreLayout.journals)/\(StoreLayout.name(of: journal, .journal))" }
  /// What is lost, and where in the file.
  var place: String { isMissing ? what : "byte \(offset): \(what)" }

  /// True if the file of the journal `number` is missing.
  func isMissing(_ number: UInt64) -> Bool { number >= journal && number - journal < missingCount }
  /// True if the file itself is missing.
  public var isMissing: Bool { missingCount > 0 }
  /// True if acknowledged entries may be lost.
  public var isLoss: Bool { isMissing || lostBatches > 0 }

  var what: String {
    if missingCount == 1 { return "the journal is missing" }
    if missingCount > 1 { return "this journal and the \(missingCount - 1) after it are missing" }
    return switch lostBatches {
    case 0: "a batch out of order, or bytes that are not part of a batch"
    case 1: "1 batch is missing or bad"
    default: "\(lostBatches) batches are missing or bad"
    }
  }

  /// True if only the file's header has changed, and no batch is missing.
  var isHeaderAlone: Bool { offset == 0 && lostBatches == 0 && !isMissing }

  /// One line: the file, the place, what is missing.
  public var description: String {
    isMissing ? "\(file): \(what)" : "\(file), byte \(offset): \(what)"
  }
}

extension JournalDamage {
  /// Identifies the damage permanently.
  var key: String {
    "journal \(journal) byte \(offset) batches \(lostBatches) files \(missingCount)"
  }
}
