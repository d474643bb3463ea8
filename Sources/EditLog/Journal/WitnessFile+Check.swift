extension WitnessFile {
  /// What is not as a writer leaves it in the file, in a sentence; nil if every byte is, or there is
  /// no file. A writer at work is overwriting one slot at any moment: then what is bad is looked at
  /// twice.
  static func flaw(in root: any Directory, store: StoreID) throws(LogError) -> String? {
    let file: any File
    do { file = try root.open(StoreLayout.confirmed, .read) } catch {
      if error.isMissing { return nil }
      throw error
    }
    // One byte more than there may be.
    let bytes = try file.read(size + 1, at: 0)
    guard let flaw = flaw(of: bytes, file.path, store) else { return nil }
    return try file.read(size + 1, at: 0) == bytes ? flaw : nil
  }

  /// True if a slot of the file is valid, or both are new.
  static func isUsable(_ file: any File, _ store: StoreID) throws(LogError) -> Bool {
    var isNew = true
    for offset in slotOffsets {
      let slot = try file.read(slotSize, at: offset)
      if witness(in: slot, store) != nil { return true }
      isNew = isNew && slot.allSatisfy { $0 == 0 }
    }
    return isNew
  }

  private static func flaw(of bytes: [UInt8], _ path: String, _ store: StoreID) -> String? {
    let header = bytes.withUnsafeBytes { FileHeader(.confirmed, $0) }
    let slots = slotOffsets.map { Array(bytes.dropFirst($0).prefix(slotSize)) }
    let witnesses = slots.map { witness(in: $0, store) }
    let isNew = slots.allSatisfy { $0.allSatisfy { $0 == 0 } }
    guard header?.store == store, isNew || witnesses.contains(where: { $0 != nil }) else {
      return "nothing in it is valid; what the journals lose at their end would not be missed"
    }
    // A newer version's is sound, and not for this one.
    if let header, (try? header.check(path: path)) == nil { return nil }
    guard isNew || witnesses[0] != nil, witnesses[1] != nil || slots[1].allSatisfy({ $0 == 0 })
    else { return "one slot of the durable mark is bad" }
    var rest = bytes
    for range in [0..<FileHeader.size] + slotOffsets.map({ $0..<$0 + slotSize }) {
      for offset in range where offset < rest.count { rest[offset] = 0 }
    }
    let isWhole = bytes.count == size && rest.allSatisfy { $0 == 0 }
    return isWhole ? nil : "bytes between or behind the slots of the durable mark have changed"
  }

  /// The bytes of a file that names one batch.
  static func bytes(of witness: Witness, store: StoreID) -> [UInt8] {
    var bytes = FileHeader(.confirmed, store: store).bytes
    bytes += [UInt8](repeating: 0, count: size - bytes.count)
    bytes.replaceSubrange(
      slotOffsets[0]..<slotOffsets[0] + slotSize, with: slot(of: witness, store))
    return bytes
  }
}

extension StoreWriter {
  /// Makes the durable mark anew: all journals up to the newest batch are durable.
  func rewriteWitness(_ flushes: inout FlushWatch) throws(LogError) {
    let newest = Witness(batch: journal.place.number, journal: journal.number)
    try root.replace(
      StoreLayout.confirmed, with: WitnessFile.bytes(of: newest, store: id), &flushes)
    // The file that is open has lost its name.
    witness = nil
  }
}
