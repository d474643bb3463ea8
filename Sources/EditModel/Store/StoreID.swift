/// The name of a store: 16 random bytes, in the header of each of its files, so that a file of
/// another store is never taken for one of this.
public struct StoreID: Hashable, Sendable, CustomStringConvertible {
  /// The 16 bytes.
  public let bytes: [UInt8]

  /// An identifier. Returns nil if there are not 16 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// The bytes in hexadecimal.
  public var description: String { String(hexadecimal: bytes) }
}
