import Glibc

/// The journal beside a file, which SQLite reads when it opens the file.
enum RollbackJournal {
  /// The last bytes of a journal that names another file.
  private static let end: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  /// True if the journal names another file. That is so for a transaction of several files, of which this
  /// program makes none. SQLite would read that file, wherever it is, and may remove it.
  static func namesOtherFile(beside path: String) -> Bool {
    // SQLite follows links to the file first.
    guard let resolved = realpath(path, nil) else { return false }
    defer { free(resolved) }
    let journal = String(cString: resolved) + "-journal"
    let descriptor = open(journal, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var (info, last) = (stat(), [UInt8](repeating: 0, count: end.count))
    guard fstat(descriptor, &info) == 0, info.st_size >= last.count else { return false }
    let count = pread(descriptor, &last, last.count, info.st_size - off_t(last.count))
    return count == last.count && last == end
  }
}
