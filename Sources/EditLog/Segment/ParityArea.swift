import EditLogFormat
import EditModel

/// The checksums of all units of a segment, and the parity units.
struct ParityArea {
  let layout: ParityLayout
  /// The CRC-32C of each unit of data, without padding, then of each parity unit.
  private(set) var checksums: [UInt32]
  private var parity: [UInt8]

  /// The parity of the data that `file` begins with. Reads the data once. The memory is that of the
  /// area.
  init(of file: any File, dataSize: Int) throws(LogError) {
    layout = ParityLayout(dataSize: dataSize)
    checksums = []
    parity = [UInt8](repeating: 0, count: layout.stripeCount * layout.parityUnitSize)
    for number in 0..<layout.unitCount {
      let range = layout.unit(number)
      let unit = try file.read(range.count, at: range.lowerBound)
      guard unit.count == range.count else {
        throw .damaged(file: file.path, offset: range.lowerBound, what: "the file is cut short")
      }
      checksums.append(CRC32C.checksum(unit))
      Self.add(unit, to: &parity, at: number % layout.stripeCount * layout.parityUnitSize)
    }
    for stripe in 0..<layout.stripeCount {
      let start = stripe * layout.parityUnitSize
      checksums.append(CRC32C.checksum(Array(parity[start..<start + layout.parityUnitSize])))
    }
  }

  /// The bytes after the data: zeros up to the next unit, then the area.
  var bytes: [UInt8] {
    var table = ByteWriter(capacity: 4 * checksums.count)
    for sum in checksums { table.write(fixed: sum) }
    let header = ParityHeader(layout, tableChecksum: CRC32C.checksum(table.bytes)).bytes
    let gap = [UInt8](repeating: 0, count: layout.start - layout.dataSize)
    return gap + header + table.bytes + parity + header
  }

  /// The exclusive or of `unit` and the bytes of `sum` from `offset` on.
  static func add(_ unit: [UInt8], to sum: inout [UInt8], at offset: Int) {
    precondition(unit.count <= sum.count - offset)
    unit.withUnsafeBufferPointer { unit in
      sum.withUnsafeMutableBufferPointer { sum in
        for index in 0..<unit.count { sum[offset &+ index] ^= unit[index] }
      }
    }
  }
}
