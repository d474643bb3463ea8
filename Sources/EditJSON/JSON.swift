public import EditModel

/// A JSON value.
///
/// Integers and doubles are separate kinds, because positions and counters must be exact. A number
/// without fraction and exponent is an integer; if it does not fit into 64 bits, the text is
/// refused. Strings preserve lone surrogates. Equality is exact: doubles are compared by their
/// bits, strings by their units, objects by their members in order.
public enum JSON: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case string(JSONString)
  case array([JSON])
  case object(JSONObject)

  /// A string value.
  public init(_ string: String) { self = .string(JSONString(string)) }
  /// A string value that keeps lone surrogates. O(n).
  public init(_ text: UTF16Text) { self = .string(JSONString(text)) }
  /// An integer, or for a number above 2^63-1 the string of its digits, which `asUnsigned` reads.
  public init(_ value: UInt64) {
    self = Int64(exactly: value).map { .integer($0) } ?? JSON(String(value))
  }
  /// An integer.
  public init(_ value: Int) { self = .integer(Int64(value)) }

  /// The value's kind, for messages.
  var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer: "an integer"
    case .double: "a number with a fraction"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSON: Hashable {
  /// True if kind and value are the same.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }

  /// Feeds the value to `hasher`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value.bitPattern)
    case .string(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// `null`.
  public init(nilLiteral: ()) { self = .null }
  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A double.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// A string.
  public init(stringLiteral value: String) { self = .string(JSONString(value)) }
  /// An array.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  /// An object with its members in this order; the last of equal names wins.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    var object = JSONObject()
    for (name, value) in elements { object[name] = value }
    self = .object(object)
  }
}
