import EditModel

/// Why a store could not be read or written. A case stands for what may be done next.
public enum LogError: Error, Hashable, Sendable {
  /// There is no store at this path.
  case noStore(path: String)
  /// Written by a newer version with features this one does not know; the store is sound.
  case newerFormat(path: String, major: Int, minor: Int, flags: UInt32)
  /// Another process writes to this store.
  case locked(path: String)
  /// Bytes that were once whole have changed. Nothing was cut or deleted.
  case damaged(file: String, offset: Int, what: String)
  /// The store has no room for this write. Nothing was written; the writer goes on when there
  /// is room again.
  case noSpace(path: String)
  /// A flush failed, so the writer believes nothing it wrote any more. Reopen the store.
  case poisoned(first: String)
  /// The operating system refused an operation.
  case io(operation: String, path: String, errno: Int32)
  /// A file or folder is not what the store may use: a link, a device, another user's.
  case refused(path: String, what: String)
}
