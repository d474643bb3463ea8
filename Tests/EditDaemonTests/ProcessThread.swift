import FileWatch
import Glibc

/// A thread of a process, as /proc shows it.
struct ProcessThread {
  /// Its number.
  let id: String
  let name: String
  /// The lines of its `status`.
  let status: [Substring]

  /// How often it was woken or interrupted.
  var switchCount: Int {
    status.filter { $0.contains("ctxt_switches") }
      .reduce(0) { $0 + ($1.split(separator: "\t").last.flatMap { Int($0) } ?? 0) }
  }

  /// The threads of a process.
  static func all(of process: pid_t) throws -> [ProcessThread] {
    let folder = "/proc/\(process)/task"
    guard let tasks = opendir(folder) else { throw SystemError(code: errno) }
    defer { closedir(tasks) }
    var threads: [ProcessThread] = []
    while let entry = readdir(tasks) {
      let id = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard !id.hasPrefix("."), let name = text(of: "\(folder)/\(id)/comm"),
        let status = text(of: "\(folder)/\(id)/status")
      else { continue }
      threads.append(
        ProcessThread(id: id, name: name, status: status.split(separator: "\n")))
    }
    return threads
  }

  private static func text(of path: String) -> String? {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }
}
