/// The bytes written as hexadecimal digits; spaces between them are skipped.
public func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map {
    UInt8(digits[$0] << 4 | digits[$0 + 1])
  }
}

extension [UInt8] {
  /// Every array that differs from this one in one bit.
  public var flips: some Sequence<[UInt8]> {
    (0..<count * 8).lazy.map { bit in
      var copy = self
      copy[bit / 8] ^= 1 << UInt8(bit % 8)
      return copy
    }
  }

  /// Every array that this one begins with, except itself.
  public var cuts: some Sequence<[UInt8]> { indices.lazy.map { [UInt8](self[..<$0]) } }
}
