import EditLogFormat
import EditModel

/// Copies and comparisons of files, a piece at a time.
enum FileCopy {
  private static let pieceSize = 1 << 20

  /// Writes the first `size` bytes of `source` to the new file `target`, flushes them, and reads
  /// them back.
  ///
  /// - Throws: `LogError.damaged` if `source` has fewer bytes, or what is read back differs.
  static func copy(_ source: any File, size: Int, to target: any File) throws(LogError) {
    var offset = 0
    var written = SHA256()
    while offset < size {
      let bytes = try source.read(min(pieceSize, size - offset), at: offset)
      guard !bytes.isEmpty else {
        throw .damaged(file: source.path, offset: offset, what: "the file became shorter")
      }
      written.update(bytes)
      try target.writeAll(bytes, at: offset)
      offset += bytes.count
    }
    try target.sync()
    guard try digest(of: target) == written.digest else {
      throw .damaged(
        file: target.path, offset: 0, what: "the copy differs from what was written to it")
    }
  }

  /// The SHA-256 of a whole file.
  private static func digest(of file: any File) throws(LogError) -> [UInt8] {
    var (hash, offset) = (SHA256(), 0)
    while true {
      let bytes = try file.read(pieceSize, at: offset)
      guard !bytes.isEmpty else { return hash.digest }
      hash.update(bytes)
      offset += bytes.count
    }
  }

  /// True if `copy` has the first `size` bytes of `source`, and no others.
  static func isEqual(_ copy: any File, to source: any File, size: Int) throws(LogError) -> Bool {
    guard try copy.size() == size else { return false }
    for offset in stride(from: 0, to: size, by: pieceSize) {
      let count = min(pieceSize, size - offset)
      guard try copy.read(count, at: offset) == source.read(count, at: offset) else { return false }
    }
    return true
  }
}

extension Directory {
  /// The file of this name; nil if there is none.
  func openIfPresent(
    _ name: String, _ access: FileAccess = .read
  ) throws(LogError) -> (any File)? {
    do { return try open(name, access) } catch {
      if error.isMissing { return nil }
      throw error
    }
  }
}
