import EditLog
import EditModel
import TestSupport

/// The fields of a file, by the article FileFormat.
struct ForgedFile {
  let path: String
  let bytes: [UInt8]
  private(set) var fields: [ForgedField] = []

  init(_ path: String, _ bytes: [UInt8], store: StoreID) {
    (self.path, self.bytes) = (path, bytes)
    guard bytes.count >= 64 else { return }
    addHeader()
    if path.hasSuffix(".journal") { addBatches(store) }
    if path.hasSuffix(".segment") { addFooter() }
    if path.hasSuffix(".checkpoint") { addCheckpoint() }
  }

  private mutating func add(_ name: String, _ offset: Int, _ size: Int, _ seals: [ForgedSeal]) {
    fields.append(ForgedField(name: name, offset: offset, size: size, seals: seals))
  }

  private mutating func addHeader() {
    let seal = [ForgedSeal(range: 0..<60, at: 60)]
    add("number", 40, 8, seal)
    add("second", 48, 8, seal)
    add("reserved", 56, 4, seal)
  }

  /// All batches: their headers, and the first bytes of their records, which are varints.
  private mutating func addBatches(_ store: StoreID) {
    let start = CRC32C.checksum(store.bytes)
    var offset = 64
    while offset + 64 <= bytes.count, bytes[offset] == 0x89 {
      let size = bytes.number(at: offset + 16, size: 4)
      guard offset + 64 + size <= bytes.count else { return }
      let header = ForgedSeal(range: offset..<offset + 60, at: offset + 60, start: start)
      let body = ForgedSeal(range: offset + 64..<offset + 64 + size, at: offset + 56)
      add("batch number", offset + 8, 8, [header])
      add("body size", offset + 16, 4, [header])
      add("records", offset + 20, 4, [header])
      for place in 0..<min(size, 48) {
        add("record \(place)", offset + 64 + place, 1, [body, header])
      }
      for place in stride(from: 0, to: max(0, min(size, 40) - 9), by: 3) {
        add("record varint \(place)", offset + 64 + place, 10, [body, header])
      }
      offset += 64 + size
    }
  }

  private mutating func addFooter() {
    let trailer = bytes.count - 32
    let (start, size) = (
      bytes.number(at: trailer + 8, size: 8), bytes.number(at: trailer + 16, size: 8)
    )
    let last = ForgedSeal(range: trailer..<trailer + 28, at: trailer + 28)
    let footer = ForgedSeal(range: start..<start + size, at: trailer + 24)
    add("footer offset", trailer + 8, 8, [last])
    add("footer size", trailer + 16, 8, [last])
    add("sections", start, 4, [footer, last])
    var place = start + 4
    for _ in 0..<bytes.number(at: start, size: 4) {
      guard place + 12 <= trailer else { return }
      let kind = bytes.number(at: place, size: 4)
      let length = bytes.number(at: place + 4, size: 8)
      add("section kind", place, 4, [footer, last])
      add("section \(kind) size", place + 4, 8, [footer, last])
      addSection(kind, place + 12, length, [footer, last])
      place += 12 + length
    }
    addBlocks(through: start, [footer, last])
  }

  private mutating func addSection(
    _ kind: Int, _ start: Int, _ length: Int, _ seals: [ForgedSeal]
  ) {
    for place in 0..<min(length, 24) {
      add("section \(kind) byte \(place)", start + place, 1, seals)
    }
    for place in stride(from: 0, to: min(length, 32) - 9, by: 4) {
      add("section \(kind) number \(place)", start + place, 8, seals)
    }
  }

  /// The blocks' headers and the front of their frames. The copy of a header in the footer keeps
  /// what it was, but for the first block.
  private mutating func addBlocks(through end: Int, _ footer: [ForgedSeal]) {
    var offset = 64
    while offset + 64 <= end {
      let payload = bytes.number(at: offset + 40, size: 8)
      let header = ForgedSeal(range: offset..<offset + 60, at: offset + 60)
      let frame = ForgedSeal(
        range: offset + 64..<min(offset + 64 + payload, bytes.count), at: offset + 52)
      for (name, place, size) in [
        ("first sequence", 0, 8), ("edits", 8, 4), ("events", 12, 4), ("decoded size", 32, 8),
        ("payload size", 40, 8), ("flags", 56, 4),
      ] {
        add("block \(name)", offset + place, size, [header])
      }
      for place in 4..<18 { add("frame byte \(place)", offset + 64 + place, 1, [frame, header]) }
      add("frame content size", offset + 69, 8, [frame, header])
      offset += 64 + payload
    }
  }

  private mutating func addCheckpoint() {
    let prefix = ForgedSeal(range: 64..<136, at: 136)
    let payload = ForgedSeal(range: 140..<bytes.count, at: 132)
    add("size", 96, 8, [prefix])
    add("payload size", 104, 8, [prefix])
    add("base", 112, 8, [prefix])
    add("depth", 120, 4, [prefix])
    for place in 4..<18 { add("frame byte \(place)", 140 + place, 1, [payload, prefix]) }
    add("frame content size", 145, 8, [payload, prefix])
  }
}
