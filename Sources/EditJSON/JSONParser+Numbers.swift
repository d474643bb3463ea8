extension JSONParser {
  /// The maximum size of a number, in bytes: more than the exact form of any double has.
  private static let numberSizeMax = 1100

  /// Reads a number. Its sign or first digit is the next byte.
  mutating func number() throws(JSONError) -> JSON {
    let start = index
    let negative = take(UInt8(ascii: "-"))
    let whole = try digits()
    if whole.count > 1, byte(index - whole.count) == UInt8(ascii: "0") {
      index -= whole.count - 1
      throw unexpected("the number's end, for no number starts with 0,")
    }
    var isInteger = true
    if take(UInt8(ascii: ".")) {
      isInteger = false
      _ = try digits()
    }
    if peek | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      index += 1
      if !take(UInt8(ascii: "-")) { _ = take(UInt8(ascii: "+")) }
      _ = try digits()
    }
    guard index - start <= Self.numberSizeMax else {
      throw JSONError(.numberTooLong(sizeMax: Self.numberSizeMax), offset: start)
    }
    return isInteger
      ? try integer(whole.value, negative: negative, at: start) : try double(from: start)
  }

  /// Reads at least one digit. The value is nil if it overflows.
  private mutating func digits() throws(JSONError) -> (value: UInt64?, count: Int) {
    let start = index
    var value: UInt64 = 0
    var fits = true
    while index < end {
      let digit = byte(index) &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      if index - start < 18 {
        value = value &* 10 &+ UInt64(digit)
      } else {
        let (product, high) = value.multipliedReportingOverflow(by: 10)
        let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
        (value, fits) = (sum, fits && !high && !carry)
      }
      index += 1
    }
    guard index > start else { throw unexpected("a digit") }
    return (fits ? value : nil, index - start)
  }

  private func integer(
    _ magnitude: UInt64?, negative: Bool, at start: Int
  ) throws(JSONError) -> JSON {
    guard let magnitude else { throw JSONError(.numberOutOfRange, offset: start) }
    if let value = Int64(exactly: magnitude) { return .integer(negative ? -value : value) }
    guard negative, magnitude == Int64.min.magnitude else {
      throw JSONError(.numberOutOfRange, offset: start)
    }
    return .integer(.min)
  }

  private func double(from start: Int) throws(JSONError) -> JSON {
    let bytes = UnsafeRawBufferPointer(start: base + start, count: index - start)
    guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else {
      throw JSONError(.numberOutOfRange, offset: start)
    }
    return .double(value)
  }
}
