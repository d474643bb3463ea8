import Glibc

/// systemd's journal, which takes log entries with fields: the native protocol of systemd-journald(8).
package final class JournalSocket: Sendable {
  /// The socket of the journal of this machine.
  package static let standardPath = "/run/systemd/journal/socket"

  private let descriptor: Int32

  /// The journal at `path`. Nil if standard error is not connected to the journal, as `JOURNAL_STREAM`
  /// says, or there is no such socket.
  package convenience init?(standardError stream: String?, path: String = standardPath) {
    guard Self.isJournal(STDERR_FILENO, stream) else { return nil }
    self.init(path: path)
  }

  init?(path: String) {
    guard var name = sockaddr_un(path: path) else { return nil }
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    let result = withUnsafePointer(to: &name) { [descriptor] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      close(descriptor)
      return nil
    }
  }

  deinit { close(descriptor) }

  /// True if a descriptor is the stream that `JOURNAL_STREAM` names: `DEVICE:INODE`. A program that was
  /// started by a service inherits the variable, and may have another standard error.
  package static func isJournal(_ descriptor: Int32, _ stream: String?) -> Bool {
    var info = stat()
    guard let stream, fstat(descriptor, &info) == 0 else { return false }
    return stream == "\(info.st_dev):\(info.st_ino)"
  }

  /// Sends an entry. Returns false if the journal does not take it, and does not wait for it.
  package func send(_ fields: [(name: String, value: String)]) -> Bool {
    let entry = Self.entry(fields)
    return entry.withUnsafeBytes {
      Glibc.send(
        descriptor, $0.baseAddress, $0.count,
        Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    } == entry.count
  }

  /// The name of the field for a metadata key: `EDITLOG_` and the key in capital letters, with `_` for
  /// what is no letter or digit. At most 64 bytes.
  package static func fieldName(_ key: String) -> String {
    let name = key.uppercased().utf8.map { byte in
      let isAllowed = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
      return isAllowed ? Character(UnicodeScalar(byte)) : "_"
    }
    return String(("EDITLOG_" + String(name)).prefix(64))
  }

  /// The bytes of an entry: `NAME=value` and a newline; a value with a newline in it has its size
  /// before it.
  static func entry(_ fields: [(name: String, value: String)]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (name, value) in fields {
      bytes += Array(name.utf8)
      let value = Array(value.utf8)
      if value.contains(UInt8(ascii: "\n")) {
        bytes.append(UInt8(ascii: "\n"))
        for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value.count >> (8 * shift))) }
      } else {
        bytes.append(UInt8(ascii: "="))
      }
      bytes += value
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }
}
