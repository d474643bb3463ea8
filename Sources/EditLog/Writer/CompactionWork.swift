import EditLogFormat
public import EditModel

/// Rewrites one segment of a document: the same entries in larger blocks, compressed harder.
///
/// The footer says which blocks are compacted. They are rewritten only if the last of them has
/// room, and only when the other blocks have a quarter of their size. So all compactions together
/// write a small multiple of the data.
struct CompactionWork: JobWork {
  let folder: DocumentFolder
  let options: StoreWriter.Options
  /// What the part that is sealed already must agree with: an older copy of a segment, compacted,
  /// would take the place of what was sealed.
  let expected: SealedExpectation

  func run(_ job: StoreJob, _ flushes: inout FlushWatch) throws(LogError) -> WrittenFile? {
    guard let directory = try folder.existing() else { return nil }
    let sealed = try SealedPart(
      in: directory, store: folder.store, document: folder.number, expecting: expected)
    try sealed.checkComplete()
    for position in 0..<sealed.count {
      let segment = try sealed.segment(position)
      guard isDue(segment.index, isOpen: position == sealed.count - 1) else { continue }
      let first = sealed.firsts[position]
      let temporary = StoreLayout.name(of: first, .temporary)
      do throws(LogError) {
        guard let written = try write(segment, first, to: directory, temporary, job, &flushes)
        else {
          try directory.remove(temporary)
          return nil
        }
        return WrittenFile(
          directory: directory, temporary: temporary, name: StoreLayout.name(of: first, .segment),
          listing: try sealed.listing(
            sealed.last?.index.name ?? folder.id, after: expected.listed, with: written))
      } catch {
        try? directory.remove(temporary)
        throw error
      }
    }
    return nil
  }

  /// True if compacting a segment is worth the work. The last segment, which may still grow, must
  /// have enough blocks that are not compacted.
  private func isDue(_ index: SegmentIndex, isOpen: Bool) -> Bool {
    let compacted = index.blocks.prefix(index.compactedCount).reduce(0) { $0 + $1.range.count }
    // Without its footer, the content of the new footer is not known.
    if index.isRebuilt { return false }
    let fresh = index.blocksEnd - FileHeader.size - compacted
    return fresh > 0 && (!isOpen || fresh >= max(options.compactionSizeMin, compacted / 4))
  }

  /// Writes the segment under its temporary name. Returns nil if that was stopped.
  private func write(
    _ segment: Segment, _ first: SequenceNumber, to directory: DocumentDirectory,
    _ temporary: String, _ job: StoreJob, _ flushes: inout FlushWatch
  ) throws(LogError) -> WrittenSegment? {
    try directory.removeIfPresent(temporary)
    let target = try directory.open(temporary, .create)
    var writer = try SegmentWriter(
      target, store: folder.store, document: folder.number, first: first,
      level: options.compactedLevel, largeLevel: options.level)
    let kept = keptCount(segment.index)
    try writer.copy(segment.index.blocks.prefix(kept), of: segment)
    var rest: [HistoryEntry] = []
    for block in segment.index.blocks.dropFirst(kept) {
      if job.isCancelled { return nil }
      rest += try segment.entries(of: block)
      // One entry more than the next block can hold shows that it is full.
      while case let count = blockCount(rest), count < rest.count {
        try writer.append(block: rest.prefix(count))
        rest.removeFirst(count)
      }
    }
    if !rest.isEmpty { try writer.append(block: rest[...]) }
    rest = []
    try writer.finish { $0.compactedCount = $0.blocks.count }
    try flushes.watch { () throws(LogError) in try target.sync() }
    try writer.check()
    try compare(segment, target, first, from: kept)
    if job.isCancelled { return nil }
    return WrittenSegment(first: first, index: writer.index, size: try target.size())
  }

  private func blockCount(_ entries: [HistoryEntry]) -> Int {
    BlockCodec.prefixCount(
      of: entries[...], editCountMax: options.compactedBlockEditCountMax)
  }

  /// The number of blocks at the front that stay unchanged: all compacted blocks, except a last one
  /// that is less than half full.
  private func keptCount(_ index: SegmentIndex) -> Int {
    guard index.compactedCount > 0 else { return 0 }
    let last = index.blocks[index.compactedCount - 1].header
    let isFull =
      last.editCount >= options.compactedBlockEditCountMax / 2
      || last.decodedSize >= BlockCodec.decodedSizeMax / 16
    return index.compactedCount - (isFull ? 0 : 1)
  }

  /// Reads the new segment back, and compares each entry with that of the old segment.
  private func compare(
    _ old: Segment, _ file: any File, _ first: SequenceNumber, from kept: Int
  ) throws(LogError) {
    let new = try Segment(
      file, store: folder.store, document: folder.number, first: first, heals: false)
    var olds = SegmentEntries(old, from: kept)
    var news = SegmentEntries(new, from: kept)
    while let entry = try olds.next() {
      guard try news.next(expecting: entry) == entry else { throw mismatch(new) }
    }
    guard try news.next() == nil else { throw mismatch(new) }
  }

  private func mismatch(_ segment: Segment) -> LogError {
    .damaged(
      file: segment.file.path, offset: segment.index.blocksEnd,
      what: "the compacted data differs when it is read back")
  }
}

/// The entries of a segment in order, with one block in memory.
private struct SegmentEntries {
  private let segment: Segment
  private var blocks: ArraySlice<SegmentIndex.Block>
  private var entries: ArraySlice<HistoryEntry> = []

  init(_ segment: Segment, from block: Int) {
    (self.segment, blocks) = (segment, segment.index.blocks[block...])
  }

  mutating func next(expecting entry: HistoryEntry? = nil) throws(LogError) -> HistoryEntry? {
    while entries.isEmpty {
      guard let block = blocks.popFirst() else { return nil }
      entries = try segment.entries(of: block, expecting: entry)[...]
    }
    return entries.popFirst()
  }
}

extension StoreWriter {
  /// Prepares to compact a document: to rewrite one of its segments in larger blocks that are
  /// compressed harder, if that is worth the work. Its history does not change.
  ///
  /// A document has more to compact as long as `StoreJob.producedFile` is true for the last job.
  ///
  /// - Throws: `LogError.refused` if a job of the document is under way; `LogError.poisoned`; the
  ///   error for which the document cannot be written to.
  public func prepareCompaction(_ document: DocumentID) throws(LogError) -> StoreJob? {
    try checkPoison()
    guard let number = numbers[document], let state = states[number] else { return nil }
    if let failure = state.failure { throw failure }
    try checkFree(state)
    let work = CompactionWork(
      folder: folder(of: state), options: options, expected: expectation(of: state))
    return start(work, state)
  }
}
