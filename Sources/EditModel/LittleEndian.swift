extension FixedWidthInteger {
  /// The number whose bytes these are, the lowest first. Bytes beyond its width are lost. O(n).
  package init(littleEndianBytes bytes: some BidirectionalCollection<UInt8>) {
    self = bytes.reversed().reduce(0) { $0 << 8 | Self($1) }
  }

  /// The bytes of the number, the lowest first.
  package var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { [UInt8]($0) } }
}
