import EditLog
import EditModel
import TestSupport

/// A disk that says it wrote, and wrote elsewhere or not at all.
enum DiskLie {
  private static let blockSize = 512

  /// Changes the disk in this way. Returns what it did; nil if nothing could be changed.
  static func tell(
    _ disk: SimulatedFileSystem, older: SimulatedFileSystem.Snapshot?, _ random: inout SplitMix64
  ) -> String? {
    let paths = disk.filePaths.filter { !(disk[$0] ?? []).isEmpty && !$0.contains("quarantine") }
    guard let path = paths.randomElement(using: &random), var bytes = disk[path] else { return nil }
    let start = Int(random.next() % UInt64((bytes.count + blockSize - 1) / blockSize)) * blockSize
    let block = start..<min(start + blockSize, bytes.count)
    if random.next() % 2 == 0, let older {
      // Lost: the block is what it was.
      let before = SimulatedFileSystem(older)[path] ?? []
      for offset in block { bytes[offset] = offset < before.count ? before[offset] : 0 }
      disk[path] = bytes
      return "lost writes"
    }
    // Misdirected: another block has it, and it is missing here.
    let moved = Array(bytes[block])
    guard let other = paths.randomElement(using: &random), other != path,
      var target = disk[other], target.count >= moved.count
    else { return nil }
    let place =
      Int(random.next() % UInt64((target.count - moved.count) / blockSize + 1)) * blockSize
    target.replaceSubrange(place..<place + moved.count, with: moved)
    for offset in block { bytes[offset] = 0 }
    disk[path] = bytes
    disk[other] = target
    return "misdirected writes"
  }
}
