package import EditModel

/// A stored state, of a text or of projections, opaque here: a cache that may be deleted at any time.
///
///     header (second = sequence) | chain head: 32 | size: u64 | payload size: u64 | base: u64 |
///     depth: u32 | base's checksum: u32 | checksum of the state: u32 | payload checksum: u32 |
///     checksum of these 72 bytes: u32 | payload (zstd)
///
/// The base is the number of an earlier checkpoint, to whose state the payload refers.
package struct CheckpointFile {
  /// Bytes before the payload.
  package static let frontSize = FileHeader.size + 76
  /// The maximum size of a decoded checkpoint in bytes.
  package static let sizeMax = 8 << 30
  /// The maximum number of other checkpoints that must be read before one.
  package static let depthMax = 3

  package let sequence: SequenceNumber
  package let head: ChainHead
  /// Bytes of the state, and of the payload.
  package let size: Int
  package let payloadSize: Int
  /// The checkpoint that this one refers to, 0 if it stands alone.
  package let base: SequenceNumber
  /// The number of checkpoints that must be read before this one.
  package let depth: Int
  package let baseChecksum: UInt32
  package let checksum: UInt32
  package let payloadChecksum: UInt32

  /// A state, with the values that a checkpoint based on it needs.
  package struct Content {
    package var sequence: SequenceNumber
    package var depth: Int
    package var bytes: [UInt8]
    package var checksum: UInt32

    package init(sequence: SequenceNumber, depth: Int, bytes: [UInt8]) {
      (self.sequence, self.depth, self.bytes) = (sequence, depth, bytes)
      checksum = CRC32C.checksum(bytes)
    }
  }

  // MARK: Writing

  /// The bytes of the file of `content`, compressed against `base`.
  package static func encode(
    _ content: Content, of series: CheckpointSeries, against base: Content?, store: StoreID,
    document: UInt64, head: ChainHead, level: Int
  ) -> [UInt8] {
    let payload = content.bytes.withUnsafeBytes { bytes in
      guard let base, !base.bytes.isEmpty else {
        return ZstdCompressor().compress(bytes, level: level)
      }
      return base.bytes.withUnsafeBytes {
        ZstdCompressor().compress(bytes, level: level, prefix: $0)
      }
    }
    var bytes = ByteWriter(capacity: payload.count + frontSize)
    let header = FileHeader(
      series.fileKind, store: store, number: document, second: content.sequence)
    bytes.write(bytes: header.bytes)
    head.withUnsafeBytes { bytes.write(bytes: $0) }
    bytes.write(fixed: UInt64(content.bytes.count))
    bytes.write(fixed: UInt64(payload.count))
    bytes.write(fixed: base?.sequence ?? 0)
    bytes.write(fixed: UInt32(content.depth))
    bytes.write(fixed: base?.checksum ?? 0)
    bytes.write(fixed: content.checksum)
    bytes.write(fixed: CRC32C.checksum(payload))
    let sum = bytes.withUnsafeBytes {
      CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[FileHeader.size...]))
    }
    bytes.write(fixed: sum)
    bytes.write(bytes: payload)
    return bytes.bytes
  }

  // MARK: Reading

  /// Reads the part before the payload of a file of `fileSize` bytes. Returns nil if it is damaged,
  /// or belongs to another document or edit.
  package init?(
    _ front: [UInt8], of series: CheckpointSeries, fileSize: Int, store: StoreID,
    document: UInt64, sequence: SequenceNumber
  ) {
    guard front.count == Self.frontSize,
      let header = front.withUnsafeBytes({ FileHeader(series.fileKind, $0) }), header.isReadable,
      header.store == store, header.number == document, header.second == sequence
    else { return nil }
    let found = try? ByteReader.reading(front) { reader throws(CodecError) in
      try Self(&reader, fileSize: fileSize, sequence: sequence)
    }
    guard let found else { return nil }
    self = found
  }

  private init(
    _ reader: inout ByteReader, fileSize: Int, sequence: SequenceNumber
  ) throws(CodecError) {
    self.sequence = sequence
    _ = try reader.readBytes(FileHeader.size)
    let sum = CRC32C.checksum(try reader.peek(72))
    head = try ChainHead(&reader)
    let (size, payloadSize) = (try reader.read(UInt64.self), try reader.read(UInt64.self))
    base = try reader.read()
    let depth = try reader.read(UInt32.self)
    (baseChecksum, checksum) = (try reader.read(), try reader.read())
    payloadChecksum = try reader.read()
    guard try reader.read(UInt32.self) == sum else { throw reader.error(.checksum) }
    guard size <= Self.sizeMax, payloadSize == fileSize - Self.frontSize else {
      throw reader.error(.tooLarge)
    }
    guard depth <= Self.depthMax, (depth == 0) == (base == 0), base == 0 || base < sequence,
      base > 0 || baseChecksum == 0
    else {
      throw reader.error(.place)
    }
    (self.size, self.payloadSize, self.depth) = (Int(size), Int(payloadSize), Int(depth))
  }

  /// True if `payload` is unchanged since it was written.
  package func isPayload(_ payload: [UInt8]) -> Bool {
    CRC32C.checksum(payload) == payloadChecksum
  }

  /// The state in `payload`; nil if it cannot be decoded, or refers to another base.
  package func content(of payload: [UInt8], against base: Content?) -> Content? {
    guard base.map({ refers(toDepth: $0.depth, checksum: $0.checksum) }) ?? (depth == 0),
      Self.isPayable(size, against: base, by: payload.count)
    else { return nil }
    let bytes = try? withBytes(of: payload) { payload throws(CodecError) in
      guard let base, !base.bytes.isEmpty else {
        return try ZstdDecompressor().decompress(payload, sizeMax: size)
      }
      return try withBytes(of: base.bytes) { prefix throws(CodecError) in
        try ZstdDecompressor().decompress(payload, sizeMax: size, prefix: prefix)
      }
    }
    guard let bytes, bytes.count == size else { return nil }
    let content = Content(sequence: sequence, depth: depth, bytes: bytes)
    return content.checksum == checksum ? content : nil
  }

  /// True if a payload of `payloadSize` bytes may decode to a state of `size` bytes: a small file
  /// must not need very much memory.
  package static func isPayable(_ size: Int, against base: Content?, by payloadSize: Int) -> Bool {
    BlockCodec.isPayable(max(0, size - 2 * (base?.bytes.count ?? 0)), by: payloadSize)
  }

  /// True if the base is the checkpoint with this depth whose state has this checksum.
  package func refers(toDepth baseDepth: Int, checksum: UInt32) -> Bool {
    depth == baseDepth + 1 && baseChecksum == checksum
  }
}

extension CheckpointSeries {
  /// The kind of the files' headers.
  package var fileKind: FileHeader.Kind {
    switch self {
    case .states: .checkpoint
    case .projections: .projections
    }
  }

  /// The kind of the files' names.
  package var layout: StoreLayout.Kind {
    switch self {
    case .states: .checkpoint
    case .projections: .projections
    }
  }
}

extension ByteReader {
  /// The next `count` bytes, without skipping them.
  fileprivate func peek(_ count: Int) throws(CodecError) -> UnsafeRawBufferPointer {
    var copy = self
    return try copy.readBytes(count)
  }
}
