/// A SHA-256 hash that covers everything before it. Given a head that was kept elsewhere, a reader
/// can tell whether the history was changed, cut, or replaced by an older copy.
public struct ChainHead: Hashable, Sendable, CustomStringConvertible {
  /// Bytes in a head.
  public static let size = 32
  // Four words, because thousands of heads are in memory, and each array would be an allocation.
  private let words: SIMD4<UInt64>

  /// A head. Returns nil if there are not 32 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    self.init(bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) })
  }

  /// A head of these 32 bytes, in the order of memory.
  package init(_ words: SIMD4<UInt64>) { self.words = words }

  /// The 32 bytes.
  public var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

  /// The bytes in hexadecimal.
  public var description: String { String(hexadecimal: bytes) }

  /// Runs `body` on the 32 bytes.
  package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    Swift.withUnsafeBytes(of: words, body)
  }
}
