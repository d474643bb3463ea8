import EditLogFormat
import EditModel

/// The file `backup`, a header alone: it says that a folder is a copy that `StoreBackup` keeps.
///
/// A writer that opens the folder removes it. What is appended then is in no other store, and no
/// later run may replace it.
struct BackupRecord: Hashable {
  /// The store that was copied.
  var store: StoreID
  /// The time before which everything acknowledged is in the copy; nil if no run has ended yet.
  var time: Timestamp?
  /// True from the first change of a run to its end.
  var isUnfinished: Bool

  init(store: StoreID, time: Timestamp?, isUnfinished: Bool) {
    (self.store, self.time, self.isUnfinished) = (store, time, isUnfinished)
  }

  /// The record in `root`; nil if there is none, or if it is not valid.
  ///
  /// - Throws: `LogError.newerFormat`, `LogError.refused`, `LogError.io`.
  init?(in root: any Directory) throws(LogError) {
    let bytes: [UInt8]
    let path = root.path(of: StoreLayout.backup)
    do { bytes = try root.open(StoreLayout.backup, .read).read(FileHeader.size, at: 0) } catch {
      if error.isMissing { return nil }
      throw error
    }
    guard let header = bytes.withUnsafeBytes({ FileHeader(.backup, $0) }) else { return nil }
    try header.check(path: path)
    store = header.store
    time =
      header.number == 0 ? nil : Timestamp(nanoseconds: Int64(bitPattern: header.number))
    isUnfinished = header.second != 0
  }

  /// Writes the record, durably.
  func write(in root: any Directory) throws(LogError) {
    let number = time.map { UInt64(bitPattern: $0.nanoseconds) } ?? 0
    let header = FileHeader(.backup, store: store, number: number, second: isUnfinished ? 1 : 0)
    try root.replace(StoreLayout.backup, with: header.bytes)
  }

  /// The sentence about a copy of which a run is unfinished.
  static let unfinished = """
    a run of `editlog backup` to this folder is under way or was interrupted: it has all that the \
    run before it copied, and some documents are newer; run it again to complete it
    """
}
