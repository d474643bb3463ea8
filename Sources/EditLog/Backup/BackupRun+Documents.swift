import EditLogFormat
import EditModel

extension BackupRun {
  /// Copies the files of all documents that may have changed since they were last compared.
  mutating func copyDocuments(
    of moment: BackupMoment, _ progress: (Double) -> Void
  ) throws(LogError) {
    let due = moment.numbers.sorted().filter { number in
      compared[number] != .some(moment.catalog.documents[number]) || moment.hasEntries(number)
        || comparedAttachments[number] != moment.attachments[number]
    }
    for (position, number) in due.enumerated() {
      let expected = moment.catalog.documents[number]
      try copyDocument(number, expecting: expected, moment)
      compared[number] = .some(expected)
      comparedAttachments[number] = moment.attachments[number]
      progress(Double(position + 1) / Double(due.count))
    }
  }

  /// Copies the files of a document that the copy lacks, and removes those that the store no longer
  /// has.
  private mutating func copyDocument(
    _ number: UInt64, expecting expected: CatalogDocument?, _ moment: BackupMoment
  ) throws(LogError) {
    let from = try sourceDocuments?.document(number)
    let names = try from?.names().filter(Self.isCopied) ?? []
    // The document may have been forgotten since the moment.
    let lacking = moment.attachments[number]?.keys.filter {
      !names.contains(StoreLayout.name(of: $0))
    }
    if let digest = lacking?.min(by: { $0.description < $1.description }) {
      throw AttachmentFolder.missing(digest, of: number)
    }
    guard let from else {
      guard expected?.segments.isEmpty ?? true else {
        throw .damaged(
          file: "\(source.path)/\(DocumentsDirectory.path(of: number))", offset: 0,
          what: "the document's files are missing")
      }
      return
    }
    let to = try targetDocuments?.writable(number)
    if !isUnsynced(number), try isUnchanged(number, names, expected, from, to) { return }
    for name in names {
      guard let file = try missing(name, from, to) else { continue }
      report.note(fileOf: try file.size())
      guard !isPlan, let to else { continue }
      try copy(file, name, of: number, to: to, moment)
      // Readers of the former copy refuse a gap, so no segment is durable before those in front of it.
      if former != nil { try sync(to, of: number) }
    }
    guard !isPlan, let to else { return }
    // What replaces a file is durable before that is removed.
    if isUnsynced(number) { try sync(to, of: number) }
    let superfluous = try to.names().filter { !names.contains($0) }
    if !superfluous.isEmpty {
      try begin()
      unsynced.insert(number)
      for name in superfluous { try to.remove(name) }
      try sync(to, of: number)
    }
    let sealed = try SealedPart.openWhole(
      number, in: targetDocuments, store: store, expecting: SealedExpectation(listed: expected))
    try sealed?.checkComplete()
    newestNamed = max(newestNamed, sealed?.journal ?? 0)
  }

  /// True if the names in a document's folder may not be durable yet. After a run that was interrupted, none is
  /// known to be.
  private func isUnsynced(_ number: UInt64) -> Bool { unsynced.contains(number) || report.resumed }

  private mutating func sync(_ to: DocumentDirectory, of number: UInt64) throws(LogError) {
    try to.sync()
    unsynced.remove(number)
  }

  /// True for files that are copied. Checkpoints and stored projections are not: they are made again
  /// where they are needed. A file with the name is of format 1.0, and the catalog has it.
  private static func isCopied(_ name: String) -> Bool {
    !StoreLayout.numbers(.segment, in: [name]).isEmpty || name == StoreLayout.traces
      || StoreLayout.attachment(named: name) != nil
  }

  /// True if a document's files are those that the run before copied, by the catalogs, their names
  /// and their sizes.
  private func isUnchanged(
    _ number: UInt64, _ names: [String], _ expected: CatalogDocument?,
    _ from: DocumentDirectory, _ to: DocumentDirectory?
  ) throws(LogError) -> Bool {
    guard let to, let expected, former?.catalog.documents[number] == expected,
      try to.names() == names
    else { return false }
    for name in names {
      guard name != StoreLayout.traces,
        try to.open(name, .read).size() == from.open(name, .read).size()
      else { return false }
    }
    return true
  }

