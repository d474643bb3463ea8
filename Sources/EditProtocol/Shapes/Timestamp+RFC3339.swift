public import EditModel

extension Timestamp {
  /// The time in UTC in the form of RFC 3339, `2026-11-20T15:04:05.123456789Z`, with 0, 3, 6 or 9
  /// digits of fraction, as few as are exact.
  public var rfc3339: String {
    let (seconds, fraction) = nanoseconds.floorDivided(by: 1_000_000_000)
    let time = CivilTime(seconds: seconds)
    return String(unsafeUninitializedCapacity: 30) { buffer in
      var text = DigitWriter(buffer: buffer)
      text.write(time.year, width: 4)
      text.write(time.month, width: 2, after: "-")
      text.write(time.day, width: 2, after: "-")
      text.write(time.hour, width: 2, after: "T")
      text.write(time.minute, width: 2, after: ":")
      text.write(time.second, width: 2, after: ":")
      if fraction % 1000 > 0 {
        text.write(Int(fraction), width: 9, after: ".")
      } else if fraction % 1_000_000 > 0 {
        text.write(Int(fraction / 1000), width: 6, after: ".")
      } else if fraction > 0 {
        text.write(Int(fraction / 1_000_000), width: 3, after: ".")
      }
      text.write("Z")
      return text.count
    }
  }

  /// Microseconds since 1970 UTC, rounded down.
  public var microseconds: Int64 { nanoseconds.floorDivided(by: 1000).quotient }
}

extension Timestamp {
  /// Parses RFC 3339: a date, `T`, a time with up to nine digits of fraction, then `Z` or an
  /// offset such as `+01:00`. A leap second is read as the second after it. Nil for any other
  /// form, and outside the years 1677 to 2262.
  public init?(rfc3339 text: some StringProtocol) {
    var bytes = ByteReader(text.utf8)
    guard
      let year = bytes.digits(4), bytes.take("-"), let month = bytes.digits(2), bytes.take("-"),
      let day = bytes.digits(2), bytes.take("T") || bytes.take("t"),
      (1...12).contains(month), day >= 1,
      day <= CivilTime.dayCount(ofMonth: month, year: year), let hour = bytes.digits(2), hour < 24,
      bytes.take(":"),
      let minute = bytes.digits(2), minute < 60, bytes.take(":"),
      let second = bytes.digits(2), second <= 60,
      let fraction = bytes.fraction(), let offset = bytes.offset(), bytes.isAtEnd
    else { return nil }
    let time = CivilTime(
      year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    guard
      let nanoseconds = Self.nanoseconds(
        seconds: time.seconds - Int64(offset), fraction: Int64(fraction))
    else {
      return nil
    }
    self.init(nanoseconds: nanoseconds)
  }

  /// `seconds * 10^9 + fraction`; nil if it overflows. Before 1970 it is computed from the next
  /// second up, because the product alone could overflow.
  private static func nanoseconds(seconds: Int64, fraction: Int64) -> Int64? {
    let lift: Int64 = seconds < 0 ? 1 : 0
    let (product, high) = (seconds + lift).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = product.addingReportingOverflow(fraction - lift * 1_000_000_000)
    return high || carry ? nil : sum
  }
}

/// Writes the parts of a time as ASCII into a buffer that is large enough.
private struct DigitWriter {
  let buffer: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  init(buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

  mutating func write(_ character: Unicode.Scalar) {
    buffer[count] = UInt8(ascii: character)
    count += 1
  }

  /// Writes the last `width` digits of a number that is not negative.
  mutating func write(_ value: Int, width: Int, after separator: Unicode.Scalar? = nil) {
    if let separator { write(separator) }
    var rest = value
    for place in stride(from: count + width - 1, through: count, by: -1) {
      buffer[place] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
    count += width
  }
}

/// Reads the parts of a time from ASCII.
private struct ByteReader<Bytes: Collection<UInt8>> {
  private var rest: Bytes.SubSequence

  init(_ bytes: Bytes) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func digit() -> Int? {
    guard let byte = rest.first, (0x30...0x39).contains(byte) else { return nil }
    rest.removeFirst()
    return Int(byte - 0x30)
  }

  /// Exactly `count` digits.
  mutating func digits(_ count: Int) -> Int? {
    var value: Int = 0
    for _ in 0..<count {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// Nanoseconds: 0 without a decimal point; nil if the point is not followed by 1 to 9 digits.
  mutating func fraction() -> Int? {
    guard take(".") else { return 0 }
    var (value, count): (Int, Int) = (0, 0)
    while count < 9, let digit = digit() { (value, count) = (value * 10 + digit, count + 1) }
    guard count > 0, !(rest.first.map { (0x30...0x39).contains($0) } ?? false) else { return nil }
    for _ in count..<9 { value *= 10 }
    return value
  }

  /// Seconds east of UTC.
  mutating func offset() -> Int? {
    if take("Z") || take("z") { return 0 }
    let isWest = take("-")
    guard isWest || take("+"), let hour = digits(2), hour < 24, take(":"), let minute = digits(2),
      minute < 60
    else { return nil }
    let seconds = hour * 3600 + minute * 60
    return isWest ? -seconds : seconds
  }
}

extension Int64 {
  /// The quotient rounded down, and the remainder, 0 to `divisor` - 1. `divisor` must be positive.
  fileprivate func floorDivided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
