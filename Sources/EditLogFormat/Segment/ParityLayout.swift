import EditModel

/// Where the parity of a segment is, and which units it covers.
///
/// The bytes of a segment up to the end of its trailer are its data. They are cut into units of 4
/// KiB, or of 512 bytes if the file then fits into 4 KiB; the last one is treated as padded with
/// zeros. With s stripes, the units i, i + s, i + 2s, … make stripe i, of at most 16 units:
/// neighbours are in different stripes, so that damage to s consecutive units affects each stripe
/// once. A stripe's parity unit is the exclusive or of its units (as in RAID 4: Patterson, Gibson
/// and Katz, "A case for redundant arrays of inexpensive disks", 1988); the table of checksums says
/// which unit is the bad one.
///
///     data | zeros up to a whole unit | header | table | parity units | header again
package struct ParityLayout: Hashable, Sendable {
  /// The size of a unit in bytes: that of a disk's sector.
  package static let unitSize = 4096
  /// The size of a unit of a small segment in bytes. With it, the file takes one block of a file
  /// system.
  package static let smallUnitSize = 512
  /// Bytes of data in the largest segment with small units; its file has 3,740.
  package static let smallDataSizeMax = 3072
  /// Bytes of data in the largest segment.
  package static let dataSizeMax = 1 << 36
  /// The maximum number of units in a stripe.
  package static let stripeWidth = 16

  /// Bytes of the segment up to the end of its trailer.
  package let dataSize: Int
  /// Bytes in a unit of this segment.
  package let unitSize: Int

  /// The layout with which a segment is written.
  package init(dataSize: Int) {
    self.dataSize = dataSize
    unitSize = dataSize <= Self.smallDataSizeMax ? Self.smallUnitSize : Self.unitSize
  }

  /// The layout of a file; nil if there is none with these numbers. Format 1.0 has only units of 4
  /// KiB.
  package init?(dataSize: Int, unitSize: Int) {
    guard (1...Self.dataSizeMax).contains(dataSize),
      unitSize == Self.unitSize
        || unitSize == Self.smallUnitSize && dataSize <= Self.smallDataSizeMax
    else { return nil }
    (self.dataSize, self.unitSize) = (dataSize, unitSize)
  }

  /// Units of data, and stripes.
  package var unitCount: Int { (dataSize + unitSize - 1) / unitSize }
  package var stripeCount: Int { (unitCount + Self.stripeWidth - 1) / Self.stripeWidth }
  /// Bytes of a parity unit: less than a unit if all data is less.
  package var parityUnitSize: Int { min(unitSize, dataSize) }

  /// Where the area starts, in bytes of the file: in another unit than the data.
  package var start: Int { unitCount * unitSize }
  /// The table's bytes in the file.
  package var table: Range<Int> {
    let start = start + ParityHeader.size
    return start..<start + 4 * (unitCount + stripeCount)
  }
  /// Bytes of the file.
  package var fileSize: Int { table.upperBound + stripeCount * parityUnitSize + ParityHeader.size }

  /// The bytes of a unit of data in the file.
  package func unit(_ number: Int) -> Range<Int> {
    let start = number * unitSize
    return start..<min(start + unitSize, dataSize)
  }

  /// The bytes of a stripe's parity unit in the file.
  package func parityUnit(_ stripe: Int) -> Range<Int> {
    let start = table.upperBound + stripe * parityUnitSize
    return start..<start + parityUnitSize
  }

  /// The units that overlap `range` of the data.
  package func units(of range: Range<Int>) -> Range<Int> {
    let range = range.clamped(to: 0..<dataSize)
    guard !range.isEmpty else { return 0..<0 }
    return range.lowerBound / unitSize..<(range.upperBound - 1) / unitSize + 1
  }

  /// The units of the stripe that contains unit `number`.
  package func stripe(of number: Int) -> StrideTo<Int> {
    stride(from: number % stripeCount, to: unitCount, by: stripeCount)
  }
}

/// The 64 bytes at both ends of a parity area.
package struct ParityHeader: Hashable {
  package static let size = 64
  private static let magic: [UInt8] = [0x89, 0x45, 0x4C, 0x50, 0x0D, 0x0A, 0x1A, 0x0A]

  package let layout: ParityLayout
  package let tableChecksum: UInt32

  package init(_ layout: ParityLayout, tableChecksum: UInt32) {
    (self.layout, self.tableChecksum) = (layout, tableChecksum)
  }

  /// `magic | data size: u64 | unit size: u32 | stripe width: u32 | table checksum: u32 | zeros |
  /// checksum of the bytes before: u32`
  package var bytes: [UInt8] {
    var writer = ByteWriter(capacity: Self.size)
    writer.write(bytes: Self.magic)
    writer.write(fixed: UInt64(layout.dataSize))
    writer.write(fixed: UInt32(layout.unitSize))
    writer.write(fixed: UInt32(ParityLayout.stripeWidth))
    writer.write(fixed: tableChecksum)
    writer.write(bytes: [UInt8](repeating: 0, count: Self.size - 4 - writer.count))
    writer.write(fixed: writer.withUnsafeBytes { CRC32C.checksum($0) })
    return writer.bytes
  }

  /// The header in `bytes`; nil if it is not valid, or its data alone would be larger than a
  /// file of `fileSize` bytes.
  package init?(_ bytes: [UInt8], fileSize: Int) {
    guard bytes.count == Self.size else { return nil }
    let header = try? ByteReader.reading(bytes) { reader throws(CodecError) in
      guard try reader.readBytes(8).elementsEqual(Self.magic) else {
        throw reader.error(.unknown)
      }
      let dataSize = try reader.read(UInt64.self)
      let unitSize = try reader.read(UInt32.self)
      guard dataSize <= fileSize,
        let layout = ParityLayout(dataSize: Int(dataSize), unitSize: Int(unitSize)),
        try reader.read(UInt32.self) == ParityLayout.stripeWidth
      else { throw reader.error(.mismatch) }
      let table = try reader.read(UInt32.self)
      _ = try reader.readBytes(Self.size - 4 - reader.offset)
      guard try reader.read(UInt32.self) == CRC32C.checksum(bytes.dropLast(4)) else {
        throw reader.error(.checksum)
      }
      return ParityHeader(layout, tableChecksum: table)
    }
    guard let header else { return nil }
    self = header
  }
}
