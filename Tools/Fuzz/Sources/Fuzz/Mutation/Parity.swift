/// The parity area of a segment, by the article FileFormat.
enum Parity {
  private static let magic: [UInt8] = [0x89, 0x45, 0x4C, 0x50, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The data, followed by its parity area.
  static func appended(to data: [UInt8]) -> [UInt8] {
    let unitSize = data.count <= 3072 ? 512 : 4096
    let units = stride(from: 0, to: data.count, by: unitSize).map {
      Array(data[$0..<min($0 + unitSize, data.count)])
    }
    let stripes = (units.count + 15) / 16
    var parity = [[UInt8]](
      repeating: [UInt8](repeating: 0, count: min(unitSize, data.count)), count: stripes)
    for (index, unit) in units.enumerated() {
      for place in unit.indices { parity[index % stripes][place] ^= unit[place] }
    }
    let table = (units + parity).flatMap {
      withUnsafeBytes(of: Seal.checksum($0).littleEndian, Array.init)
    }
    let header = header(dataSize: data.count, unitSize, table)
    let filler = [UInt8](repeating: 0, count: units.count * unitSize - data.count)
    return data + filler + header + table + parity.joined() + header
  }

  private static func header(dataSize: Int, _ unitSize: Int, _ table: [UInt8]) -> [UInt8] {
    var header = magic + [UInt8](repeating: 0, count: 56)
    header.put(UInt64(dataSize), at: 8)
    header.put(UInt32(unitSize), at: 16)
    header.put(UInt32(16), at: 20)
    header.put(Seal.checksum(table), at: 24)
    header.seal(0..<60)
    return header
  }
}
