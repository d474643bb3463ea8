public import EditModel

/// What a run of `StoreBackup` copied, or would copy.
public struct BackupReport: Hashable, Sendable {
  /// The store's identifier, which the copy has too.
  public var store: StoreID
  /// Everything that was acknowledged before this time is in the copy.
  public var time: Timestamp
  /// That time of the run before; nil if there was none, or if it did not end.
  public var previousTime: Timestamp?
  /// True if a run before was interrupted, and this one completed it.
  public var resumed = false
  /// The number of documents in the copy.
  public var documentCount = 0
  /// The number of their edits.
  public var editCount: UInt64 = 0
  /// The number of files that were copied.
  public var fileCount = 0
  /// Their bytes.
  public var size = 0
  /// The number of documents that the store no longer has, whose files were erased.
  public var removedDocumentCount = 0

  init(store: StoreID, time: Timestamp) { (self.store, self.time) = (store, time) }

  /// Counts a file of `size` bytes.
  mutating func note(fileOf size: Int) {
    fileCount += 1
    self.size += size
  }
}
