import EditLogFormat
public import EditModel

/// The space that a document takes in a store, in bytes.
public struct DocumentUsage: Hashable, Sendable {
  /// Its name.
  public var document: DocumentID
  /// The number of its edits; 0 if its footers cannot be read.
  public var editCount: UInt64 = 0
  /// The blocks of its segments.
  public var blockSize = 0
  /// The segments' headers, footers and trailers.
  public var footerSize = 0
  /// The parity over both.
  public var paritySize = 0
  /// Segments whose footers cannot be read, and files that are being written.
  public var otherSize = 0
  /// Its checkpoints, stored projections, and what its edits cost as they happened.
  public var checkpointSize = 0
  /// Its attachments.
  public var attachmentSize = 0
  /// The file with its name.
  public var nameSize = 0
  /// Its entries in the journals, sealed or not.
  public var journalSize = 0
  /// The sizes of the blocks and of the entries that are only in the journals, each with the time
  /// of its last entry, in the order of the history.
  public var ages: [Age] = []

  /// A run of entries.
  public struct Age: Hashable, Sendable {
    /// The time of the last of them.
    public var time: Timestamp
    /// Their size in bytes.
    public var size: Int
  }

  /// All bytes.
  public var size: Int {
    blockSize + footerSize + paritySize + otherSize + checkpointSize + attachmentSize + nameSize
      + journalSize
  }
}

/// The space that a store takes, in bytes.
public struct StoreUsage: Hashable, Sendable {
  /// The documents, by number.
  public var documents: [DocumentUsage] = []
  /// The journals, reserved bytes included.
  public var journalSize = 0
  /// Files of the store itself, and files in folders that belong to no known document.
  public var overheadSize = 0
  /// The files in quarantine.
  public var quarantineSize = 0

  /// The size of the journals without the entries of documents.
  public var journalOverheadSize: Int {
    journalSize - documents.reduce(0) { $0 + $1.journalSize }
  }
  /// All bytes.
  public var size: Int {
    documents.reduce(journalOverheadSize) { $0 + $1.size } + overheadSize + quarantineSize
  }
}

extension Store {
  /// The space that the store takes, by document and kind. Reads headers and footers, and no
  /// blocks. Files that a writer removes meanwhile are not counted.
  public func usage() throws(LogError) -> StoreUsage {
    var usage = StoreUsage()
    let status = try status()
    usage.journalSize = status.journals.values.reduce(0, +)
    usage.quarantineSize = status.quarantine.values.reduce(0, +)
    for name in [
      StoreLayout.format, StoreLayout.lock, StoreLayout.confirmed, StoreLayout.catalog,
      StoreLayout.attachments, StoreLayout.backup,
    ] {
      usage.overheadSize += try root.sizeIfPresent(name) ?? 0
    }
    let names = try documentNumbers().sorted { $0.value < $1.value }
    usage.documents = try names.concurrentMap(.low) { [self] (name) throws(LogError) in
      try self.usage(of: name.key, name.value)
    }
    let known = Set(names.map(\.value))
    for number in try documentsDirectory?.numbers() ?? [] where !known.contains(number) {
      guard let folder = try documentsDirectory?.document(number) else { continue }
      for file in try folder.names() { usage.overheadSize += try folder.sizeIfPresent(file) ?? 0 }
    }
    return usage
  }

  private func usage(of document: DocumentID, _ number: UInt64) throws(LogError) -> DocumentUsage {
    var usage = DocumentUsage(document: document)
    usage.journalSize = records[number]?.entries.reduce(0) { $0 + $1.bytes.count } ?? 0
    if let folder = try documentsDirectory?.document(number) {
      for name in try folder.names() { try usage.add(name, in: folder, store: id, number) }
    }
    do throws(LogError) {
      guard let history = try history(of: document) else { return usage }
      usage.editCount = history.lastSequence
      usage.ages += history.unsealed.chunks.map { .init(time: $0.lastTime, size: $0.bytes.count) }
    } catch {
      guard case .damaged = error else { throw error }
    }
    return usage
  }
}

extension DocumentUsage {
  fileprivate mutating func add(
    _ name: String, in folder: any Directory, store: StoreID, _ number: UInt64
  ) throws(LogError) {
    guard let file = try folder.fileIfPresent(name) else { return }
    let size = try file.size()
    if name == StoreLayout.name {
      nameSize += size
    } else if let first = StoreLayout.numbers(.segment, in: [name]).first {
      try add(segment: first, of: size, file, store: store, number)
    } else if name == StoreLayout.traces
      || CheckpointSeries.allCases.contains(where: {
        !StoreLayout.numbers($0.layout, in: [name]).isEmpty
      })
    {
      checkpointSize += size
    } else if StoreLayout.attachment(named: name) != nil {
      attachmentSize += size
    } else {
      otherSize += size
    }
  }

  private mutating func add(
    segment first: SequenceNumber, of size: Int, _ file: any File, store: StoreID, _ number: UInt64
  ) throws(LogError) {
    do throws(LogError) {
      let segment = try Segment(file, store: store, document: number, first: first)
      let index = segment.index
      blockSize += index.blocksEnd - FileHeader.size
      footerSize += index.dataSize - index.blocksEnd + FileHeader.size
      paritySize += segment.file.size - index.dataSize
      ages += index.blocks.map { .init(time: $0.header.lastTime, size: $0.range.count) }
    } catch {
      guard case .damaged = error else { throw error }
      otherSize += size
    }
  }
}

extension Directory {
  /// The bytes of a file; nil if there is none of this name.
  fileprivate func sizeIfPresent(_ name: String) throws(LogError) -> Int? {
    try fileIfPresent(name)?.size()
  }

  /// A file to read; nil if there is none of this name.
  fileprivate func fileIfPresent(_ name: String) throws(LogError) -> (any File)? {
    do { return try open(name, .read) } catch {
      if error.isMissing { return nil }
      throw error
    }
  }
}
