/// The identifier of a store: 16 random bytes in the header of each of its files. A file of another
/// store is refused.
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
