extension String {
  /// Bytes as pairs of lowercase hexadecimal digits. O(n). It is fast, because every answer to an
  /// append has a head.
  package init(hexadecimal bytes: [UInt8]) {
    self.init(unsafeUninitializedCapacity: 2 * bytes.count) { text in
      for (index, byte) in bytes.enumerated() {
        text[2 * index] = Self.digit(byte >> 4)
        text[2 * index + 1] = Self.digit(byte & 15)
      }
      return 2 * bytes.count
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
