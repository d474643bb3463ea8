package import EditModel

/// A record of what is durable, in a separate file, so that a loss at the end of the journals or of
/// the catalog is not taken for a write that was cut short.
package struct DurableMark: Hashable {
  /// 1, 2, 3, …: of two marks, the one with the higher number counts.
  package var number: UInt64 = 0
  /// The last batch that is durable, and its journal; 0 before the first.
  package var batch: UInt64
  package var journal: UInt64
  /// The oldest journal that must exist; 0 if that is not known.
  package var oldestJournal: UInt64 = 0
  /// No document ever had a higher number than this; 0 if that is not known.
  package var documentLimit: UInt64 = 0
  /// How far the catalog is durable; nil in a store without one.
  package var catalog: CatalogPlace?

  package init(
    number: UInt64 = 0, batch: UInt64, journal: UInt64, oldestJournal: UInt64 = 0,
    documentLimit: UInt64 = 0, catalog: CatalogPlace? = nil
  ) {
    (self.number, self.batch, self.journal) = (number, batch, journal)
    (self.oldestJournal, self.documentLimit) = (oldestJournal, documentLimit)
    self.catalog = catalog
  }
}

/// A place in a catalog, with the hash over everything before it.
package struct CatalogPlace: Hashable {
  /// The number of times the catalog was written from its beginning.
  package var generation: UInt64
  /// The size of the file up to the place, in bytes.
  package var size: Int
  package var hash: ChainHead

  package init(generation: UInt64, size: Int, hash: ChainHead) {
    (self.generation, self.size, self.hash) = (generation, size, hash)
  }
}

/// The bytes of the file `confirmed`: a header, and two slots in sectors of their own.
package enum DurableMarkCodec {
  /// Format 1.0 has slots of 64 bytes with only the first two numbers.
  package enum Layout: Int {
    case batches = 64
    case catalog = 128

    package var size: Int { slotOffsets[1] + rawValue }
  }

  package static let slotOffsets = [4096, 8192]

  /// The mark in the bytes of a slot; nil if it is not valid.
  package static func mark(in bytes: [UInt8], _ layout: Layout, _ store: StoreID) -> DurableMark? {
    guard bytes.count == layout.rawValue else { return nil }
    let mark = try? ByteReader.reading(bytes) { reader throws(CodecError) in
      let mark = try Self.mark(&reader, layout)
      _ = try reader.readBytes(reader.remaining - 4)
      guard try reader.read(UInt32.self) == checksum(bytes.dropLast(4), store) else {
        throw reader.error(.checksum)
      }
      return mark
    }
    guard let mark,
      [mark.batch, mark.journal, mark.documentLimit, mark.number].allSatisfy({
        $0 <= StoreLayout.numberMax
      }), mark.oldestJournal <= mark.journal
    else { return nil }
    return mark
  }

  private static func mark(
    _ reader: inout ByteReader, _ layout: Layout
  ) throws(CodecError) -> DurableMark {
    guard layout == .catalog else {
      return DurableMark(batch: try reader.read(), journal: try reader.read())
    }
    var mark = DurableMark(
      number: try reader.read(), batch: try reader.read(), journal: try reader.read(),
      oldestJournal: try reader.read(), documentLimit: try reader.read())
    let (generation, size) = (try reader.read(UInt64.self), try reader.read(UInt64.self))
    let hash = try ChainHead(&reader)
    guard generation <= StoreLayout.numberMax, size <= Catalog.sizeMax else {
      throw reader.error(.tooLarge)
    }
    mark.catalog = CatalogPlace(generation: generation, size: Int(size), hash: hash)
    return mark
  }

  /// The bytes of a file that has this mark and no other.
  package static func bytes(of mark: DurableMark, _ store: StoreID) -> [UInt8] {
    let header = FileHeader.withCatalog(.confirmed, store: store).bytes
    var bytes = header + [UInt8](repeating: 0, count: Layout.catalog.size - header.count)
    bytes.replaceSubrange(
      slotOffsets[0]..<slotOffsets[0] + Layout.catalog.rawValue, with: slot(mark, store))
    return bytes
  }

  /// `number | batch | journal | oldest journal | document limit | catalog: generation | size:
  /// u64 each | hash: 32 | zeros | checksum of the bytes before, from the store's: u32`
  package static func slot(_ mark: DurableMark, _ store: StoreID) -> [UInt8] {
    var slot = ByteWriter(capacity: Layout.catalog.rawValue)
    for number in [
      mark.number, mark.batch, mark.journal, mark.oldestJournal, mark.documentLimit,
      mark.catalog?.generation ?? 0, UInt64(mark.catalog?.size ?? 0),
    ] { slot.write(fixed: number) }
    slot.write(bytes: mark.catalog?.hash.bytes ?? [UInt8](repeating: 0, count: ChainHead.size))
    slot.write(bytes: [UInt8](repeating: 0, count: Layout.catalog.rawValue - 4 - slot.count))
    slot.write(fixed: checksum(slot.bytes[...], store))
    return slot.bytes
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>, _ store: StoreID) -> UInt32 {
    CRC32C.checksum(Array(bytes), continuing: CRC32C.checksum(store.bytes))
  }
}
