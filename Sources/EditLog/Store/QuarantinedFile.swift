import EditLogFormat
import EditModel

/// A file in the folder `quarantine`, and whether it is still needed.
public struct QuarantinedFile: Hashable, Sendable {
  /// Whether the content of a file is still needed.
  public enum Content: Hashable, Sendable {
    /// Every entry in it is in a history: the file can be removed.
    case recovered
    /// The end of a write that was never acknowledged. No history lacks anything because of it.
    case unacknowledged
    /// Some of its entries may be in no history. The reason is a phrase such as "it cannot be
    /// read".
    case unproven(reason: String)
  }

  /// The file's path, relative to the store.
  public var file: String
  /// Its size in bytes.
  public var size: Int
  /// Whether its content is still needed.
  public var content: Content
}

/// Compares the files in `quarantine` with the histories of a store.
struct QuarantineCheck {
  let directory: any Directory
  let store: StoreID
  /// The history of a document by its number; nil if there is no such document.
  let history: (UInt64) throws(LogError) -> History?

  /// All files, by name. Reads the files, and the same entries from the histories.
  func files() throws(LogError) -> [QuarantinedFile] {
    var files: [QuarantinedFile] = []
    for name in try directory.names() {
      var file = QuarantinedFile(
        file: "\(StoreLayout.quarantine)/\(name)", size: 0,
        content: .unproven(reason: "it cannot be read"))
      do throws(LogError) {
        let opened = try directory.open(name, .read)
        file.size = try opened.size()
        file.content = try content(of: opened, name)
      } catch {
        // If the file or a history is damaged, or the file is of another kind, nothing is proven.
        switch error {
        case .damaged, .refused, .newerFormat: break
        default:
          // Removed since the names were read.
          if error.isMissing { continue }
          throw error
        }
      }
      files.append(file)
    }
    return files
  }

  private func content(
    of file: any File, _ name: String
  ) throws(LogError) -> QuarantinedFile.Content {
    func has(_ kind: StoreLayout.Kind) -> Bool { name.hasSuffix("." + kind.rawValue) }
    if has(.torn) { return .unacknowledged }
    if has(.mended) || has(.segment) { return try contentOfSegment(file) }
    if has(.journal) { return try contentOfJournal(file) }
    if has(.attachment) { return .unproven(reason: "it is a damaged attachment") }
    return .unproven(reason: "it is not a file that the store quarantines")
  }

  // MARK: Segments

  private func contentOfSegment(_ file: any File) throws(LogError) -> QuarantinedFile.Content {
    let header = try SegmentFile(file).header(store: store)
    let segment = try Segment(
      file, store: store, document: header.number, first: header.second)
    guard !segment.index.isRebuilt else {
      return .unproven(reason: "its footer is lost, so entries may be missing from it")
    }
    guard let history = try history(header.number) else {
      return .unproven(reason: "its document is not in the store")
    }
    for block in segment.index.blocks
    where try !history.contains(try segment.entries(of: block)) {
      return .unproven(reason: "it holds entries that the history lacks")
    }
    return .recovered
  }

  // MARK: Journals

  private func contentOfJournal(_ file: any File) throws(LogError) -> QuarantinedFile.Content {
    let size = try file.size()
    guard size <= JournalContents.sizeMax else { return .unproven(reason: "it is too large") }
    return try file.withSparseBytes(size: size, trustingHoles: false) {
      source throws(LogError) in
      let scan = JournalScan(source, store: store, following: nil)
      guard scan.damages.allSatisfy({ $0.lostBatches == 0 }), scan.torn.isEmpty else {
        return .unproven(reason: "batches in it are missing or bad")
      }
      for batch in scan.batches {
        let body = UnsafeRawBufferPointer(rebasing: source.bytes[batch.body])
        let entries: [UInt64: [HistoryEntry]]
        do throws(CodecError) {
          entries = try Self.entries(in: body, count: batch.header.recordCount)
        } catch { return .unproven(reason: "a batch in it cannot be read") }
        for (document, entries) in entries where try history(document)?.contains(entries) != true {
          return .unproven(reason: "it holds entries that no history has")
        }
      }
      return .recovered
    }
  }

  /// The entries of a batch by document. Those of a forgotten document were erased: they are zeros.
  private static func entries(
    in body: UnsafeRawBufferPointer, count: Int
  ) throws(CodecError) -> [UInt64: [HistoryEntry]] {
    var entries: [UInt64: [HistoryEntry]] = [:]
    var reader = ByteReader(body)
    for _ in 0..<count {
      guard case .entry(let document, let row) = try JournalRecord.read(&reader) else { continue }
      var rowReader = ByteReader(row)
      _ = try rowReader.readVarint()
      let bytes = try EntryBytes(&rowReader)
      let isErased = bytes.meta.allSatisfy { $0 == 0 } && bytes.content.allSatisfy { $0 == 0 }
      if !isErased { entries[document, default: []].append(try HistoryEntry(bytes)) }
    }
    try reader.expectEnd()
    return entries
  }
}

extension History {
  /// True if each of `entries` is in the history. Reads the part of the history that they span.
  func contains(_ entries: [HistoryEntry]) throws(LogError) -> Bool {
    let places = entries.map(\.place)
    guard let first = places.min(), let last = places.max() else { return true }
    guard last <= lastSequence else { return false }
    var found: [SequenceNumber: [HistoryEntry]] = [:]
    // An event has the place of the edit before it, which may be in the piece before.
    try forEachPiece(from: first, { $0 }) { piece throws(LogError) in
      guard piece.mayHold(through: last, in: self) else { return false }
      for entry in try self.entries(of: piece) where (first...last).contains(entry.place) {
        found[entry.place, default: []].append(entry)
      }
      return true
    }
    return entries.allSatisfy { found[$0.place]?.contains($0) == true }
  }
}

extension Store {
  /// The files in the folder `quarantine`, each with whether all its entries are in a history.
  /// Reads the files and these entries. O(bytes of the files).
  ///
  /// - Throws: `LogError.io`.
  public func quarantinedFiles() throws(LogError) -> [QuarantinedFile] {
    guard let directory = try root.directoryIfPresent(StoreLayout.quarantine) else { return [] }
    let names = try documentNumbers()
    let documents = Dictionary(names.map { ($0.value, $0.key) }, uniquingKeysWith: { $1 })
    let check = QuarantineCheck(directory: directory, store: id) { number throws(LogError) in
      guard let document = documents[number] else { return nil }
      return try self.history(of: document)
    }
    return try check.files()
  }
}
