import EditLogFormat
public import EditModel

/// The summary of a document, made without reading its blocks.
public struct DocumentSummary: Hashable, Sendable {
  /// Its name.
  public var document: DocumentID
  /// Its number in the store.
  public var number: UInt64
  /// The sequence number of its last edit; 0 if there is none.
  public var lastSequence: SequenceNumber
  /// The time of its first entry, if it has one.
  public var firstTime: Timestamp?
  /// The time of its last entry, if it has one.
  public var lastTime: Timestamp?
  /// Bytes of its segments.
  public var sealedSize: Int
  /// Bytes of its entries that are only in the journal.
  public var unsealedSize: Int
  /// Why the document cannot be read, or what is repaired as it is read. Nil if nothing was noticed;
  /// only a check of every byte proves that nothing is wrong.
  public var problem: LogError?
  /// The damage that is known: what is missing.
  public var damage: [HistoryDamage] = []
}

extension DocumentSummary {
  /// The summary of the history that `history` returns, or only the problem if that throws
  /// `damaged` or `refused`. Returns nil if there is no history.
  init?(
    _ document: DocumentID, _ number: UInt64, _ history: () throws(LogError) -> History?
  ) throws(LogError) {
    do throws(LogError) {
      guard let summary = try history()?.summary() else { return nil }
      self = summary
    } catch {
      switch error {
      case .damaged, .refused: break
      default: throw error
      }
      self.init(
        document: document, number: number, lastSequence: 0, sealedSize: 0, unsealedSize: 0,
        problem: error)
    }
  }
}

extension History {
  /// The summary of the document, without reading its blocks. O(segments).
  public func summary() throws(LogError) -> DocumentSummary {
    var summary = DocumentSummary(
      document: document, number: number, lastSequence: lastSequence,
      firstTime: unsealed.chunks.first?.firstTime, lastTime: unsealed.chunks.last?.lastTime,
      sealedSize: 0, unsealedSize: unsealed.size, damage: damage)
    guard let sealed, sealed.count > 0 else { return summary }
    let first = try sealed.segment(0).index.blocks.first?.header.firstTime
    summary.firstTime = first ?? summary.firstTime
    summary.lastTime = summary.lastTime ?? sealed.last?.index.blocks.last?.header.lastTime
    try sealed.forEach { segment in
      summary.sealedSize += segment.file.size
      summary.problem = summary.problem ?? segment.noticedProblem
    }
    return summary
  }
}

extension History {
  /// The decompressed bytes of its blocks and of the unsealed entries; `Int.max` if there are
  /// several segments: a second one is begun only when the first is large. O(blocks).
  public var decodedSize: Int {
    guard let sealed, let last = sealed.last else { return unsealed.size }
    guard sealed.count == 1 else { return .max }
    return last.index.blocks.reduce(unsealed.size) { $0 + $1.header.decodedSize }
  }
}

extension Segment {
  /// The damage that was noticed when the segment was opened.
  var noticedProblem: LogError? {
    if index.isRebuilt {
      return .damaged(file: file.path, offset: index.blocksEnd, what: "the footer is lost")
    }
    return file.isHealed
      ? .damaged(file: file.path, offset: 0, what: "it has changed, and the parity restores it")
      : nil
  }
}

/// The status of a store, documents excluded.
public struct StoreStatus: Hashable, Sendable {
  /// The store's name.
  public var store: StoreID
  /// The size of each journal by its number, reserved bytes included.
  public var journals: [UInt64: Int]
  /// The damage in the journals now.
  public var damages: [JournalDamage]
  /// The sizes of the files in quarantine, by file name.
  public var quarantine: [String: Int]
}
