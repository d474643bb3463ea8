/// A destination for the bytes of JSON text.
public protocol ByteSink {
  /// Adds a byte.
  mutating func append(_ byte: UInt8)
  /// Adds bytes.
  mutating func append(bytes: UnsafeBufferPointer<UInt8>)
}

extension ByteSink {
  /// Adds the UTF-8 form of a short string.
  mutating func append(_ string: String) {
    var string = string
    string.withUTF8 { append(bytes: $0) }
  }
}

extension Array: ByteSink where Element == UInt8 {
  /// Adds bytes.
  public mutating func append(bytes: UnsafeBufferPointer<UInt8>) { append(contentsOf: bytes) }
}
