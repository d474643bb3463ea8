import EditLogFormat
import EditModel

/// Writes the entries of a document that were unsealed at one moment to a segment.
struct SealWork: JobWork {
  let folder: DocumentFolder
  let options: StoreWriter.Options
  /// The entries to seal, as they were at that moment; the places at which they end; and the
  /// journal that has the next entries.
  private(set) var entries: EntryList
  /// Entries to append after the unsealed ones. No journal has them.
  var added: [HistoryEntry] = []
  var lastIndex: UInt64
  var lastSequence: SequenceNumber
  var head: ChainHead
  var part: ChainPart
  let damages: [HistoryDamage]
  private(set) var journal: UInt64
  /// What the part that is sealed already must agree with.
  let expected: SealedExpectation
  /// The number of unsealed entries after those to seal.
  private(set) var restCount = 0

  init(
    folder: DocumentFolder, options: StoreWriter.Options, entries: EntryList, lastIndex: UInt64,
    lastSequence: SequenceNumber, head: ChainHead, part: ChainPart, damages: [HistoryDamage],
    journal: UInt64, expected: SealedExpectation
  ) {
    (self.folder, self.options, self.entries) = (folder, options, entries)
    (self.lastIndex, self.lastSequence, self.head) = (lastIndex, lastSequence, head)
    (self.part, self.damages) = (part, damages)
    (self.journal, self.expected) = (journal, expected)
  }

  /// The work of sealing only the first entries, about `countMax`. Returns nil if all must be sealed at
  /// once. The hash of the chain is known after each link, so the entries end with a link.
  func prefix(countMax: Int) -> SealWork? {
    let front = entries.prefix(countMax: countMax)
    guard damages.isEmpty, front.count < entries.count, let end = front.chunks.last?.last,
      let link = part.link(DocumentChain.link(of: end))
    else { return nil }
    var work = self
    work.restCount = entries.count - front.count
    work.journal = entries.chunks[front.chunks.count].journal
    (work.entries, work.lastSequence, work.head) = (front, end, link)
    work.lastIndex -= UInt64(work.restCount)
    work.part = part.prefix(through: DocumentChain.link(of: end))
    return work
  }

  func run(_ job: StoreJob, _ flushes: inout FlushWatch) throws(LogError) -> WrittenFile? {
    let directory = try folder.open()
    let sealed = try SealedPart(
      in: directory, store: folder.store, document: folder.number, expecting: expected)
    try checkEnd(of: sealed)
    // A crash may have left the segment beside the folder.
    if sealed.count == 1, sealed.last?.index.isRebuilt == false { try directory.removeOlder() }
    let first = mergedFirst(sealed) ?? (sealed.lastSequence + 1)
    let temporary = StoreLayout.name(of: first, .temporary)
    if first > 1 { try directory.makeFolder(&flushes) }
    let written: WrittenSegment
    do {
      written = try write(over: sealed, as: temporary, first: first, &flushes)
    } catch {
      // The entries are still in the journal; a leftover would be removed the next time.
      try? directory.remove(temporary)
      throw error
    }
    // They are a cache: an error in them does not keep entries in the journal.
    for series in CheckpointSeries.allCases {
      _ = try? CheckpointFolder(
        series, in: directory, store: folder.store, document: folder.number
      ).removeBad(through: lastSequence)
    }
    return WrittenFile(
      directory: directory, temporary: temporary, name: StoreLayout.name(of: first, .segment),
      listing: try sealed.listing(folder.id, after: expected.listed, with: written))
  }

  func finish(_ writer: StoreWriter, _ state: DocumentState) {
    state.unsealed.removeFirst(entries)
    state.part.removeFirst(part)
    state.damages.removeFirst(damages.count)
    // Later entries are in the journal of that moment and in newer ones.
    let isSealed = state.unsealed.isEmpty
    for position in writer.oldJournals.indices
    where isSealed || writer.oldJournals[position].number < journal {
      writer.oldJournals[position].pending.remove(state.number)
    }
    if isSealed { writer.pending.remove(state.number) }
  }

  /// Refuses segments that were replaced since the writer read them.
  private func checkEnd(of sealed: SealedPart) throws(LogError) {
    guard let before = entries.chunks.first?.before ?? added.first?.before,
      before != sealed.lastSequence
    else { return }
    throw .damaged(
      file: sealed.last?.file.path ?? sealed.directory.path, offset: 0,
      what: """
        the segments end with edit \(sealed.lastSequence), but the entries to seal continue from \
        edit \(before): segments were replaced or removed
        """)
  }

  /// The first sequence number of the segment that the new one replaces; nil if it replaces none.
  private func mergedFirst(_ sealed: SealedPart) -> SequenceNumber? {
    guard let last = sealed.last, let first = sealed.firsts.last else { return nil }
    // A segment with only events has the name that the next one would have.
    let isSmall = last.index.dataSize < options.segmentSizeMax
    return isSmall || first == sealed.lastSequence + 1 ? first : nil
  }

  /// Writes, flushes and checks the segment with the entries, and with those of the segment that it
  /// replaces.
  private func write(
    over sealed: SealedPart, as temporary: String, first: SequenceNumber,
    _ flushes: inout FlushWatch
  ) throws(LogError) -> WrittenSegment {
    let file = try sealed.directory.open(temporary, .create)
    var writer = try SegmentWriter(
      file, store: folder.store, document: folder.number, first: first, level: options.level,
      largeLevel: options.largeLevel)
    var all = try decodedEntries()
    all += added
    if let last = sealed.last, first == sealed.firsts.last {
      let blocks = last.index.blocks
      // A last block that is not full grows; all others, and compacted ones, are copied.
      let open = blocks.dropFirst(last.index.compactedCount).last.flatMap {
        $0.header.editCount < options.blockEditCountMax && !all.isEmpty ? $0 : nil
      }
      try writer.copy(open == nil ? blocks[...] : blocks.dropLast(), of: last)
      if let open { all.insert(contentsOf: try last.entries(of: open), at: 0) }
      guard writer.index.chain.continues(in: part) else {
        throw .damaged(
          file: last.file.path, offset: last.index.blocksEnd,
          what: "the hash chain does not continue from this segment")
      }
    } else if let last = sealed.last {
      writer.carryOn(from: last)
    }
    try writer.append(all, editCountMax: options.blockEditCountMax)
    try writer.finish { describe(&$0, all.suffix(entries.count + added.count)) }
    try flushes.watch { () throws(LogError) in try file.sync() }
    try writer.check()
    return WrittenSegment(first: first, index: writer.index, size: try file.size())
  }

  /// The footer's content about the new entries.
  private func describe(_ index: inout SegmentIndex, _ entries: ArraySlice<HistoryEntry>) {
    index.name = folder.id
    (index.lastIndex, index.lastSequence) = (lastIndex, lastSequence)
    (index.head, index.journal) = (head, journal)
    index.damages += damages
    index.chain.append(part)
    for entry in entries {
      index.sessions.note(entry)
      if case .event(let event) = entry { index.events.append(event) }
    }
  }

  private func decodedEntries() throws(LogError) -> [HistoryEntry] {
    do { return try entries.entries() } catch {
      throw .damaged(
        file: StoreLayout.journals, offset: error.offset, what: error.problem.rawValue)
    }
  }
}
