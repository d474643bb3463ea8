/// Copies a store into a folder, which then is a store too, while edits go on.
///
/// A run reads as readers do, without a lock: first the durable mark, the catalog and the journals
/// of one moment, then the files of the documents, which hold at least what that catalog names. It
/// begins again with a later moment, for what has changed only, until no file that was copied is
/// newer than the journals. The writer never waits.
///
/// The folder is changed in an order in which it is a whole store after each step, with at least
/// what the run before copied: segments, the catalog, the journals, the durable mark. The first run
/// writes the durable mark and `format` last, and no reader opens the folder before.
public struct StoreBackup: Sendable {
  private let path: String
  private let folder: String
  private let fileSystem: any FileSystem
  private let clock: any WallClock

  /// A copy of the store at `path` in `folder`.
  public init(
    of path: String, to folder: String, fileSystem: any FileSystem = PosixFileSystem(),
    clock: any WallClock = SystemClock()
  ) {
    (self.path, self.folder) = (path, folder)
    (self.fileSystem, self.clock) = (fileSystem, clock)
  }

  /// What `run` would copy now. Changes nothing.
  ///
  /// - Throws: as `run`.
  public func plan() throws(LogError) -> BackupReport {
    var run = try BackupRun(of: path, to: folder, isPlan: true, fileSystem, clock)
    return try run.perform()
  }

  /// Copies what the folder lacks, removes from it what the store no longer has, and erases the
  /// files of forgotten documents. All that was acknowledged before the call is in the copy, durably,
  /// when this returns.
  ///
  /// - Parameter progress: Gets the part of the documents that was compared, 0 to 1.
  /// - Throws: `LogError.noStore`; `LogError.refused` if the folder is the store itself, is not
  ///   empty and no copy of this store, or a writer has appended to it; `LogError.locked` if another
  ///   run is under way; `LogError.damaged` if the store is damaged; `LogError.noSpace`,
  ///   `LogError.io`. Then the folder has at least what the run before copied, and the next run
  ///   continues.
  public func run(
    progress: (Double) -> Void = { _ in }
  ) throws(LogError) -> BackupReport {
    try StoreWriter.noSpace(folder) { () throws(LogError) in
      var run = try BackupRun(of: path, to: folder, isPlan: false, fileSystem, clock)
      return try run.perform(progress)
    }
  }
}
