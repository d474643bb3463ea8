import EditLogFormat
import EditModel

/// Entries of one document that are only in the journal, as bytes.
///
/// A copy is a snapshot: it shares all chunks, and an append to either copies the last one.
struct EntryList: Sendable {
  /// Consecutive entries, and what is known about them without decoding.
  struct Chunk: Sendable {
    /// The journal that holds them.
    var journal: UInt64
    /// `index | meta | content` for each entry, as in the journal.
    var bytes: [UInt8] = []
    var count = 0
    var eventCount = 0
    /// The place before the first entry, and the place of the last.
    var before: SequenceNumber
    var last: SequenceNumber
    var firstTime: Timestamp
    var lastTime: Timestamp
    /// True if the next entry begins a new chunk, whatever the size of this one.
    var isClosed = false
    /// True if the last entry is the last edit of a link of the hash chain.
    var endsLink = false
    var isFull: Bool { isClosed || endsLink || count >= 512 || bytes.count >= 1 << 16 }
  }

  private(set) var chunks: [Chunk] = []
  /// The numbers of entries and of edits among them.
  private(set) var count = 0
  private(set) var editCount = 0
  /// The size of the entries in bytes.
  private(set) var size = 0

  var isEmpty: Bool { chunks.isEmpty }

  /// Adds the bytes of an entry of journal `journal`, in the order of the history.
  mutating func append(
    _ bytes: UnsafeRawBufferPointer, at entry: EntryPlace, of journal: UInt64
  ) {
    if chunks.last.map({ $0.isFull || $0.journal != journal }) ?? true {
      let before = entry.isEdit ? entry.place - 1 : entry.place
      chunks.append(
        Chunk(
          journal: journal, before: before, last: before, firstTime: entry.time,
          lastTime: entry.time))
    }
    let last = chunks.count - 1
    chunks[last].bytes.append(contentsOf: bytes)
    chunks[last].count += 1
    chunks[last].eventCount += entry.isEdit ? 0 : 1
    chunks[last].last = entry.place
    chunks[last].lastTime = entry.time
    chunks[last].endsLink = entry.isEdit && entry.place.isMultiple(of: DocumentChain.linkSize)
    count += 1
    editCount += entry.isEdit ? 1 : 0
    size += bytes.count
  }

  /// Closes the last chunk, so that the entries so far stay in chunks of their own.
  mutating func closeChunk() {
    if !chunks.isEmpty { chunks[chunks.count - 1].isClosed = true }
  }

  /// The longest beginning of at most `countMax` entries that ends with a link of the hash chain; the
  /// shortest one if all are longer; the whole list if it has no such end. O(chunks).
  func prefix(countMax: Int) -> EntryList {
    if count <= countMax { return self }
    var (front, found) = (EntryList(), EntryList?.none)
    for (position, chunk) in chunks.enumerated() {
      front.count += chunk.count
      front.editCount += chunk.count - chunk.eventCount
      front.size += chunk.bytes.count
      if front.count > countMax, found != nil { break }
      guard chunk.endsLink else { continue }
      found = front
      found?.chunks = Array(chunks[...position])
      if front.count > countMax { break }
    }
    return found ?? self
  }

  /// Removes the entries of `front`, whole chunks at the beginning of this list.
  mutating func removeFirst(_ front: EntryList) {
    chunks.removeFirst(front.chunks.count)
    count -= front.count
    editCount -= front.editCount
    size -= front.size
  }

  /// Runs `body` on each entry's index and bytes, starting with the first chunk that satisfies
  /// `isFirst`.
  func forEach<Failure: Error>(
    from chunk: Int = 0,
    _ body: (UInt64, EntryBytes) throws(Failure) -> Void
  ) throws(Failure) {
    for chunk in chunks[chunk...] {
      try withBytes(of: chunk.bytes) { buffer throws(Failure) in
        var reader = ByteReader(buffer)
        while let (index, bytes) = Self.next(&reader) { try body(index, bytes) }
      }
    }
  }

  /// The entries of a chunk.
  func entries(of chunk: Int) throws(CodecError) -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    entries.reserveCapacity(chunks[chunk].count)
    try append(chunk, to: &entries)
    return entries
  }

  private func append(_ chunk: Int, to entries: inout [HistoryEntry]) throws(CodecError) {
    try withBytes(of: chunks[chunk].bytes) { buffer throws(CodecError) in
      var reader = ByteReader(buffer)
      while let (_, bytes) = Self.next(&reader) { entries.append(try HistoryEntry(bytes)) }
    }
  }

  /// All entries.
  func entries() throws(CodecError) -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    entries.reserveCapacity(count)
    for chunk in chunks.indices { try append(chunk, to: &entries) }
    return entries
  }

  /// The next entry's index and bytes. `EntryBytes.write` has written the bytes of chunks.
  private static func next(_ reader: inout ByteReader) -> (UInt64, EntryBytes)? {
    do throws(CodecError) {
      return reader.isAtEnd ? nil : (try reader.readVarint(), try EntryBytes(&reader))
    } catch {
      preconditionFailure("a chunk in memory does not decode: \(error)")
    }
  }
}
