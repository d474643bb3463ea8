import EditLog
import EditModel
import TestSupport

/// A parsed catalog: a header and records. Writing it recomputes the checksums and the chain.
struct CatalogParts {
  /// A record that says what is sealed of a document.
  struct Document {
    var number: UInt64
    var flags: UInt8
    var name: [UInt8]
    var lastIndex: UInt64
    var lastSequence: UInt64
    var head: [UInt8]
    var journal: UInt64
    var times: [UInt8]
    /// Of each segment the first sequence number, the last index, the size.
    var segments: [[UInt64]]
  }

  enum Record {
    case document(Document)
    /// A document that is gone, or a loss.
    case other([UInt8])

    var document: Document? {
      get { if case .document(let document) = self { document } else { nil } }
      set { if let newValue { self = .document(newValue) } }
    }
  }

  static let path = "/store/catalog"

  var header: [UInt8]
  /// The records of each entry.
  var entries: [[Record]] = []

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 64 else { return nil }
    header = Array(bytes[..<64])
    var offset = 64
    while offset + 8 <= bytes.count {
      let end = offset + 8 + bytes.number(at: offset, size: 4)
      guard end <= bytes.count else { return nil }
      var cursor = Cursor(bytes: bytes[(offset + 8)..<end])
      var records: [Record] = []
      while !cursor.bytes.isEmpty {
        guard let record = cursor.record() else { return nil }
        records.append(record)
      }
      entries.append(records)
      offset = end
    }
  }

  /// The last record about each document, by its place.
  var newest: [(entry: Int, record: Int)] {
    var places: [UInt64: (entry: Int, record: Int)] = [:]
    for (entry, records) in entries.enumerated() {
      for (index, record) in records.enumerated() {
        if let document = record.document { places[document.number] = (entry, index) }
      }
    }
    return places.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The file, its size, and the hash of all of it.
  var file: (bytes: [UInt8], hash: [UInt8]) {
    var bytes = header
    bytes.seal(0..<60, at: 60)
    var hash = SHA256.hash(bytes)
    for records in entries where !records.isEmpty {
      let body = records.flatMap(\.bytes)
      var size: [UInt8] = []
      size.append(UInt64(body.count), size: 4)
      bytes += size
      bytes.append(UInt64(CRC32C.checksum(hash + size + body)), size: 4)
      bytes += body
      hash = SHA256.hash(hash + body)
    }
    return (bytes, hash)
  }
}

extension CatalogParts.Record {
  fileprivate var bytes: [UInt8] {
    switch self {
    case .other(let bytes): bytes
    case .document(let document):
      [0] + [UInt8].varint(document.number) + [document.flags]
        + [UInt8].varint(UInt64(document.name.count)) + document.name
        + [UInt8].varint(document.lastIndex) + [UInt8].varint(document.lastSequence)
        + document.head + [UInt8].varint(document.journal) + document.times
        + [UInt8].varint(UInt64(document.segments.count))
        + document.segments.flatMap { $0.flatMap { [UInt8].varint($0) } }
    }
  }
}

/// Reads a body from its front.
private struct Cursor {
  var bytes: ArraySlice<UInt8>

  mutating func record() -> CatalogParts.Record? {
    let start = bytes
    switch take(1)?.first {
    case 0: return document().map { .document($0) }
    case 1: guard varint() != nil else { return nil }
    case 2:
      guard take(1) != nil, string() != nil, string() != nil, string() != nil, take(8) != nil,
        let isAccepted = take(1)?.first, take(isAccepted == 1 ? 8 : 0) != nil
      else { return nil }
    default: return nil
    }
    return .other(Array(start[start.startIndex..<bytes.startIndex]))
  }

  private mutating func document() -> CatalogParts.Document? {
    guard let number = varint(), let flags = take(1)?.first, let name = string(),
      let lastIndex = varint(), let lastSequence = varint(), let head = take(32),
      let journal = varint(), let times = take(flags & 1 == 1 ? 16 : 0), let count = varint()
    else { return nil }
    var segments: [[UInt64]] = []
    for _ in 0..<count {
      guard let first = varint(), let lastIndex = varint(), let size = varint() else { return nil }
      segments.append([first, lastIndex, size])
    }
    return CatalogParts.Document(
      number: number, flags: flags, name: name, lastIndex: lastIndex, lastSequence: lastSequence,
      head: head, journal: journal, times: times, segments: segments)
  }

  private mutating func string() -> [UInt8]? { varint().flatMap { take(Int($0)) } }

  private mutating func take(_ count: Int) -> [UInt8]? {
    guard bytes.count >= count else { return nil }
    defer { bytes = bytes.dropFirst(count) }
    return Array(bytes.prefix(count))
  }

  private mutating func varint() -> UInt64? {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while let byte = take(1)?.first, shift < 63 {
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }
}
