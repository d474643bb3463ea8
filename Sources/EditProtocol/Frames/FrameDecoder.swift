public import NIOCore

/// Splits a connection's bytes into the bodies of frames, as in LSP: headers in ASCII that end with
/// CR LF, an empty line, then `Content-Length` bytes.
///
/// The size of both parts is checked before memory is allocated, and memory grows only with the
/// bytes that arrive.
public struct FrameDecoder: NIOSingleStepByteToMessageDecoder {
  /// A frame's body.
  public typealias InboundOut = ByteBuffer

  /// The maximum size of a header block, in bytes.
  public static let headerSizeMax = 8 << 10
  /// The default maximum size of a body, in bytes.
  public static let defaultFrameSizeMax = 192 << 20

  private let frameSizeMax: Int
  /// The size of the next body, after its headers were read.
  private var bodySize: Int?
  /// Bytes that were searched and have no end of a header block.
  private var searched = 0

  /// A decoder that takes bodies of at most `frameSizeMax` bytes.
  public init(frameSizeMax: Int = defaultFrameSizeMax) { self.frameSizeMax = frameSizeMax }

  /// The next body; nil if more bytes are needed.
  ///
  /// - Throws: `FrameError`, after which the decoder must not be used.
  public mutating func decode(buffer: inout ByteBuffer) throws -> ByteBuffer? {
    if bodySize == nil { bodySize = try announcedSize(&buffer) }
    guard let size = bodySize, let body = buffer.readSlice(length: size) else { return nil }
    bodySize = nil
    return body
  }

  /// The last body; nil if the connection ended between two frames.
  ///
  /// - Throws: `FrameError`.
  public mutating func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> ByteBuffer? {
    if let body = try decode(buffer: &buffer) { return body }
    if seenEOF, bodySize != nil || buffer.readableBytes > 0 { throw FrameError.unexpectedEnd }
    return nil
  }

  /// Reads the headers of the next frame from `buffer`, and returns the size of its body. Nil if
  /// more bytes are needed.
  mutating func announcedSize(_ buffer: inout ByteBuffer) throws(FrameError) -> Int? {
    let (frameSizeMax, start) = (frameSizeMax, searched)
    let found = try buffer.withBytes { (bytes) throws(FrameError) -> (size: Int, end: Int)? in
      let bytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.headerSizeMax))
      guard let end = Self.end(of: bytes, from: start) else {
        try Self.refuseEarly(bytes)
        return nil
      }
      let header = UnsafeRawBufferPointer(rebasing: bytes[..<(end - 4)])
      return (try Self.bodySize(header, sizeMax: frameSizeMax), end)
    }
    guard let found else {
      searched = max(0, min(buffer.readableBytes, Self.headerSizeMax) - 3)
      return nil
    }
    searched = 0
    buffer.moveReaderIndex(forwardBy: found.end)
    return found.size
  }

  /// The offset after the empty line that ends the header block; nil if it is not there yet.
  private static func end(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var index = start
    while index + 4 <= bytes.count {
      if bytes[index] == 0x0D,
        bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self).littleEndian == 0x0A0D_0A0D
      {
        return index + 4
      }
      index += 1
    }
    return nil
  }

  /// Refuses bytes that cannot begin a header block, so that a client of another protocol gets an
  /// error before the timeout.
  private static func refuseEarly(_ bytes: UnsafeRawBufferPointer) throws(FrameError) {
    if let bad = bytes.firstIndex(where: { ($0 < 0x20 && $0 != 0x0D && $0 != 0x0A) || $0 > 0x7E }) {
      throw .malformedHeader(line: show(bytes[...bad]))
    }
    // Every LF ends a line, and a line ends with CR LF. Without this, a client that sends LF alone
    // would wait for an answer.
    if let end = bytes.indices.first(where: { bytes[$0] == 0x0A && bytes[..<$0].last != 0x0D }) {
      throw .malformedHeader(line: show(bytes[...end]))
    }
    guard bytes.count < headerSizeMax else { throw .headerTooLong(sizeMax: headerSizeMax) }
  }

  /// The size that a header block announces, which has no empty line at its end.
  private static func bodySize(
    _ header: UnsafeRawBufferPointer, sizeMax: Int
  ) throws(FrameError) -> Int {
    var size: Int?
    var start = 0
    while start <= header.count {
      // Only CR LF ends a header. A CR alone is refused with its line.
      let end = header[start...].firstIndex(of: 0x0D) ?? header.count
      let line = header[start..<end]
      guard end == header.count || end + 1 < header.count && header[end + 1] == 0x0A,
        let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
        line.allSatisfy({ (0x20...0x7E).contains($0) })
      else { throw .malformedHeader(line: show(line)) }
      start = end + 2
      guard isContentLength(line[..<colon]) else { continue }
      guard size == nil else { throw .lengthMissing }
      size = try length(line[(colon + 1)...])
    }
    guard let size else { throw .lengthMissing }
    guard size <= sizeMax else { throw .bodyTooLarge(size: size, sizeMax: sizeMax) }
    return size
  }

  /// The names of headers are case-insensitive.
  private static func isContentLength(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
    let expected: StaticString = "content-length"
    guard name.count == expected.utf8CodeUnitCount else { return false }
    // Bit 5 is the case of a letter. The hyphen has it too.
    return name.indices.allSatisfy {
      name[$0] | 0x20 == expected.utf8Start[$0 - name.startIndex]
    }
  }

  private static func length(_ value: Slice<UnsafeRawBufferPointer>) throws(FrameError) -> Int {
    let digits = value.drop { $0 == 0x20 }
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .malformedLength(show(digits))
    }
    // A length that overflows is above every limit.
    return digits.reduce(0) { size, digit in
      let (product, overflow) = size.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(Int(digit - 0x30))
      return overflow || carry ? .max : sum
    }
  }

  /// The start of a line for a message, with "?" for each byte that is not printable.
  private static func show(_ bytes: some Sequence<UInt8>) -> String {
    let start = bytes.prefix(40).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
    return String(decoding: start, as: UTF8.self)
  }
}
