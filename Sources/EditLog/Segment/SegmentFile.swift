import EditLogFormat
import EditModel
import Synchronization

/// The file of a segment. If its content is not valid, units that have changed since they were
/// written are rebuilt from its parity, in memory.
final class SegmentFile: Sendable {
  /// The file, without repairs in memory.
  let base: any File
  /// Bytes of the file.
  let size: Int
  /// Bytes up to the end of the trailer, according to the parity's header; the size of the file if
  /// there is no such header.
  let dataSize: Int
  private let header: ParityHeader?
  private let healed = Mutex<[Int: [UInt8]]>([:])

  var path: String { base.path }
  /// True if something that was read had to be rebuilt.
  var isHealed: Bool { healed.withLock { !$0.isEmpty } }

  /// The maximum number of offsets at which a lost header of the parity area is searched for:
  /// enough for files of 4 GiB.
  private static let probeCountMax = 1 << 16

  /// `file`, whose damage is mended in memory if `heals`.
  init(_ file: any File, heals: Bool = true) throws(LogError) {
    base = file
    size = try file.size()
    let found = try Self.findHeader(in: file, size: size, searches: heals)
    header = heals ? found : nil
    dataSize = found?.layout.dataSize ?? size
  }

  /// The header at the end of the file; if that is not valid, the one at the area's start.
  private static func findHeader(
    in file: any File, size: Int, searches: Bool
  ) throws(LogError) -> ParityHeader? {
    func header(at offset: Int) throws(LogError) -> ParityHeader? {
      ParityHeader(try file.read(ParityHeader.size, at: offset), fileSize: size)
    }
    guard size > FileHeader.size + ParityHeader.size else { return nil }
    if let last = try header(at: size - ParityHeader.size), last.layout.fileSize == size {
      return last
    }
    guard searches else { return nil }
    let end = size - ParityHeader.size
    let smallEnd = min(end, ParityLayout.smallDataSizeMax)
    for offset in Self.places(to: end, every: ParityLayout.unitSize)
      + Self.places(to: smallEnd, every: ParityLayout.smallUnitSize)
    {
      if let first = try header(at: offset), first.layout.start == offset { return first }
    }
    return nil
  }

  /// The multiples of `unit` up to `end`, the last ones first.
  private static func places(to end: Int, every unit: Int) -> [Int] {
    (0...end / unit).dropFirst().suffix(probeCountMax).reversed().map { $0 * unit }
  }

  /// The `count` bytes from `offset` on, rebuilt units among them; fewer if the file ends.
  func read(_ count: Int, at offset: Int) throws(LogError) -> [UInt8] {
    var bytes = try base.read(count, at: offset)
    let range = offset..<offset + bytes.count
    healed.withLock { healed in
      guard !healed.isEmpty, let layout = header?.layout else { return }
      for number in layout.units(of: range) {
        guard let unit = healed[number] else { continue }
        let part = layout.unit(number).clamped(to: range)
        let start = layout.unit(number).lowerBound
        bytes.replaceSubrange(
          part.lowerBound - offset..<part.upperBound - offset,
          with: unit[part.lowerBound - start..<part.upperBound - start])
      }
    }
    return bytes
  }

  /// Runs `body`, which reads `range`. If it finds damage that the parity can restore, restores it
  /// in memory and runs `body` again.
  func healing<Result>(
    _ range: Range<Int>, _ body: () throws(LogError) -> Result
  ) throws(LogError) -> Result {
    do { return try body() } catch {
      guard case .damaged = error, try heal(range) else { throw error }
      return try body()
    }
  }

  /// The header of the segment, mended in memory, whichever document it names.
  func header(store: StoreID) throws(LogError) -> FileHeader {
    try healing(0..<FileHeader.size) { () throws(LogError) in
      try FileHeader.read(.segment, try read(FileHeader.size, at: 0), path: path, store: store)
    }
  }

