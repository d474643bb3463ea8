import EditLogFormat
import EditModel

extension DurableMarkFile {
  /// A sentence about bytes of the file that a writer does not leave; nil if there are none, or no
  /// file. A writer at work may be overwriting a slot, so a bad slot is read twice.
  static func flaw(in root: any Directory, store: StoreID) throws(LogError) -> String? {
    let file: any File
    do { file = try root.open(StoreLayout.confirmed, .read) } catch {
      if error.isMissing { return nil }
      throw error
    }
    // One byte more than the file may have.
    let sizeMax = DurableMarkCodec.Layout.catalog.size + 1
    let bytes = try file.read(sizeMax, at: 0)
    guard let flaw = flaw(of: bytes, file.path, store) else { return nil }
    return try file.read(sizeMax, at: 0) == bytes ? flaw : nil
  }

  private static func flaw(of bytes: [UInt8], _ path: String, _ store: StoreID) -> String? {
    let nothing = "nothing in it is valid; a loss at the end of the journals would go unnoticed"
    guard let header = bytes.withUnsafeBytes({ FileHeader(.confirmed, $0) }),
      header.store == store
    else { return nothing }
    // A file of a newer version is sound, but this version cannot read it.
    guard (try? header.check(path: path)) != nil else { return nil }
    let layout: DurableMarkCodec.Layout = header.hasCatalog ? .catalog : .batches
    let slots = DurableMarkCodec.slotOffsets.map {
      Array(bytes.dropFirst($0).prefix(layout.rawValue))
    }
    let marks = slots.map { DurableMarkCodec.mark(in: $0, layout, store) }
    // Format 1.0 created the file without a mark.
    let isNew = layout == .batches && slots.allSatisfy { $0.allSatisfy { $0 == 0 } }
    guard isNew || marks.contains(where: { $0 != nil }) else { return nothing }
    guard isNew || marks[0] != nil, marks[1] != nil || slots[1].allSatisfy({ $0 == 0 })
    else { return "one slot of the durable mark is bad" }
    var rest = bytes
    for range in [0..<FileHeader.size]
      + DurableMarkCodec.slotOffsets.map({ $0..<$0 + layout.rawValue })
    {
      for offset in range where offset < rest.count { rest[offset] = 0 }
    }
    let isWhole = bytes.count == layout.size && rest.allSatisfy { $0 == 0 }
    return isWhole ? nil : "bytes between or after the slots of the durable mark have changed"
  }
}
