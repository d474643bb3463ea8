package import NIOCore

/// A destination for the bytes of JSON text.
package protocol ByteSink {
  /// Adds a byte.
  mutating func append(_ byte: UInt8)
  /// Adds bytes.
  mutating func append(bytes: UnsafeBufferPointer<UInt8>)
  /// Adds a long string, with its quotes, as it is in the frame that it was read from. Returns
  /// false, and adds nothing, if the string must be written with the escapes of `serialized()`.
  mutating func append(quoted string: ByteBuffer) -> Bool
}

extension ByteSink {
  /// Adds the UTF-8 form of a short string.
  package mutating func append(_ string: String) {
    var string = string
    string.withUTF8 { append(bytes: $0) }
  }

  /// Adds nothing.
  package mutating func append(quoted string: ByteBuffer) -> Bool { false }
}

extension Array: ByteSink where Element == UInt8 {
  /// Adds bytes.
  package mutating func append(bytes: UnsafeBufferPointer<UInt8>) { append(contentsOf: bytes) }
}
