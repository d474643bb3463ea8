/// The value of one text attribute. Equality is by value.
///
/// Doubles are equal when their bits are, except that every NaN equals every other: a run of
/// text never splits over a value that prints the same, and `-0.0` is kept apart from `0.0`
/// because dividing by it tells them apart. Strings and names are equal where their UTF-8 bytes
/// are, with no Unicode normalisation. So equal values have equal encodings.
public enum AttributeValue: Sendable {
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case string(String)
  case bytes([UInt8])
  case list([AttributeValue])
  case map(AttributeSet)

  /// How deep lists and maps may nest; decoders refuse deeper values.
  public static let depthMax = 32
}

extension AttributeValue: Hashable {
  /// True where kind and value are the same.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.double(let a), .double(let b)): a.canonicalBits == b.canonicalBits
    case (.string(let a), .string(let b)): a.isExactly(b)
    case (.bytes(let a), .bytes(let b)): a == b
    case (.list(let a), .list(let b)): a == b
    case (.map(let a), .map(let b)): a == b
    default: false
    }
  }

  /// Feeds kind and value to `hasher`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value.canonicalBits)
    case .string(let value): value.hashBytes(into: &hasher)
    case .bytes(let value): hasher.combine(value)
    case .list(let value): hasher.combine(value)
    case .map(let value): hasher.combine(value)
    }
  }
}

extension Double {
  /// The bits that equality goes by, and every encoding: one pattern for every NaN.
  package var canonicalBits: UInt64 { isNaN ? Double.nan.bitPattern : bitPattern }
}
