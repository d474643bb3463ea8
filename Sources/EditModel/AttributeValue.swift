/// The value of one text attribute. Equality is by value.
///
/// Doubles are equal if their bits are equal, except that all NaN are equal. So runs are not split
/// by values that print the same, and `-0.0` differs from `0.0`, because dividing by them gives
/// different results. Strings and names are equal if their UTF-8 bytes are, without Unicode
/// normalisation. So equal values have equal encodings.
public enum AttributeValue: Sendable {
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case string(String)
  case bytes([UInt8])
  case list([AttributeValue])
  case map(AttributeSet)

  /// The maximum nesting depth of lists and maps. Decoders refuse deeper values.
  public static let depthMax = 32
}

extension AttributeValue: Hashable {
  /// True if kind and value are the same.
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
  /// The bits for equality and for all encodings: one pattern for all NaN.
  package var canonicalBits: UInt64 { isNaN ? Double.nan.bitPattern : bitPattern }
}
