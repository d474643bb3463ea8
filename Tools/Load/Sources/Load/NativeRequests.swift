import EditModel

/// Batches of the native dialect, written by hand as a client in another language would. Each edit
/// appends one letter to the text.
struct NativeRequests: RequestWriter {
  private static let magic: UInt8 = 0x89
  private static let headerSize = 12
  private static let (hello, batch): (UInt8, UInt8) = (1, 3)
  private static let (grant, ack): (UInt8, UInt8) = (2, 4)

  private let document: [UInt8]
  private var location: UInt64 = 0

  init(document: String) { self.document = Array(document.utf8) }

  var opening: [UInt8] {
    var bytes: [UInt8] = []
    Self.frame(Self.hello, in: &bytes) { body in
      body += [1, 0]
      for text in ["load", "load", ""] {
        body.append(UInt8(text.utf8.count))
        body += text.utf8
      }
    }
    return bytes
  }

  mutating func write(request number: UInt64, batch count: Int, to bytes: inout [UInt8]) {
    Self.frame(Self.batch, in: &bytes) { body in
      Self.write(number, to: &body)
      body.append(0)
      Self.write(UInt64(document.count), to: &body)
      body += document
      Self.write(UInt64(count), to: &body)
      for index in 1...count {
        let start = body.count
        // Size of meta; flags: has a replacement; origin: typing.
        body += [0, 2, 0]
        Self.write(UInt64(index), to: &body)
        Self.write(location, to: &body)
        // Length 0, new length 1, size of content 1, no time.
        body += [0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0x80]
        body[start] = UInt8(body.count - start - 1)
        body += [1, UInt8(ascii: "a")]
        location += 1
      }
    }
  }

  mutating func readAnswers(_ bytes: UnsafeRawBufferPointer) throws -> (size: Int, last: UInt64) {
    var (read, last) = (0, UInt64(0))
    while read + Self.headerSize <= bytes.count {
      let size = Int(bytes.loadUnaligned(fromByteOffset: read + 4, as: UInt32.self))
      guard read + Self.headerSize + size <= bytes.count else { break }
      let body = read + Self.headerSize
      switch bytes[read + 1] {
      // Flags, first counter, last counter.
      case Self.ack: last = bytes.loadUnaligned(fromByteOffset: body + 9, as: UInt64.self)
      case Self.grant: break
      default:
        throw Failure(
          "the daemon refused a batch: \(String(decoding: bytes[body..<body + size], as: UTF8.self))"
        )
      }
      read = body + size
    }
    return (read, last)
  }

  private static func frame(
    _ kind: UInt8, in bytes: inout [UInt8], _ body: (inout [UInt8]) -> Void
  ) {
    let start = bytes.count
    bytes += [magic, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    body(&bytes)
    bytes.withUnsafeMutableBytes { bytes in
      let frame = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
      frame.storeBytes(
        of: UInt32(frame.count - headerSize), toByteOffset: 4, as: UInt32.self)
      let sum = CRC32C.checksum(
        UnsafeRawBufferPointer(rebasing: frame[headerSize...]),
        continuing: CRC32C.checksum(UnsafeRawBufferPointer(rebasing: frame[..<8])))
      frame.storeBytes(of: sum, toByteOffset: 8, as: UInt32.self)
    }
  }

  /// LEB128.
  private static func write(_ value: UInt64, to bytes: inout [UInt8]) {
    var value = value
    while value >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    bytes.append(UInt8(value))
  }
}
