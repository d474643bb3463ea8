import EditLogFormat
import EditModel

/// The end of a history, to which entries are appended: its last numbers and its hash chain.
struct HistoryEnd: Sendable {
  private(set) var chain: DocumentChain
  /// The number of the last entry, edits and events counted together, and of the last edit.
  private(set) var lastIndex: UInt64
  private(set) var lastSequence: SequenceNumber
  /// The salts and links that the appended entries made.
  private(set) var part = ChainPart()

  init(chain: DocumentChain, lastIndex: UInt64, lastSequence: SequenceNumber) {
    (self.chain, self.lastIndex, self.lastSequence) = (chain, lastIndex, lastSequence)
  }

  /// The receipt for the last entry, valid once the entry is durable.
  func receipt(for document: DocumentID) -> AppendReceipt {
    AppendReceipt(document: document, lastSequence: lastSequence, head: chain.head)
  }

  /// Opens the link of the next entry and returns its number and salt. Returns nil if it is open.
  mutating func openLink(_ random: any RandomBytes) -> (number: UInt64, salt: [UInt8])? {
    guard !chain.isOpen else { return nil }
    let (number, salt) = (chain.linkCount + 1, random.bytes(DocumentChain.saltSize))
    chain.open(salt: salt)
    part.append(salt: salt, number: number)
    return (number, salt)
  }

  /// Adds the next entry, with its encoded bytes. The link must be open.
  mutating func add(_ entry: EntryPlace, _ record: EntryBytes) {
    let linkCount = advance(to: entry)
    chain.add(
      meta: record.meta, content: record.content, edit: entry.isEdit ? entry.place : nil)
    noteLink(after: linkCount)
  }

  /// As `add(_:_:)`. If the content of the entry is one text, it is encoded in pieces.
  mutating func add(_ entry: HistoryEntry) {
    guard case .edit(let edit) = entry, let text = RecordCodec.wholeContent(of: edit) else {
      var encoder = EntryEncoder()
      return encoder.withBytes(of: entry) { add(entry.entryPlace, $0) }
    }
    var meta = ByteWriter()
    let size = WTF8.size(of: text)
    RecordCodec.encodeMeta(edit, contentSize: size, to: &meta)
    var stream = WTF8Stream(text)
    let linkCount = advance(to: entry.entryPlace)
    meta.withUnsafeBytes { meta in
      chain.add(meta: meta, contentSize: size, edit: edit.sequence) { stream.forEach($0) }
    }
    noteLink(after: linkCount)
  }

  /// Counts the next entry. Returns the number of links before it.
  private mutating func advance(to entry: EntryPlace) -> UInt64 {
    precondition(
      entry.place == (entry.isEdit ? lastSequence + 1 : lastSequence),
      "an entry is not the document's next")
    lastIndex += 1
    lastSequence = entry.place
    return chain.linkCount
  }

  private mutating func noteLink(after linkCount: UInt64) {
    if chain.linkCount > linkCount { part.append(link: chain.link, number: chain.linkCount) }
  }
}

/// Encodes entries one at a time into a buffer that it reuses.
struct EntryEncoder: ~Copyable {
  private var meta = ByteWriter()
  private var content = ByteWriter()

  /// Runs `body` on the bytes of `entry`, which are valid until it returns.
  mutating func withBytes(of entry: HistoryEntry, _ body: (EntryBytes) -> Void) {
    meta.removeAll()
    content.removeAll()
    RecordCodec.encode(entry, meta: &meta, content: &content)
    meta.withUnsafeBytes { meta in
      content.withUnsafeBytes { content in body(EntryBytes(meta: meta, content: content)) }
    }
  }
}
