/// Why bytes on a connection are not a frame. The bytes after them cannot be decoded, so the
/// connection ends.
public enum FrameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The header block has more than `sizeMax` bytes.
  case headerTooLong(sizeMax: Int)
  /// A line of the header block is not a header.
  case malformedHeader(line: String)
  /// The header block has no `Content-Length`, or two.
  case lengthMissing
  /// The body's length is not a number.
  case malformedLength(String)
  /// The body has more than `sizeMax` bytes.
  case bodyTooLarge(size: Int, sizeMax: Int)
  /// The connection ended inside a frame.
  case unexpectedEnd
  /// A frame of the native dialect begins with another byte.
  case notNative(UInt8)
  /// A frame of the native dialect is of a kind that does not exist, or is not sent in this direction.
  case unknownKind(UInt8)
  /// The checksum of a frame of the native dialect does not agree with its bytes.
  case damaged

  /// One sentence: what is wrong, and what was expected.
  public var description: String {
    switch self {
    case .headerTooLong(let sizeMax): "a frame's headers have more than \(sizeMax) bytes"
    case .malformedHeader(let line):
      // If a frame begins at another byte than expected, the line is text of a document, and must
      // not be shown.
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
    case .notNative(let byte):
      "a frame of the native dialect begins with the byte \(NativeFrame.magic), but found \(byte)"
    case .unknownKind(let kind):
      "frames of the kind \(kind) are unknown here, or its reserved bytes are not 0"
    case .damaged: "the checksum of a frame does not agree with its bytes"
    }
  }
}

extension ProtocolError {
  /// `tooLarge` for a body above its maximum, else `parseError`.
  public init(_ error: FrameError) {
    switch error {
    case .bodyTooLarge(let size, let sizeMax):
      self = .tooLarge("a frame's body", size: size, sizeMax: sizeMax)
    default: self.init(.parseError, "\(error)")
    }
  }
}
