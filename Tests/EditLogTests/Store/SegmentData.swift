import TestSupport

@testable import EditLog

/// The bytes of a segment up to its parity, to be changed by a test that makes all checksums right.
struct SegmentData {
  var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The data of the segment at `path`.
  init(at path: String, in system: SimulatedFileSystem) throws {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    let directory = try system.directory(at: String(path[..<slash]))
    let name = String(path[path.index(after: slash)...])
    let file = try SegmentFile(directory.open(name, .read))
    bytes = try file.read(file.dataSize, at: 0)
  }

  /// Adds a section behind those of the footer.
  mutating func addSection(_ kind: UInt32, _ body: [UInt8]) {
    func number(_ bytes: ArraySlice<UInt8>) -> Int {
      bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    let trailer = Array(bytes.suffix(SegmentFooter.trailerSize))
    let offset = number(trailer[8..<16])
    var footer = Array(bytes[offset..<bytes.count - trailer.count])
    footer[0] += 1
    var section = ByteWriter()
    section.write(fixed: kind)
    section.write(fixed: UInt64(body.count))
    section.write(bytes: body)
    footer += section.bytes
    var end = ByteWriter()
    end.write(bytes: Array(trailer[..<16]))
    end.write(fixed: UInt64(footer.count))
    end.write(fixed: CRC32C.checksum(footer))
    end.write(fixed: CRC32C.checksum(end.bytes))
    bytes = Array(bytes[..<offset]) + footer + end.bytes
  }

  /// The data with its parity.
  func withParity() throws -> [UInt8] {
    let file = try SimulatedFileSystem().createDirectory(at: "/aside").open("data", .create)
    try file.writeAll(bytes, at: 0)
    return bytes + (try ParityArea(of: file, dataSize: bytes.count).bytes)
  }
}
