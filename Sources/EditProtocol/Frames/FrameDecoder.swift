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
    guard let header = try header(&buffer) else { return nil }
    return try bodySize(header)
  }

  /// Reads the header block from `buffer`, and returns it without its empty line.
  private mutating func header(_ buffer: inout ByteBuffer) throws(FrameError) -> String? {
    let view = buffer.readableBytesView.prefix(Self.headerSizeMax)
    var index = view.startIndex + searched
    while index + 4 <= view.endIndex {
      if view[index] == 0x0D, view[index..<index + 4].elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) {
        let header = String(decoding: view[..<index], as: UTF8.self)
        buffer.moveReaderIndex(forwardBy: index + 4 - view.startIndex)
        searched = 0
        return header
      }
      index += 1
    }
    searched = index - view.startIndex
    try refuseEarly(view)
    return nil
  }

  /// Refuses bytes that cannot begin a header block, so that a client of another protocol gets an
  /// error before the timeout.
  private func refuseEarly(_ view: ByteBufferView.SubSequence) throws(FrameError) {
    if let bad = view.firstIndex(where: { ($0 < 0x20 && $0 != 0x0D && $0 != 0x0A) || $0 > 0x7E }) {
      throw .malformedHeader(line: Self.show(view[...bad]))
    }
    // Every LF ends a line, and a line ends with CR LF. Without this, a client that sends LF alone
    // would wait for an answer.
    if let end = view.indices.first(where: { view[$0] == 0x0A && view[..<$0].last != 0x0D }) {
      throw .malformedHeader(line: Self.show(view[...end]))
    }
    guard view.count < Self.headerSizeMax else {
      throw .headerTooLong(sizeMax: Self.headerSizeMax)
    }
  }

  private func bodySize(_ header: String) throws(FrameError) -> Int {
    var size: Int?
    // The split is by bytes, because CR LF is one Character in Swift. Only CR LF ends a header.
    for line in header.utf8.split(separator: 0x0D, omittingEmptySubsequences: false) {
      let line = line.first == 0x0A ? line.dropFirst() : line
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
        line.allSatisfy({ (0x20...0x7E).contains($0) })
      else { throw .malformedHeader(line: Self.show(line)) }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      guard name == "content-length" else { continue }
      guard size == nil else { throw .lengthMissing }
      size = try length(line[line.index(after: colon)...])
    }
    guard let size else { throw .lengthMissing }
    guard size <= frameSizeMax else { throw .bodyTooLarge(size: size, sizeMax: frameSizeMax) }
    return size
  }

  private func length(_ value: Substring.UTF8View) throws(FrameError) -> Int {
    let digits = value.drop { $0 == 0x20 }
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .malformedLength(Self.show(digits))
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
