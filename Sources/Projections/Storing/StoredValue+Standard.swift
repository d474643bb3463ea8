extension Bool: StoredValue {
  /// Appends one byte.
  public func encode(to encoder: inout ValueEncoder) { encoder.encode(byte: self ? 1 : 0) }

  /// Reads one byte, 0 or 1.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    switch try decoder.decodeByte() {
    case 0: self = false
    case 1: self = true
    default: throw decoder.error("a Boolean is neither 0 nor 1")
    }
  }
}

extension Int: StoredValue {
  /// Appends 1 to 10 bytes; small numbers of both signs are short.
  public func encode(to encoder: inout ValueEncoder) { encoder.encode(signed: Int64(self)) }

  /// Reads a number.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self = Int(try decoder.decodeSigned())
  }
}

extension Int64: StoredValue {
  /// Appends 1 to 10 bytes; small numbers of both signs are short.
  public func encode(to encoder: inout ValueEncoder) { encoder.encode(signed: self) }

  /// Reads a number.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self = try decoder.decodeSigned()
  }
}

extension UInt64: StoredValue {
  /// Appends 1 to 10 bytes; small numbers are short.
  public func encode(to encoder: inout ValueEncoder) { encoder.encode(unsigned: self) }

  /// Reads a number.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self = try decoder.decodeUnsigned()
  }
}

extension UInt32: StoredValue {
  /// Appends 1 to 5 bytes; small numbers are short.
  public func encode(to encoder: inout ValueEncoder) { encoder.encode(unsigned: UInt64(self)) }

  /// Reads a number.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    guard let value = UInt32(exactly: try decoder.decodeUnsigned()) else {
      throw decoder.error("a number has more than 32 bits")
    }
    self = value
  }
}

extension String: StoredValue {
  /// Appends the bytes of its UTF-8 form, or its number if it was appended before.
  public func encode(to encoder: inout ValueEncoder) { encoder.encode(self) }

  /// Reads a string.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self = try decoder.decodeString()
  }
}

extension Optional: StoredValue where Wrapped: StoredValue {
  /// Appends one byte, and the value if there is one.
  public func encode(to encoder: inout ValueEncoder) {
    (self != nil).encode(to: &encoder)
    self?.encode(to: &encoder)
  }

  /// Reads an optional value.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self = try Bool(from: &decoder) ? try Wrapped(from: &decoder) : nil
  }
}

extension Array: StoredValue where Element: StoredValue {
  /// Appends the count, then the elements. O(n).
  public func encode(to encoder: inout ValueEncoder) {
    encoder.encode(unsigned: UInt64(count))
    for element in self { element.encode(to: &encoder) }
  }

  /// Reads an array. Its elements take at least one byte each.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    let count = try decoder.decodeFollowingCount()
    self = []
    for _ in 0..<count { append(try Element(from: &decoder)) }
  }
}

extension Dictionary: StoredValue where Key: StoredValue & Comparable, Value: StoredValue {
  /// Appends the count, then keys and values, by ascending keys. O(n log n).
  public func encode(to encoder: inout ValueEncoder) {
    encoder.encode(unsigned: UInt64(count))
    for (key, value) in sorted(by: { $0.key < $1.key }) {
      key.encode(to: &encoder)
      value.encode(to: &encoder)
    }
  }

  /// Reads a dictionary, whose keys must ascend.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    let count = try decoder.decodeFollowingCount()
    self = [:]
    var last: Key?
    for _ in 0..<count {
      let key = try Key(from: &decoder)
      guard last.map({ $0 < key }) ?? true else { throw decoder.error("keys do not ascend") }
      self[key] = try Value(from: &decoder)
      last = key
    }
  }
}

extension ClosedRange: StoredValue where Bound: StoredValue {
  /// Appends both bounds.
  public func encode(to encoder: inout ValueEncoder) {
    lowerBound.encode(to: &encoder)
    upperBound.encode(to: &encoder)
  }

  /// Reads a range.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    let (lower, upper) = (try Bound(from: &decoder), try Bound(from: &decoder))
    guard lower <= upper else { throw decoder.error("a range ends before it begins") }
    self = lower...upper
  }
}
