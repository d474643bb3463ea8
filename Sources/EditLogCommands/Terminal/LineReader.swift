import Dispatch
import Glibc

/// Reads lines from a descriptor without blocking other tasks.
struct LineReader {
  private let descriptor: Int32
  private let sizeMax: Int
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  /// A reader of lines of at most `sizeMax` bytes each.
  init(descriptor: Int32, sizeMax: Int) {
    (self.descriptor, self.sizeMax) = (descriptor, sizeMax)
  }

  /// The next line without its LF; nil at the end.
  ///
  /// - Throws: `CommandError` if reading fails, or the line is too long.
  mutating func next() async throws(CommandError) -> [UInt8]? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        defer { start = end + 1 }
        guard end - start <= sizeMax else { throw tooLong }
        return Array(buffer[start..<end])
      }
      if isAtEnd { return takeRest() }
      guard buffer.count - start <= sizeMax else { throw tooLong }
      buffer.removeFirst(start)
      (start, searched) = (0, buffer.count)
      let piece = try await Self.read(descriptor)
      isAtEnd = piece.isEmpty
      buffer += piece
    }
  }

  private var tooLong: CommandError { .data("a line has more than \(sizeMax) bytes") }

  private mutating func takeRest() -> [UInt8]? {
    defer { start = buffer.count }
    return start < buffer.count ? Array(buffer[start...]) : nil
  }

  /// Waits for bytes on a thread of a dispatch queue, because the wait may be long and must not
  /// block a thread that runs tasks.
  private static func read(_ descriptor: Int32) async throws(CommandError) -> [UInt8] {
    let (piece, code) = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: readBlocking(descriptor)) }
    }
    guard code == 0 else {
      throw .io("cannot read standard input: \(String(cString: strerror(code)))")
    }
    return piece
  }

  private static func readBlocking(_ descriptor: Int32) -> (piece: [UInt8], code: Int32) {
    var code: Int32 = 0
    let piece = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      var got = -1
      repeat {
        got = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      } while got < 0 && errno == EINTR
      if got < 0 { code = errno }
      count = max(got, 0)
    }
    return (piece, code)
  }
}
