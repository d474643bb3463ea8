import Glibc

/// Commands of the system, for what has no call that a program may make alone.
enum Shell {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Runs a command line and gives what it printed, without the last line's end.
  ///
  /// - Throws: `Failure` where it ends with another status than 0.
  @discardableResult static func run(_ line: String) throws -> String {
    guard let pipe = popen("PATH=$PATH:/usr/sbin:/sbin; \(line) 2>&1", "r") else {
      throw Failure(description: "\(line): errno \(errno)")
    }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 {
      output += buffer[..<count]
    }
    let status = pclose(pipe)
    while output.last == 0x0A { output.removeLast() }
    let text = String(decoding: output, as: UTF8.self)
    guard status == 0 else { throw Failure(description: "\(line): \(text)") }
    return text
  }
}
