package import EditModel

/// The 64 bytes before a batch of the journal.
///
/// A batch is the unit of write, of checksum, of atomicity and of acknowledgement. No batch is
/// written before the one before it is durable, so that a batch proves all batches before it.
package struct BatchHeader: Hashable {
  package static let size = 64
  /// The maximum size of a body in bytes.
  package static let bodySizeMax = 1 << 30
  private static let magic: [UInt8] = [0x89, 0x45, 0x42, 0x0A]
  /// The byte with which the search for batches begins.
  package static let firstByte = magic[0]

  package enum Kind: UInt8 {
    case records = 0
    /// Without records: it proves that the batch before it is complete.
    case confirmation = 1
  }

  package var kind: Kind
  /// 1, 2, 3, … across all journals of a store.
  package var number: UInt64
  package var bodySize: Int
  package var recordCount: Int
  /// The hash of the batch before.
  package var previous: ChainHead
  package var bodyChecksum: UInt32

  /// The header's bytes. Its checksum starts from the store's name, so that a text which contains
  /// bytes of another store's journal is never taken for a batch.
  package func bytes(store: StoreID) -> [UInt8] {
    var writer = ByteWriter(capacity: Self.size)
    writer.write(bytes: Self.magic)
    writer.write(kind.rawValue)
    writer.write(bytes: [0, 0, 0])
    writer.write(fixed: number)
    writer.write(fixed: UInt32(bodySize))
    writer.write(fixed: UInt32(recordCount))
    previous.withUnsafeBytes { writer.write(bytes: $0) }
    writer.write(fixed: bodyChecksum)
    writer.write(fixed: writer.withUnsafeBytes { Self.checksum($0, store) })
    return writer.bytes
  }

  package init(
    kind: Kind, number: UInt64, recordCount: Int, previous: ChainHead,
    body: UnsafeRawBufferPointer
  ) {
    precondition(body.count <= Self.bodySizeMax)
    (self.kind, self.number, self.previous) = (kind, number, previous)
    (bodySize, self.recordCount) = (body.count, recordCount)
    bodyChecksum = CRC32C.checksum(body)
  }

  /// The header at the start of `bytes`; nil if it is not valid.
  package init?(_ bytes: UnsafeRawBufferPointer, store: StoreID) {
    guard bytes.count >= Self.size, bytes.prefix(4).elementsEqual(Self.magic) else { return nil }
    let summed = UnsafeRawBufferPointer(rebasing: bytes[..<60])
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[4..<Self.size]))
    do throws(CodecError) {
      guard let kind = Kind(rawValue: try reader.readByte()) else { return nil }
      self.kind = kind
      _ = try reader.readBytes(3)
      number = try reader.read()
      bodySize = Int(try reader.read(UInt32.self))
      recordCount = Int(try reader.read(UInt32.self))
      previous = try ChainHead(&reader)
      bodyChecksum = try reader.read()
      guard try reader.read(UInt32.self) == Self.checksum(summed, store) else { return nil }
    } catch { return nil }
    guard bodySize <= Self.bodySizeMax, (1...StoreLayout.numberMax).contains(number) else {
      return nil
    }
  }

  private static func checksum(_ bytes: UnsafeRawBufferPointer, _ store: StoreID) -> UInt32 {
    CRC32C.checksum(bytes, continuing: CRC32C.checksum(store.bytes))
  }

  /// The hash of a batch, from its bytes, header and body.
  package static func chain(_ batch: UnsafeRawBufferPointer) -> ChainHead {
    var hash = SHA256()
    hash.update(batch)
    return ChainHead(hash)
  }

  /// The previous hash in the first batch of a store.
  package static func genesis(_ store: StoreID) -> ChainHead {
    var hash = SHA256()
    hash.update(Array("EditLog journal".utf8))
    hash.update(store.bytes)
    return ChainHead(hash)
  }
}
