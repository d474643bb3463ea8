import Glibc
import TestSupport

/// What the system says of a process.
struct ProcessFigures {
  /// Bytes of memory in use, of those without a file, and the most that ever was in use.
  var resident = 0
  var anonymous = 0
  var peak = 0
  /// The most address space that ever was in use.
  var addressPeak = 0
  /// Processor time so far.
  var cpuSeconds = 0.0

  init(of daemon: DaemonProcess) throws {
    guard daemon.isRunning else {
      throw StateCheck.Failure(
        what: "the daemon ended by itself",
        detail: "status \(daemon.lastStatus ?? 0): \(daemon.lastWords)")
    }
    for line in Self.text("/proc/\(daemon.process)/status").split(separator: "\n") {
      let words = line.split(whereSeparator: { " \t".contains($0) })
      guard words.count >= 2, let value = Int(words[1]) else { continue }
      switch words[0] {
      case "VmRSS:": resident = value << 10
      case "RssAnon:": anonymous = value << 10
      case "VmPeak:": addressPeak = value << 10
      case "VmHWM:": peak = value << 10
      default: break
      }
    }
    // After the name, which is in parentheses, the 12th and 13th words are ticks.
    let words = Self.text("/proc/\(daemon.process)/stat").split(separator: ")").last?
      .split(separator: " ")
    guard let words, words.count > 12, let user = Double(words[11]), let system = Double(words[12])
    else { return }
    cpuSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func text(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