  /// The file in the store; nil if the copy has one that is equal.
  private func missing(
    _ name: String, _ from: DocumentDirectory, _ to: DocumentDirectory?
  ) throws(LogError) -> (any File)? {
    let file = try from.open(name, .read)
    let size = try file.size()
    guard let to, try to.exists(), let copy = try to.openIfPresent(name),
      try copy.size() == size
    else { return file }
    if StoreLayout.attachment(named: name) != nil { return nil }
    // The end of a segment has the checksum of the table with the checksums of all its units.
    let count = name == StoreLayout.traces ? size : min(size, ParityHeader.size)
    return try copy.read(count, at: size - count) == file.read(count, at: size - count) ? nil : file
  }

  /// Copies a file under a temporary name, flushes and checks it, and gives it its name.
  private mutating func copy(
    _ file: any File, _ name: String, of number: UInt64, to: DocumentDirectory,
    _ moment: BackupMoment
  ) throws(LogError) {
    try begin()
    let first = StoreLayout.numbers(.segment, in: [name]).first
    let temporary =
      first.map { StoreLayout.name(of: $0, .temporary) }
      ?? "\(name).\(StoreLayout.Kind.temporary.rawValue)"
    var flushes = FlushWatch()
    if first != 1 { try to.makeFolder(&flushes) }
    try to.removeIfPresent(temporary)
    do throws(LogError) {
      let copy = try to.open(temporary, .create)
      try FileCopy.copy(file, size: try file.size(), to: copy)
      let journal = try check(copy, name, first, of: number, from: file)
      // Readers of the copy refuse a segment that names a newer journal than the mark.
      if journal > former?.mark.journal ?? 0 { try loosenMark(to: journal, moment) }
      try to.prepare(renaming: temporary, to: name, &flushes)
      unsynced.insert(number)
      try to.rename(temporary, to: name, in: to)
    } catch {
      try? to.removeIfPresent(temporary)
      throw error
    }
  }

  /// Refuses a copy whose bytes are not those that the writer wrote: a sound copy is never replaced
  /// by a damaged one. Returns the journal that a segment names, 0 for other files.
  private func check(
    _ copy: any File, _ name: String, _ first: SequenceNumber?, of number: UInt64,
    from file: any File
  ) throws(LogError) -> UInt64 {
    let isSound: Bool
    var journal: UInt64 = 0
    do throws(LogError) {
      if let first {
        let segment = try Segment(
          copy, store: store, document: number, first: first, heals: false)
        journal = segment.index.journal
        isSound = try SegmentFile(copy).check().isSound
      } else if let digest = StoreLayout.attachment(named: name) {
        isSound = try AttachmentFolder.isValid(copy, digest, store: store, document: number)
      } else {
        isSound = true
      }
    } catch {
      guard case .damaged(_, let offset, let what) = error else { throw error }
      throw .damaged(file: file.path, offset: offset, what: what)
    }
    guard isSound else {
      throw .damaged(file: file.path, offset: 0, what: "its bytes do not have their checksums")
    }
    return journal
  }

  /// Erases the files of the documents in the copy that the store no longer has. The empty folders
  /// stay, as in the store.
  mutating func eraseRemoved(_ moment: BackupMoment) throws(LogError) {
    for number in try targetDocuments?.numbers() ?? [] where !moment.numbers.contains(number) {
      guard let folder = try targetDocuments?.writable(number), try folder.exists() else {
        continue
      }
      let names = try folder.names()
      guard !names.isEmpty else { continue }
      report.removedDocumentCount += 1
      guard !isPlan else { continue }
      try begin()
      try folder.removeOlder(erases: true)
      for name in try folder.names() { try folder.erase(name) }
      try folder.sync()
    }
  }
}
