import EditModel
import Glibc

/// A program beside this one that performs a verb, with libraries that other verbs do not need.
enum Subprogram {
  /// Replaces this process by the program `name` in the folder of this one. Arguments, environment and
  /// descriptors stay as they are.
  ///
  /// - Throws: `CommandError` (69) if there is no such program, or it cannot be run.
  static func become(_ name: String) throws(CommandError) -> Never {
    guard let path = path(of: name) else {
      throw .unavailable("the path of this program is not known; mount /proc")
    }
    (path + [0]).withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      execv(start.assumingMemoryBound(to: CChar.self), CommandLine.unsafeArgv)
    }
    let problem = String(cString: strerror(errno))
    throw .unavailable(
      """
      cannot run \(String(decoding: path, as: UTF8.self).shown), which performs this verb: \
      \(problem); install \(name) there
      """)
  }

  /// The path at which the program `name` must be: the folder of this one, symbolic links resolved. Nil
  /// if that folder is not known.
  static func path(of name: String) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let size = readlink("/proc/self/exe", &buffer, buffer.count)
    guard let end = buffer.prefix(max(size, 0)).lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return buffer[...end] + Array(name.utf8)
  }
}
