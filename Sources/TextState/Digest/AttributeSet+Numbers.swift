import EditModel

extension PolynomialHash {
  /// Adds the numbers that stand for a set: how many attributes, then name and value of each.
  mutating func append(_ set: AttributeSet) {
    append(count: set.count)
    for (name, value) in set {
      append(name)
      append(value)
    }
  }

  /// Adds the number of a value's kind, then those that stand for the value.
  private mutating func append(_ value: AttributeValue) {
    switch value {
    case .bool(let value): append(value ? 1 : 0)
    case .integer(let value):
      append(2)
      append(bits: UInt64(bitPattern: value))
    case .double(let value):
      append(3)
      append(bits: value.canonicalBits)
    case .string(let value):
      append(4)
      append(value)
    case .bytes(let value):
      append(5)
      append(count: value.count)
      for byte in value { append(UInt64(byte)) }
    case .list(let values):
      append(6)
      append(count: values.count)
      for value in values { append(value) }
    case .map(let values):
      append(7)
      append(values)
    }
  }

  private mutating func append(_ string: String) {
    append(count: string.utf8.count)
    for byte in string.utf8 { append(UInt64(byte)) }
  }

  private mutating func append(count: Int) { append(UInt64(count)) }

  /// Adds 64 bits as two numbers, the higher first.
  private mutating func append(bits: UInt64) {
    append(bits >> 32)
    append(bits & 0xFFFF_FFFF)
  }
}
