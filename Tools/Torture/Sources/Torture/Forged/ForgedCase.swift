import EditLog
import EditModel
import TestSupport

/// One forged file.
struct ForgedCase {
  var name: String
  var path: String
  var bytes: [UInt8]

  /// All forgeries of a store: its fields, and frames in the place of those it has.
  static func all(of store: DamagedStore) throws -> [@Sendable () -> ForgedCase] {
    let id = try Store.open(
      at: "/store", fileSystem: SimulatedFileSystem(store.snapshot)
    ).id
    var cases: [@Sendable () -> ForgedCase] = []
    for (path, whole) in store.files {
      let bytes = path.hasSuffix(".segment") ? data(of: whole) : whole
      let file = ForgedFile(path, bytes, store: id)
      for field in file.fields {
        for value in ForgedField.values {
          cases.append {
            ForgedCase(
              name: "\(field.name) is \(value)", path: path, bytes: field.forged(value, in: bytes))
          }
        }
      }
      if path.hasSuffix(".journal") { cases.append { .overlapping(path, bytes, id) } }
      for frame in ZstdForgery.all {
        for size in [UInt64(frame.bytes.count), 4, 1 << 20, 1 << 26, 1 << 33] {
          if path.hasSuffix(".checkpoint") {
            cases.append { .checkpoint(path, bytes, frame.bytes, size, frame.name) }
          } else if path.hasSuffix(".segment") {
            cases.append { .segment(path, bytes, frame.bytes, size, frame.name) }
          }
        }
      }
    }
    return cases
  }

  /// A segment without its parity, which would mend it.
  private static func data(of segment: [UInt8]) -> [UInt8] {
    guard segment.count > 128, segment[(segment.count - 64)...].starts(with: [0x89, 0x45, 0x4C])
    else { return segment }
    return Array(segment.prefix(segment.number(at: segment.count - 64 + 8, size: 8)))
  }

  /// The journal with a thousand batches after its own. Each claims all bytes that follow as its
  /// body.
  private static func overlapping(
    _ path: String, _ original: [UInt8], _ store: StoreID
  ) -> ForgedCase {
    let header = original[64..<128]
    var bytes = original
    while bytes.last == 0 { bytes.removeLast() }
    let (first, count) = (bytes.count, 1000)
    for _ in 0..<count { bytes += header }
    for number in 0..<count {
      let offset = first + 64 * number
      bytes.put(UInt64(1_000_000 + number), at: offset + 8, size: 8)
      bytes.put(UInt64(bytes.count - offset - 64), at: offset + 16, size: 4)
      ForgedSeal(
        range: offset..<offset + 60, at: offset + 60, start: CRC32C.checksum(store.bytes)
      ).apply(to: &bytes)
    }
    return ForgedCase(name: "batches over each other", path: path, bytes: bytes)
  }

  /// The checkpoint with another payload, which says it has `size` bytes.
  private static func checkpoint(
    _ path: String, _ original: [UInt8], _ frame: [UInt8], _ size: UInt64, _ name: String
  ) -> ForgedCase {
    var bytes = Array(original[..<140]) + frame
    bytes.put(size, at: 96, size: 8)
    bytes.put(UInt64(frame.count), at: 104, size: 8)
    ForgedSeal(range: 140..<bytes.count, at: 132).apply(to: &bytes)
    ForgedSeal(range: 64..<136, at: 136).apply(to: &bytes)
    return ForgedCase(name: "\(name), said to be \(size)", path: path, bytes: bytes)
  }

  /// The segment with another payload in its first block: the header there and the one in the
  /// footer, the footer's place and all checksums belong to it.
  private static func segment(
    _ path: String, _ original: [UInt8], _ frame: [UInt8], _ size: UInt64, _ name: String
  ) -> ForgedCase {
    let trailer = original.count - 32
    let start = original.number(at: trailer + 8, size: 8)
    let old = original.number(at: 64 + 40, size: 8)
    var header = Array(original[64..<128])
    header.put(size, at: 32, size: 8)
    header.put(UInt64(frame.count), at: 40, size: 8)
    header.put(UInt64(CRC32C.checksum(frame)), at: 52, size: 4)
    header.put(UInt64(CRC32C.checksum(Array(header[..<60]))), at: 60, size: 4)
    var footer = Array(original[start..<trailer])
    if let place = Self.place(of: Array(original[64..<128]), in: footer) {
      footer.replaceSubrange(place..<place + 64, with: header)
    }
    var bytes = Array(original[..<64]) + header + frame + original[(128 + old)..<start]
    let begin = bytes.count
    bytes += footer + original[trailer...]
    let end = bytes.count - 32
    bytes.put(UInt64(begin), at: end + 8, size: 8)
    ForgedSeal(range: begin..<end, at: end + 24).apply(to: &bytes)
    ForgedSeal(range: end..<end + 28, at: end + 28).apply(to: &bytes)
    return ForgedCase(name: "\(name), said to be \(size)", path: path, bytes: bytes)
  }

  private static func place(of part: [UInt8], in whole: [UInt8]) -> Int? {
    guard whole.count >= part.count else { return nil }
    return (0...whole.count - part.count).first { whole[$0..<$0 + part.count].elementsEqual(part) }
  }
}
