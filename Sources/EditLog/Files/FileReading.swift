import EditLogFormat
import Glibc

/// What a file of the store was found to be.
///
/// A file that could not be read is none of these: that error is thrown. It says nothing about the
/// bytes, so nothing may be replaced, removed or called damaged because of it.
enum FileReading<Content> {
  /// There is no file of this name.
  case absent
  /// The bytes are not those that were written.
  case damaged(LogError)
  /// The bytes as `body` understands them.
  case present(Content)

  /// The content; nil if the file is absent or damaged.
  var content: Content? {
    if case .present(let content) = self { content } else { nil }
  }
}

extension Directory {
  /// Opens the file `name` and reads it with `body`, which throws `LogError.damaged` for bytes that
  /// are not valid.
  ///
  /// - Throws: every other error. A file that cannot be opened or read is neither absent nor damaged.
  func read<Content>(
    _ name: String, _ access: FileAccess = .read,
    _ body: (any File) throws(LogError) -> Content
  ) throws(LogError) -> FileReading<Content> {
    do throws(LogError) { return .present(try body(try open(name, access))) } catch {
      if error.isMissing { return .absent }
      guard case .damaged = error else { throw error }
      return .damaged(error)
    }
  }
}

extension LogError {
  /// True if the system did not open or read a file, for want of permission, memory or descriptors, or
  /// because of a device. Such an error does not say what the bytes are.
  var isUnreadable: Bool {
    guard case .io(_, _, let code) = self else { return false }
    return code != ENOENT
  }
}

/// The result of `body`; nil if what it reads is missing, damaged or refused, or of a newer version.
///
/// - Throws: an error that does not say what the bytes are.
func ifUsable<Result>(
  _ body: () throws(LogError) -> Result?
) throws(LogError) -> Result? {
  do { return try body() } catch {
    switch error {
    case .damaged, .refused, .newerFormat: return nil
    default:
      if error.isMissing { return nil }
      throw error
    }
  }
}
