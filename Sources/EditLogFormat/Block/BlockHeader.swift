package import EditModel

/// The properties of a block that are known without decoding it, and the checksums of its bytes.
///
/// On disk: 64 bytes, the last four a CRC-32C of those before.
package struct BlockHeader: Hashable, Sendable {
  /// Bytes of a header on disk.
  package static let size = 64

  /// The sequence number of the first edit; that of the next edit if there is none.
  package var firstSequence: SequenceNumber
  /// The numbers of edits and of events.
  package var editCount: Int
  package var eventCount: Int
  /// The times of the first and the last entry.
  package var firstTime: Timestamp
  package var lastTime: Timestamp
  /// The size of the decoded columns in bytes, and their CRC-32C.
  package var decodedSize: Int
  package var decodedChecksum: UInt32
  /// The size of the payload in bytes, and its CRC-32C.
  package var payloadSize: Int
  package var payloadChecksum: UInt32
  /// True if the columns are stored uncompressed, because they would shrink more than readers
  /// accept (see `BlockCodec.ratioMax`).
  package var isStored: Bool
  /// True if the payload refers to the columns of the blocks before it: see `BlockContext`.
  package var isContinued: Bool

  /// The sequence number of the last edit; that of the edit before the block if it has none.
  package var lastSequence: SequenceNumber { firstSequence &+ UInt64(editCount) &- 1 }

  /// Appends the header's 64 bytes.
  package func encode(to writer: inout ByteWriter) {
    let start = writer.count
    writer.write(fixed: firstSequence)
    writer.write(fixed: UInt32(editCount))
    writer.write(fixed: UInt32(eventCount))
    writer.write(fixed: firstTime.nanoseconds)
    writer.write(fixed: lastTime.nanoseconds)
    writer.write(fixed: UInt64(decodedSize))
    writer.write(fixed: UInt64(payloadSize))
    writer.write(fixed: decodedChecksum)
    writer.write(fixed: payloadChecksum)
    writer.write(fixed: UInt32(isStored ? 1 : 0) | (isContinued ? 2 : 0))
    let sum = writer.withUnsafeBytes {
      CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[start...]))
    }
    writer.write(fixed: sum)
  }

  /// Reads a header from `reader`.
  ///
  /// - Throws: `CodecError` if its checksum does not agree, or if it states a value that no block
  ///   has: no entry or too many, a history past the last sequence number, more bytes than
  ///   `BlockCodec` writes for that number of entries or than a payload of that size can expand to.
  package init(from reader: inout ByteReader) throws(CodecError) {
    let place = reader
    let sum = CRC32C.checksum(try reader.readBytes(Self.size - 4))
    guard try reader.read(UInt32.self) == sum else { throw place.error(.checksum) }
    var fields = place
    firstSequence = try fields.read()
    editCount = Int(try fields.read(UInt32.self))
    eventCount = Int(try fields.read(UInt32.self))
    firstTime = Timestamp(nanoseconds: try fields.read())
    lastTime = Timestamp(nanoseconds: try fields.read())
    let sizes = (decoded: try fields.read(UInt64.self), payload: try fields.read(UInt64.self))
    guard let decoded = Int(exactly: sizes.decoded), let payload = Int(exactly: sizes.payload)
    else { throw place.error(.tooLarge) }
    (decodedSize, payloadSize) = (decoded, payload)
    decodedChecksum = try fields.read()
    payloadChecksum = try fields.read()
    let flags = try fields.read(UInt32.self)
    guard flags <= 2 else { throw place.error(.unknown) }
    (isStored, isContinued) = (flags == 1, flags == 2)
    try BlockCodec.check(self, at: place)
  }

  package init(
    firstSequence: SequenceNumber, editCount: Int, eventCount: Int, firstTime: Timestamp,
    lastTime: Timestamp, decodedSize: Int, decodedChecksum: UInt32, payloadSize: Int,
    payloadChecksum: UInt32, isStored: Bool,
    isContinued: Bool = false
  ) {
    self.firstSequence = firstSequence
    (self.editCount, self.eventCount) = (editCount, eventCount)
    (self.firstTime, self.lastTime) = (firstTime, lastTime)
    (self.decodedSize, self.decodedChecksum) = (decodedSize, decodedChecksum)
    (self.payloadSize, self.payloadChecksum) = (payloadSize, payloadChecksum)
    (self.isStored, self.isContinued) = (isStored, isContinued)
  }
}

/// An encoded block: its header and its payload.
package struct EncodedBlock: Hashable, Sendable {
  package var header: BlockHeader
  package var payload: [UInt8]
  /// True if an edit has a selection: the file needs a flag.
  package var hasSelections: Bool

  package init(header: BlockHeader, payload: [UInt8], hasSelections: Bool = false) {
    (self.header, self.payload, self.hasSelections) = (header, payload, hasSelections)
  }
}
