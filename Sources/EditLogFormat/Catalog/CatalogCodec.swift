package import EditModel

/// The bytes of a catalog: a header (number = generation), then entries without a gap.
///
///     size of the body: u32 | checksum: u32 | body: records, one after the other
///
/// The checksum is over the hash before the entry, the size and the body, so an entry is valid only
/// in its place. The hash before the first entry is that of the file's header; the hash after an
/// entry is SHA-256(hash before | body).
package enum CatalogCodec {
  /// Bytes before a body.
  package static let frontSize = 8
  /// The maximum size of a body in bytes.
  package static let bodySizeMax = 1 << 24

  private enum Tag: UInt8 {
    case document = 0
    case removed = 1
    case loss = 2
    /// Only in the file `attachments`: an older program does not read on after it.
    case attachment = 3
  }

  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let times = Flags(rawValue: 1)
    static let damaged = Flags(rawValue: 2)
  }

  // MARK: Writing

  /// The hash before the first entry of a file with this header.
  package static func start(_ header: FileHeader) -> ChainHead {
    var hash = SHA256()
    hash.update(header.bytes)
    return ChainHead(hash)
  }

  /// Writes entries that hold `records`; returns the hash after the last of them.
  package static func write(
    _ records: some Sequence<Catalog.Record>, after hash: ChainHead, to file: inout ByteWriter
  ) -> ChainHead {
    var hash = hash
    var body = ByteWriter(capacity: 4096)
    for record in records {
      write(record, to: &body)
      if body.count > bodySizeMax / 2 { hash = end(&body, after: hash, in: &file) }
    }
    return body.isEmpty ? hash : end(&body, after: hash, in: &file)
  }

  private static func end(
    _ body: inout ByteWriter, after hash: ChainHead, in file: inout ByteWriter
  ) -> ChainHead {
    file.write(fixed: UInt32(body.count))
    file.write(fixed: body.withUnsafeBytes { checksum($0, after: hash) })
    file.write(body)
    defer { body.removeAll() }
    return body.withUnsafeBytes { next($0, after: hash) }
  }

  private static func checksum(
    _ body: UnsafeRawBufferPointer, after hash: ChainHead
  ) -> UInt32 {
    let size = withUnsafeBytes(of: UInt32(body.count).littleEndian) { size in
      hash.withUnsafeBytes { CRC32C.checksum(size, continuing: CRC32C.checksum($0)) }
    }
    return CRC32C.checksum(body, continuing: size)
  }

  private static func next(_ body: UnsafeRawBufferPointer, after hash: ChainHead) -> ChainHead {
    var sum = SHA256()
    sum.update(hash)
    sum.update(body)
    return ChainHead(sum)
  }

  private static func write(_ record: Catalog.Record, to body: inout ByteWriter) {
    switch record {
    case .document(let number, let document):
      body.write(Tag.document.rawValue)
      body.write(varint: number)
      write(document, to: &body)
    case .removed(let number):
      body.write(Tag.removed.rawValue)
      body.write(varint: number)
    case .attachment(let number, let digest, let size):
      body.write(Tag.attachment.rawValue)
      body.write(varint: number)
      body.write(bytes: digest.bytes)
      body.write(varint: size.map { UInt64($0) + 1 } ?? 0)
    case .loss(let loss):
      body.write(Tag.loss.rawValue)
      body.write(loss.kind.rawValue)
      body.write(string: loss.key)
      body.write(string: loss.file)
      body.write(string: loss.what)
      body.write(fixed: loss.time.nanoseconds)
      body.write(loss.acceptedTime == nil ? 0 : 1)
      if let time = loss.acceptedTime { body.write(fixed: time.nanoseconds) }
    }
  }

  private static func write(_ document: CatalogDocument, to body: inout ByteWriter) {
    var flags: Flags = document.isDamaged ? .damaged : []
    if document.times != nil { flags.insert(.times) }
    body.write(flags.rawValue)
    body.write(string: document.name.name)
    body.write(varint: document.lastIndex)
    body.write(varint: document.lastSequence)
    document.head.withUnsafeBytes { body.write(bytes: $0) }
    body.write(varint: document.journal)
    if let times = document.times {
      body.write(fixed: times.first.nanoseconds)
      body.write(fixed: times.last.nanoseconds)
    }
    body.write(count: document.segments.count)
    for segment in document.segments {
      body.write(varint: segment.first)
      body.write(varint: segment.lastIndex)
      body.write(count: segment.size)
    }
  }

  // MARK: Reading

  /// Reads the records of the next entry from `file`. Returns false, and reads nothing, at the end
  /// or if there is no valid entry.
  package static func read(
    _ file: inout ByteReader, after hash: inout ChainHead, into catalog: inout Catalog
  ) -> Bool {
    var reader = file
    guard !reader.isAtEnd, let body = try? self.body(&reader, after: hash) else { return false }
    var copy = ByteReader(body)
    var records: [Catalog.Record] = []
    do throws(CodecError) {
      while !copy.isAtEnd { records.append(try record(&copy)) }
    } catch { return false }
    for record in records { catalog.apply(record) }
    (file, hash) = (reader, next(body, after: hash))
    return true
  }

  private static func body(
    _ reader: inout ByteReader, after hash: ChainHead
  ) throws(CodecError) -> UnsafeRawBufferPointer {
    let (size, sum) = (Int(try reader.read(UInt32.self)), try reader.read(UInt32.self))
    guard (1...bodySizeMax).contains(size) else { throw reader.error(.tooLarge) }
    let body = try reader.readBytes(size)
    guard checksum(body, after: hash) == sum else { throw reader.error(.checksum) }
    return body
  }

  private static func record(_ body: inout ByteReader) throws(CodecError) -> Catalog.Record {
    switch Tag(rawValue: try body.readByte()) {
    case .document: return .document(try number(&body), try document(&body))
    case .removed: return .removed(try number(&body))
    case .attachment:
      let document = try number(&body)
      guard let digest = AttachmentDigest(bytes: [UInt8](try body.readBytes(32))) else {
        throw body.error(.unknown)
      }
      let size = try body.readCount(max: 1 << 40)
      return .attachment(document, digest, size: size > 0 ? size - 1 : nil)
    case .loss:
      guard let kind = StoreLoss.Kind(rawValue: try body.readByte()) else {
        throw body.error(.unknown)
      }
      let (key, file, what) = (
        try body.readString(), try body.readString(), try body.readString()
      )
      let time = Timestamp(nanoseconds: try body.read())
      let isAccepted = try body.readByte() == 1
      let accepted = isAccepted ? Timestamp(nanoseconds: try body.read()) : nil
      return .loss(
        StoreLoss(
          kind: kind, key: key, file: file, what: what, time: time, acceptedTime: accepted))
    case nil: throw body.error(.unknown)
    }
  }

  private static func number(_ body: inout ByteReader) throws(CodecError) -> UInt64 {
    let number = try body.readVarint()
    guard number <= StoreLayout.numberMax else { throw body.error(.tooLarge) }
    return number
  }

  private static func document(_ body: inout ByteReader) throws(CodecError) -> CatalogDocument {
    let flags = Flags(rawValue: try body.readByte())
    guard let name = DocumentID(stored: try body.readString(sizeMax: DocumentID.sizeMax)) else {
      throw body.error(.name)
    }
    var document = CatalogDocument(
      name: name, lastIndex: try number(&body), lastSequence: try number(&body),
      head: try ChainHead(&body), journal: try number(&body),
      isDamaged: flags.contains(.damaged), segments: [])
    if flags.contains(.times) {
      document.times = CatalogDocument.Times(
        first: Timestamp(nanoseconds: try body.read()),
        last: Timestamp(nanoseconds: try body.read()))
    }
    for _ in 0..<(try body.readCount(max: body.remaining / 2)) {
      document.segments.append(
        CatalogDocument.Segment(
          first: try number(&body), lastIndex: try number(&body),
          size: try body.readCount(max: 1 << 40)))
    }
    return document
  }
}
