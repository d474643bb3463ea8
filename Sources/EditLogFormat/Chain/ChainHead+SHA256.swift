package import EditModel

extension ChainHead {
  /// The SHA-256 hash of `bytes`.
  package init(hashing bytes: [UInt8]) {
    var hash = SHA256()
    hash.update(bytes)
    self.init(hash)
  }

  /// The hash of what was added to `hash`.
  init(_ hash: SHA256) { self.init(hash.digestWords) }

  /// Reads a head from `reader`.
  package init(_ reader: inout ByteReader) throws(CodecError) {
    let bytes = try reader.readBytes(Self.size)
    self.init(bytes.loadUnaligned(as: SIMD4<UInt64>.self))
  }
}

extension SHA256 {
  mutating func update(_ head: ChainHead) {
    head.withUnsafeBytes { update($0) }
  }
}
