/// The last batch that is known to be durable, told in another file than its own: what a journal
/// has lost at its end is not taken for a write that was cut short.
struct Witness: Hashable {
  /// The batch's number, and that of its journal.
  var batch: UInt64
  var journal: UInt64
}

/// The file `confirmed`: a header, and two slots in sectors of their own that are written by
/// turns, each only after the batch it names is durable. It never runs ahead of the journals, and
/// where it is lost nothing is but the witness.
struct WitnessFile {
  static let slotSize = 64
  static let slotOffsets = [4096, 8192]
  static let size = 8192 + slotSize

  private let file: any File
  private let store: StoreID
  /// The newest witness in it, and the slot that the next one goes to.
  private(set) var last: Witness?
  private var next = 0

  /// Opens the file for writing; makes it where there is none, or none that is whole.
  init(
    in root: any Directory, store: StoreID, _ flushes: inout FlushWatch
  ) throws(LogError) {
    self.store = store
    if let file = try? root.open(StoreLayout.confirmed, .write), try file.size() == Self.size,
      try Self.hasHeader(file, store), try Self.isUsable(file, store)
    {
      self.file = file
    } else {
      let header = FileHeader(.confirmed, store: store).bytes
      try root.replace(
        StoreLayout.confirmed,
        with: header + [UInt8](repeating: 0, count: Self.size - header.count), &flushes)
      file = try root.open(StoreLayout.confirmed, .write)
    }
    for (slot, offset) in Self.slotOffsets.enumerated() {
      guard let witness = try Self.read(file, at: offset, store),
        witness.batch > last?.batch ?? 0
      else { continue }
      (last, next) = (witness, 1 - slot)
    }
  }

  /// The newest witness of the store in `root`; nil where there is none that can be read.
  ///
  /// - Throws: `LogError.newerFormat`, `LogError.refused`.
  static func read(in root: any Directory, store: StoreID) throws(LogError) -> Witness? {
    do throws(LogError) {
      let file = try root.open(StoreLayout.confirmed, .read)
      guard try hasHeader(file, store) else { return nil }
      var newest: Witness?
      for offset in slotOffsets {
        guard let witness = try read(file, at: offset, store),
          witness.batch > newest?.batch ?? 0
        else { continue }
        newest = witness
      }
      return newest
    } catch {
      // Nothing depends on it: a store without a witness is read as well.
      guard case .io = error else { throw error }
      return nil
    }
  }

  private static func hasHeader(_ file: any File, _ store: StoreID) throws(LogError) -> Bool {
    let bytes = try file.read(FileHeader.size, at: 0)
    guard let header = bytes.withUnsafeBytes({ FileHeader(.confirmed, $0) }) else { return false }
    try header.check(path: file.path)
    return header.store == store
  }

  /// `batch: u64 | journal: u64 | zeros | checksum of the bytes before, from the store's: u32`
  private static func read(
    _ file: any File, at offset: Int, _ store: StoreID
  ) throws(LogError) -> Witness? {
    witness(in: try file.read(slotSize, at: offset), store)
  }

  /// The witness in the bytes of a slot; nil if it is not valid.
  static func witness(in bytes: [UInt8], _ store: StoreID) -> Witness? {
    guard bytes.count == slotSize else { return nil }
    let witness = try? ByteReader.reading(bytes) { reader throws(CodecError) in
      let witness = Witness(batch: try reader.read(), journal: try reader.read())
      _ = try reader.readBytes(slotSize - 20)
      guard try reader.read(UInt32.self) == checksum(bytes.dropLast(4), store) else {
        throw reader.error(.checksum)
      }
      return witness
    }
    guard let witness, (1...StoreLayout.numberMax).contains(witness.batch),
      (1...StoreLayout.numberMax).contains(witness.journal)
    else { return nil }
    return witness
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>, _ store: StoreID) -> UInt32 {
    CRC32C.checksum(Array(bytes), continuing: CRC32C.checksum(store.bytes))
  }

  /// The bytes of a slot.
  static func slot(of witness: Witness, _ store: StoreID) -> [UInt8] {
    var slot = ByteWriter(capacity: slotSize)
    slot.write(fixed: witness.batch)
    slot.write(fixed: witness.journal)
    slot.write(bytes: [UInt8](repeating: 0, count: slotSize - 20))
    slot.write(fixed: checksum(slot.bytes[...], store))
    return slot.bytes
  }

  /// Writes a witness over the older slot, and returns when it is durable.
  mutating func write(_ witness: Witness, _ flushes: inout FlushWatch) throws(LogError) {
    guard witness != last else { return }
    try file.writeAll(Self.slot(of: witness, store), at: Self.slotOffsets[next])
    try flushes.watch { () throws(LogError) in try file.syncData() }
    (last, next) = (witness, 1 - next)
  }
}

extension StoreWriter {
  /// Notes in `confirmed` how far the journals are durable.
  ///
  /// - Throws: where a flush failed. Anything else leaves an older witness, which is as true.
  func testify() throws(LogError) {
    var flushes = FlushWatch()
    do throws(LogError) {
      if witness == nil { witness = try WitnessFile(in: root, store: id, &flushes) }
      try witness?.write(Witness(batch: journal.place.number, journal: journal.number), &flushes)
    } catch {
      guard flushes.hasFailed else { return }
      return try poisoning { () throws(LogError) in throw error }
    }
  }
}
