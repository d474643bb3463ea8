import Dispatch
import Glibc
import NIOCore

/// Reads lines from a descriptor without blocking other tasks.
struct LineReader {
  private let descriptor: Int32
  private let sizeMax: Int
  /// What is read, for errors.
  private let name: String
  private var buffer = ByteBuffer()
  private var isAtEnd = false

  /// A reader of lines of at most `sizeMax` bytes each.
  init(descriptor: Int32, sizeMax: Int, name: String = "standard input") {
    (self.descriptor, self.sizeMax, self.name) = (descriptor, sizeMax, name)
  }

  /// The next line without its LF; nil at the end. It is not copied.
  ///
  /// - Throws: `CommandError` if reading fails, or the line is too long.
  mutating func next() async throws(CommandError) -> ByteBuffer? {
    var searched = 0
    while true {
      if let count = length(from: searched) {
        guard count <= sizeMax else { throw tooLong }
        defer { buffer.moveReaderIndex(forwardBy: 1) }
        return buffer.readSlice(length: count)
      }
      searched = buffer.readableBytes
      if isAtEnd { return searched > 0 ? buffer.readSlice(length: searched) : nil }
      guard searched <= sizeMax else { throw tooLong }
      // The lines before this one may still be in use. Without this copy of the first bytes, the
      // buffer would be copied when it grows, and would keep their memory.
      if buffer.readerIndex > 0 { buffer = ByteBuffer(bytes: buffer.readableBytesView) }
      let piece = try await Self.read(descriptor, name)
      isAtEnd = piece.isEmpty
      buffer.writeBytes(piece)
    }
  }

  /// The length of the line in the buffer, whose first `searched` bytes have no LF; nil if there is
  /// no LF.
  private func length(from searched: Int) -> Int? {
    buffer.withUnsafeReadableBytes { bytes in
      guard let base = bytes.baseAddress, bytes.count > searched,
        let end = memchr(base + searched, 0x0A, bytes.count - searched)
      else { return nil }
      return UnsafeRawPointer(end) - base
    }
  }

  private var tooLong: CommandError { .data("a line has more than \(sizeMax) bytes") }

  /// Waits for bytes on a thread of a dispatch queue, because the wait may be long and must not
  /// block a thread that runs tasks.
  private static func read(
    _ descriptor: Int32, _ name: String
  ) async throws(CommandError) -> [UInt8] {
    let (piece, code) = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: readBlocking(descriptor)) }
    }
    guard code == 0 else {
      throw .io("cannot read \(name): \(String(cString: strerror(code)))")
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
