public import EditModel

/// A stored state, opaque here: a cache that may be deleted at any time.
///
///     header (second = sequence) | chain head: 32 | size: u64 | payload size: u64 |
///     payload checksum: u32 | checksum of these 52 bytes: u32 | payload (zstd)
enum CheckpointFile {
  private static let prefixSize = ChainHead.size + 24
  /// Bytes a checkpoint may decode to.
  static let sizeMax = 8 << 30

  static func encode(
    _ content: [UInt8], store: StoreID, document: UInt64, sequence: SequenceNumber,
    head: ChainHead, level: Int
  ) -> [UInt8] {
    let payload = content.withUnsafeBytes { ZstdCompressor().compress($0, level: level) }
    var bytes = ByteWriter(capacity: payload.count + 256)
    bytes.write(
      bytes: FileHeader(.checkpoint, store: store, number: document, second: sequence).bytes)
    head.withUnsafeBytes { bytes.write(bytes: $0) }
    bytes.write(fixed: UInt64(content.count))
    bytes.write(fixed: UInt64(payload.count))
    bytes.write(fixed: CRC32C.checksum(payload))
    let sum = bytes.withUnsafeBytes {
      CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[FileHeader.size...]))
    }
    bytes.write(fixed: sum)
    bytes.write(bytes: payload)
    return bytes.bytes
  }

  /// The content of a checkpoint; nil where it is not whole, or not of this document, place and
  /// history.
  static func read(
    _ file: any File, store: StoreID, document: UInt64, sequence: SequenceNumber, head: ChainHead
  ) throws(LogError) -> [UInt8]? {
    let size = try file.size()
    let start = FileHeader.size + prefixSize
    let front = try file.read(start, at: 0)
    guard front.count == start,
      let header = front.withUnsafeBytes({ FileHeader(.checkpoint, $0) }),
      header.major == FileHeader.major, header.incompatibleFlags == 0,
      header.store == store, header.number == document, header.second == sequence
    else { return nil }
    let place = try? ByteReader.reading(front) { reader throws(CodecError) in
      try readPrefix(&reader, fileSize: size, head: head)
    }
    guard let place else { return nil }
    let payload = try file.read(place.payloadSize, at: start)
    guard CRC32C.checksum(payload) == place.checksum else { return nil }
    return try? withBytes(of: payload) { payload throws(CodecError) in
      let content = try ZstdDecompressor().decompress(payload, sizeMax: place.size)
      guard content.count == place.size else { throw CodecError(.mismatch, at: 0) }
      return content
    }
  }

  private static func readPrefix(
    _ reader: inout ByteReader, fileSize: Int, head: ChainHead
  ) throws(CodecError) -> (size: Int, payloadSize: Int, checksum: UInt32) {
    _ = try reader.readBytes(FileHeader.size)
    let sum = CRC32C.checksum(try reader.peek(prefixSize - 4))
    guard try ChainHead(&reader) == head else { throw reader.error(.mismatch) }
    let (size, payloadSize) = (try reader.read(UInt64.self), try reader.read(UInt64.self))
    let checksum = try reader.read(UInt32.self)
    guard try reader.read(UInt32.self) == sum else { throw reader.error(.checksum) }
    guard size <= sizeMax, payloadSize == fileSize - FileHeader.size - prefixSize,
      BlockCodec.isPayable(Int(size), by: fileSize)
    else { throw reader.error(.tooLarge) }
    return (Int(size), Int(payloadSize), checksum)
  }
}

extension ByteReader {
  /// The next `count` bytes, which are not passed over.
  func peek(_ count: Int) throws(CodecError) -> UnsafeRawBufferPointer {
    var copy = self
    return try copy.readBytes(count)
  }
}

extension History {
  /// The newest usable checkpoint at or before the edit `sequence`, and the edit it is the state
  /// after. Bad ones are passed over: nothing depends on them.
  public func checkpoint(atOrBefore sequence: SequenceNumber) throws(LogError) -> (
    sequence: SequenceNumber, bytes: [UInt8]
  )? {
    guard let directory = sealed?.directory else { return nil }
    let sequences = StoreLayout.numbers(.checkpoint, in: try directory.names())
    for candidate in sequences.reversed() where candidate <= min(sequence, lastSequence) {
      guard let file = try? directory.open(StoreLayout.name(of: candidate, .checkpoint), .read),
        let head = try head(at: candidate),
        let bytes = try CheckpointFile.read(
          file, store: store, document: number, sequence: candidate, head: head)
      else { continue }
      return (candidate, bytes)
    }
    return nil
  }
}