  /// Rebuilds the bad units of `range` in memory. Returns false if none is bad, or none can be
  /// rebuilt.
  @discardableResult
  func heal(_ range: Range<Int>) throws(LogError) -> Bool {
    guard let header, let sums = try checksums(header) else { return false }
    var isChanged = false
    for number in header.layout.units(of: range) where healed.withLock({ $0[number] == nil }) {
      if try isWhole(number, header.layout, sums) { continue }
      guard let unit = try rebuilt(number, header.layout, sums) else { continue }
      healed.withLock { $0[number] = unit }
      isChanged = true
    }
    return isChanged
  }

  /// The table of checksums; nil if it is not valid.
  private func checksums(_ header: ParityHeader) throws(LogError) -> [UInt32]? {
    let range = header.layout.table
    guard range.upperBound <= size else { return nil }
    let table = try base.read(range.count, at: range.lowerBound)
    guard table.count == range.count, CRC32C.checksum(table) == header.tableChecksum else {
      return nil
    }
    return stride(from: 0, to: table.count, by: 4).map { offset in
      UInt32(littleEndianBytes: table[offset..<offset + 4])
    }
  }

  private func isWhole(
    _ number: Int, _ layout: ParityLayout, _ sums: [UInt32]
  ) throws(LogError) -> Bool {
    let range = layout.unit(number)
    let unit = try base.read(range.count, at: range.lowerBound)
    return unit.count == range.count && CRC32C.checksum(unit) == sums[number]
  }

  /// Rebuilds a unit from the others of its stripe; nil if another one is bad too.
  private func rebuilt(
    _ number: Int, _ layout: ParityLayout, _ sums: [UInt32]
  ) throws(LogError) -> [UInt8]? {
    let range = layout.parityUnit(number % layout.stripeCount)
    var sum = try base.read(range.count, at: range.lowerBound)
    guard sum.count == range.count else { return nil }
    for other in layout.stripe(of: number) where other != number {
      let range = layout.unit(other)
      let unit = try base.read(range.count, at: range.lowerBound)
      guard unit.count == range.count else { return nil }
      ParityArea.add(unit, to: &sum, at: 0)
    }
    let unit = Array(sum.prefix(layout.unit(number).count))
    return CRC32C.checksum(unit) == sums[number] ? unit : nil
  }
}

extension SegmentFile {
  /// The result of a check of every byte of a segment's file.
  struct Check {
    /// Units of data that have changed and can be rebuilt, as ranges of bytes of the file.
    var mendable: [Range<Int>] = []
    /// Units of data that have changed and cannot be rebuilt.
    var lost: [Range<Int>] = []
    /// True if the parity is missing, or does not match the data.
    var isUnprotected = false

    var isSound: Bool { mendable.isEmpty && lost.isEmpty && !isUnprotected }
  }

  /// Compares every unit with its checksum. O(size).
  func check() throws(LogError) -> Check {
    var check = Check()
    guard let header, let sums = try checksums(header) else {
      check.isUnprotected = true
      return check
    }
    let layout = header.layout
    for number in 0..<layout.unitCount where try !isWhole(number, layout, sums) {
      if try rebuilt(number, layout, sums) == nil {
        check.lost.append(layout.unit(number))
      } else {
        check.mendable.append(layout.unit(number))
      }
    }
    check.isUnprotected = try !isAreaWhole(header, sums)
    return check
  }

  /// True if both headers, the gap and all parity units are unchanged.
  private func isAreaWhole(
    _ header: ParityHeader, _ sums: [UInt32]
  ) throws(LogError) -> Bool {
    let layout = header.layout
    guard layout.fileSize == size else { return false }
    for offset in [layout.start, size - ParityHeader.size] {
      let bytes = try base.read(ParityHeader.size, at: offset)
      guard bytes == header.bytes else { return false }
    }
    let gap = try base.read(layout.start - layout.dataSize, at: layout.dataSize)
    guard gap.allSatisfy({ $0 == 0 }) else { return false }
    for stripe in 0..<layout.stripeCount {
      let range = layout.parityUnit(stripe)
      let unit = try base.read(range.count, at: range.lowerBound)
      guard CRC32C.checksum(unit) == sums[layout.unitCount + stripe] else { return false }
    }
    return true
  }
}
