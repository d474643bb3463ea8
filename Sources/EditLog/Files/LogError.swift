import EditLogFormat
import EditModel
import Glibc

/// Why a store could not be read or written. Each case needs a different reaction.
public enum LogError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no store at this path.
  case noStore(path: String)
  /// A newer version wrote the file, with features that this one does not know. The store is sound.
  case newerFormat(path: String, major: Int, minor: Int, flags: UInt32)
  /// Another process writes to this store.
  case locked(path: String)
  /// Bytes have changed since they were written, or are missing.
  case damaged(file: String, offset: Int, what: String)
  /// The store has no room for this write. Nothing was written; the writer continues when there
  /// is room again.
  case noSpace(path: String)
  /// A flush failed, so the state of the files is unknown to the writer. Reopen the store.
  case poisoned(first: String)
  /// The operating system refused an operation.
  case io(operation: String, path: String, errno: Int32)
  /// The store must not use a file or folder: a link, a device, or one of another user.
  case refused(path: String, what: String)

  /// The file or folder that the error is about; the store if that is not known.
  public var path: String {
    switch self {
    case .noStore(let path), .newerFormat(let path, _, _, _), .locked(let path),
      .noSpace(let path), .io(_, let path, _), .refused(let path, _):
      path
    case .damaged(let file, _, _): file
    case .poisoned: "the store"
    }
  }

  /// One sentence: what is wrong, where, and what to do.
  public var description: String {
    switch self {
    case .noStore(let path):
      "there is no store at \(path.shown)"
    case .newerFormat(let path, let major, let minor, let flags):
      """
      \(path.shown) was written by a newer version (format \(major).\(minor), flags \(flags)); it was left \
      as it is; upgrade EditLog to read it
      """
    case .locked(let path):
      "another process writes to the store at \(path.shown); stop it, or go through its socket"
    case .damaged(let file, let offset, let what):
      """
      \(file.shown) is damaged\(offset > 0 ? " at byte \(offset)" : ""): \(what); `editlog verify` \
      lists all damage of the store
      """
    case .noSpace(let path):
      "the store at \(path.shown) has no room; free some, and try again"
    case .poisoned(let first):
      "the writer stopped after a failure, and takes no more until the store is reopened: \(first)"
    case .io(let operation, let path, let code):
      "could not \(operation) \(path.shown): \(String(cString: strerror(code)))"
    case .refused(let path, let what):
      "\(path.shown) was refused: \(what)"
    }
  }
}

extension LogError {
  /// True if the disk, or the user's share of it, is full.
  var isNoRoom: Bool {
    guard case .io(_, _, let code) = self else { return false }
    return code == ENOSPC || code == EDQUOT || code == EFBIG
  }
  /// True if there is no file of this name.
  var isMissing: Bool {
    if case .io(_, _, ENOENT) = self { true } else { false }
  }
  /// True if there is a file of this name already.
  var isTaken: Bool {
    if case .io(_, _, EEXIST) = self { true } else { false }
  }
}
