import Crypto
package import EditModel

extension ChainHead {
  /// The SHA-256 hash of `bytes`.
  package init(hashing bytes: [UInt8]) { self.init(SHA256.hash(data: bytes)) }

  init(_ digest: SHA256Digest) {
    self.init(digest.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) })
  }

  /// Reads a head from `reader`.
  package init(_ reader: inout ByteReader) throws(CodecError) {
    let bytes = try reader.readBytes(Self.size)
    self.init(bytes.loadUnaligned(as: SIMD4<UInt64>.self))
  }
}

extension SHA256 {
  mutating func update(_ head: ChainHead) {
    head.withUnsafeBytes { update(bufferPointer: $0) }
  }
}
