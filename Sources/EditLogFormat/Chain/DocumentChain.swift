package import EditModel

/// The hash chain of one document, up to the last record that was added.
///
/// Every 4,096 edits a link is closed:
///
///     link(0) = SHA-256("EditLog document" | store id | document number)
///     link(k) = SHA-256(link(k-1) | SHA-256(meta of its records) | SHA-256(salt(k) | content))
///
/// where each piece of meta or content comes after its size. Link k holds the edits 4096(k-1)+1 to
/// 4096k and the events among them; events after edit 4096k are in the next link. The head is the
/// link that the records since the last link would make; if there are none, it is the last link.
/// Content is hashed only together with a salt, so that a head does not help to guess the text.
package struct DocumentChain {
  /// The number of edits in a link.
  package static let linkSize: UInt64 = 4096
  /// The size of a salt in bytes.
  package static let saltSize = 16

  /// The number of closed links.
  package private(set) var linkCount: UInt64
  /// The last closed link.
  package private(set) var link: ChainHead
  /// True after the first record of the open link.
  package private(set) var isOpen = false
  private var meta = SHA256()
  private var content = SHA256()

  /// The chain of a document without records.
  package init(store: StoreID, document: UInt64) {
    var hash = SHA256()
    hash.update(Array("EditLog document".utf8))
    hash.update(store.bytes)
    withUnsafeBytes(of: document.littleEndian) { hash.update($0) }
    self.init(linkCount: 0, link: ChainHead(hash))
  }

  /// The chain after its `linkCount`-th link.
  package init(linkCount: UInt64, link: ChainHead) {
    (self.linkCount, self.link) = (linkCount, link)
  }

  /// The number of the link that holds the edit `sequence`, counted from 1.
  package static func link(of sequence: UInt64) -> UInt64 { (max(sequence, 1) - 1) / linkSize + 1 }

  /// Starts the open link.
  package mutating func open(salt: [UInt8]) {
    precondition(!isOpen && salt.count == Self.saltSize)
    isOpen = true
    content.update(salt)
  }

  /// Adds a record; `edit` is its sequence number if it is an edit. The link is open.
  package mutating func add(
    meta: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer, edit: UInt64?
  ) {
    precondition(isOpen)
    Self.add(meta, to: &self.meta)
    Self.add(content, to: &self.content)
    closeIfFull(edit)
  }

  /// As `add(meta:content:edit:)`. `forEachPiece` calls its argument with the `contentSize` bytes of
  /// the content, in pieces.
  package mutating func add(
    meta: UnsafeRawBufferPointer, contentSize: Int, edit: UInt64?,
    _ forEachPiece: ((UnsafeRawBufferPointer) -> Void) -> Void
  ) {
    precondition(isOpen)
    Self.add(meta, to: &self.meta)
    Self.add(size: contentSize, to: &content)
    forEachPiece { content.update($0) }
    closeIfFull(edit)
  }

  /// The hash over everything so far.
  package var head: ChainHead { isOpen ? closed : link }

  private var closed: ChainHead {
    var hash = SHA256()
    hash.update(link)
    hash.update(ChainHead(meta))
    hash.update(ChainHead(content))
    return ChainHead(hash)
  }

  private mutating func closeIfFull(_ edit: UInt64?) {
    guard let edit, edit % Self.linkSize == 0 else { return }
    self = DocumentChain(linkCount: linkCount + 1, link: closed)
  }

  private static func add(_ bytes: UnsafeRawBufferPointer, to hash: inout SHA256) {
    // One call for a small piece: the calls cost more than the hash.
    guard bytes.count <= smallSizeMax else {
      add(size: bytes.count, to: &hash)
      return hash.update(bytes)
    }
    withUnsafeTemporaryAllocation(byteCount: 8 + bytes.count, alignment: 8) { piece in
      piece.storeBytes(of: UInt64(bytes.count).littleEndian, as: UInt64.self)
      UnsafeMutableRawBufferPointer(rebasing: piece[8...]).copyMemory(from: bytes)
      hash.update(UnsafeRawBufferPointer(piece))
    }
  }

  /// The size in bytes up to which a piece is hashed with its size.
  private static let smallSizeMax = 504

  private static func add(size: Int, to hash: inout SHA256) {
    withUnsafeBytes(of: UInt64(size).littleEndian) { hash.update($0) }
  }
}

extension DocumentChain {
  /// Adds an entry, encoded with two writers that are reused.
  package mutating func add(
    _ entry: HistoryEntry, meta: inout ByteWriter, content: inout ByteWriter
  ) {
    meta.removeAll()
    content.removeAll()
    RecordCodec.encode(entry, meta: &meta, content: &content)
    meta.withUnsafeBytes { meta in
      content.withUnsafeBytes { content in
        add(meta: meta, content: content, edit: entry.isEdit ? entry.place : nil)
      }
    }
  }
}
