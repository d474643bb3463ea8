extension FixedWidthInteger {
  /// The number with these bytes, the lowest first. Bytes beyond its width are ignored. O(n).
  package init(littleEndianBytes bytes: some BidirectionalCollection<UInt8>) {
    self = bytes.reversed().reduce(0) { $0 << 8 | Self($1) }
  }

  /// The bytes of the number, the lowest first.
  package var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { [UInt8]($0) } }
}
