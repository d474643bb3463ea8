/// Why bytes on a connection are not a frame. The bytes behind cannot be understood any more,
/// so the connection ends.
public enum FrameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The header block is longer than any needs to be.
  case headerTooLong(sizeMax: Int)
  /// A line of the header block is no header.
  case malformedHeader(line: String)
  /// The header block does not tell the body's length, or tells it twice.
  case lengthMissing
  /// The body's length is no number.
  case malformedLength(String)
  /// The body is larger than is taken.
  case bodyTooLarge(size: Int, sizeMax: Int)
  /// The connection ended inside of a frame.
  case unexpectedEnd

  /// One sentence: what is wrong, and what should be there.
  public var description: String {
    switch self {
    case .headerTooLong(let sizeMax): "a frame's headers may have \(sizeMax) bytes"
    case .malformedHeader(let line):
      // Where a frame begins elsewhere than expected, this is text.
      """
      a line of \(line.utf8.count) bytes is not a header that ends with CR LF; a frame begins with \
      "Content-Length: N", CR LF, CR LF
      """
    case .lengthMissing: "a frame needs exactly one Content-Length header"
    case .malformedLength(let value):
      "Content-Length must be a number of bytes, but has \(value.utf8.count) bytes of another kind"
    case .bodyTooLarge(let size, let sizeMax):
      "a frame's body has \(size) bytes, and \(sizeMax) are allowed; send it in parts"
    case .unexpectedEnd: "the connection ended in the middle of a frame"
    }
  }
}

extension ProtocolError {
  /// A connection whose bytes are no frames.
  public init(_ error: FrameError) {
    switch error {
    case .bodyTooLarge(let size, let sizeMax):
      self = .tooLarge("a frame's body", size: size, sizeMax: sizeMax)
    default: self.init(.parseError, "\(error)")
    }
  }
}
