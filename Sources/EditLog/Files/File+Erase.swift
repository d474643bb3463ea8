import EditLogFormat

/// Bytes that are overwritten at once.
private let pieceSize = 1 << 20

extension File {
  /// Overwrites all bytes with zeros, durably. The size stays.
  ///
  /// The device may keep the old bytes: a solid-state disk and a copy-on-write file system write
  /// to other blocks.
  func erase() throws(LogError) {
    let size = try size()
    let zeros = [UInt8](repeating: 0, count: min(size, pieceSize))
    for offset in stride(from: 0, to: size, by: pieceSize) {
      try writeAll(Array(zeros.prefix(size - offset)), at: offset)
    }
    try sync()
  }
}

extension Directory {
  /// Overwrites a file, then removes its name; the name is not flushed. Returns its bytes.
  @discardableResult
  func erase(_ name: String) throws(LogError) -> Int {
    let file = try open(name, .write)
    let size = try file.size()
    try file.erase()
    try remove(name)
    return size
  }
}
