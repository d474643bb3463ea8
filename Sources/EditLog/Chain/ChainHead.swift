import Crypto
import EditModel

/// A SHA-256 that stands for everything before it: who knows one can tell whether the history
/// it was taken from was changed, or cut, or put back to an older copy.
public struct ChainHead: Hashable, Sendable, CustomStringConvertible {
  /// Bytes in a head.
  public static let size = 32
  // Four words: heads are kept by the thousand, and an array would be a piece of memory each.
  private let words: SIMD4<UInt64>

  /// A head; nil where there are not 32 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    self.init(bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) })
  }

  private init(_ words: SIMD4<UInt64>) { self.words = words }

  init(_ digest: SHA256Digest) {
    self.init(digest.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) })
  }

  init(_ reader: inout ByteReader) throws(CodecError) {
    let bytes = try reader.readBytes(Self.size)
    self.init(bytes.loadUnaligned(as: SIMD4<UInt64>.self))
  }

  /// The 32 bytes.
  public var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

  /// The bytes in hexadecimal.
  public var description: String { String(hexadecimal: bytes) }

  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    Swift.withUnsafeBytes(of: words, body)
  }
}

extension SHA256 {
  mutating func update(_ head: ChainHead) {
    head.withUnsafeBytes { update(bufferPointer: $0) }
  }
}
