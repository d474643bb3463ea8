import EditLogFormat
import EditModel

extension FileHeader {
  /// Refuses a file that this code cannot read.
  ///
  /// - Throws: `LogError.newerFormat`.
  func check(path: String) throws(LogError) {
    guard isReadable else {
      throw .newerFormat(path: path, major: Int(major), minor: Int(minor), flags: unknownFlags)
    }
  }

  /// The header of `file`, checked: valid, readable, of this store.
  ///
  /// - Throws: `LogError.damaged` if it is not valid or the file belongs elsewhere.
  static func read(
    _ kind: Kind, of file: any File, store: StoreID?, number: UInt64? = nil
  ) throws(LogError) -> FileHeader {
    try read(kind, try file.read(size, at: 0), path: file.path, store: store, number: number)
  }

  /// The header in the first bytes of the file at `path`, with the same checks.
  static func read(
    _ kind: Kind, _ bytes: [UInt8], path: String, store: StoreID?, number: UInt64? = nil
  ) throws(LogError) -> FileHeader {
    guard let header = bytes.withUnsafeBytes({ FileHeader(kind, $0) }) else {
      throw .damaged(file: path, offset: 0, what: "the file's header is not valid")
    }
    try header.check(path: path)
    guard store == nil || header.store == store else {
      throw .damaged(file: path, offset: 0, what: "the file belongs to another store")
    }
    guard number == nil || header.number == number else {
      throw .damaged(file: path, offset: 0, what: "the file belongs elsewhere in the store")
    }
    return header
  }
}
