public import EditModel

// Readers of values. A reader throws an error with the expected type. The callers add the path, so
// that it costs nothing if there is no error.
extension JSON {
  /// The object, or a `ShapeError` for any other value.
  public func asObject() throws(ShapeError) -> JSONObject {
    guard case .object(let object) = self else {
      throw ShapeError(mustBe: "an object", found: self)
    }
    return object
  }

  /// The elements of an array, or a `ShapeError` for any other value.
  public func asArray() throws(ShapeError) -> [JSON] {
    guard case .array(let array) = self else { throw ShapeError(mustBe: "an array", found: self) }
    return array
  }

  /// The elements, each read by `read`; errors name the index.
  @inlinable public func asArray<Element>(
    of read: (JSON) throws(ShapeError) -> Element
  ) throws(ShapeError) -> [Element] {
    let array = try asArray()
    var elements: [Element] = []
    elements.reserveCapacity(array.count)
    for (index, element) in array.enumerated() {
      do { elements.append(try read(element)) } catch { throw error.within("[\(index)]") }
    }
    return elements
  }

  /// The string, or a `ShapeError` if it has a lone surrogate.
  public func asString() throws(ShapeError) -> String {
    guard case .string(let string) = self, let string = string.string else {
      throw ShapeError(mustBe: "a string of valid Unicode", found: self)
    }
    return string
  }

  /// The string's units, lone surrogates included.
  public func asText() throws(ShapeError) -> UTF16Text { try asJSONString().text }

  /// The string, which is not decoded if it stayed in a frame.
  package func asJSONString() throws(ShapeError) -> JSONString {
    guard case .string(let string) = self else { throw ShapeError(mustBe: "a string", found: self) }
    return string
  }

  /// The boolean, or a `ShapeError` for any other value.
  public func asBool() throws(ShapeError) -> Bool {
    guard case .bool(let bool) = self else { throw ShapeError(mustBe: "a boolean", found: self) }
    return bool
  }

  /// The integer, which must be in `range`.
  public func asInteger(
    in range: ClosedRange<Int64> = Int64.min...Int64.max
  ) throws(ShapeError) -> Int64 {
    guard case .integer(let value) = self else {
      throw ShapeError(mustBe: Self.name(range), found: self)
    }
    guard range.contains(value) else {
      throw ShapeError("", .mustBe(Self.name(range), found: "\(value)"))
    }
    return value
  }

  /// An integer of at least `minimum`; above 2^63-1 it is written as a string of its digits.
  public func asUnsigned(atLeast minimum: UInt64 = 0) throws(ShapeError) -> UInt64 {
    // Made only for an error: it takes longer than reading a number.
    var expected: String { "an integer of at least \(minimum)" }
    switch self {
    case .integer(let value):
      if let value = UInt64(exactly: value), value >= minimum { return value }
      throw ShapeError("", .mustBe(expected, found: "\(value)"))
    case .string(let string):
      // Only numbers above 2^63-1 may be strings, so that each number has one written form.
      if let string = string.string, let value = UInt64(string), value > Int64.max,
        String(value) == string
      {
        return value
      }
    default: break
    }
    throw ShapeError(mustBe: expected, found: self)
  }

  private static func name(_ range: ClosedRange<Int64>) -> String {
    switch (range.lowerBound, range.upperBound) {
    case (.min, .max): "an integer"
    case (let lower, .max): "an integer of at least \(lower)"
    case (let lower, let upper): "an integer from \(lower) to \(upper)"
    }
  }
}

extension JSONObject {
  /// The member's value, read by `read`. Errors name the member.
  @inlinable public func read<Value>(
    _ name: String, _ read: (JSON) throws(ShapeError) -> Value
  ) throws(ShapeError) -> Value {
    let value = self[name]
    do { return try read(value ?? .null) } catch {
      if value == nil, error.path.isEmpty, case .mustBe(let expected, _) = error.problem {
        throw ShapeError(name, mustBe: expected, found: nil)
      }
      throw error.within(name)
    }
  }

  /// The member's value as `read` reads it; nil if the member is absent or null; errors
  /// name the member.
  @inlinable public func readIfPresent<Value>(
    _ name: String, _ read: (JSON) throws(ShapeError) -> Value
  ) throws(ShapeError) -> Value? {
    guard let value = self[name], value != .null else { return nil }
    do { return try read(value) } catch { throw error.within(name) }
  }

  /// The object of this name.
  public func object(_ name: String) throws(ShapeError) -> JSONObject {
    try read(name) { (json) throws(ShapeError) in try json.asObject() }
  }

  /// The string of this name.
  public func string(_ name: String) throws(ShapeError) -> String {
    try read(name) { (json) throws(ShapeError) in try json.asString() }
  }

  /// The string of this name; nil if it is absent or null.
  public func stringIfPresent(_ name: String) throws(ShapeError) -> String? {
    try readIfPresent(name) { (json) throws(ShapeError) in try json.asString() }
  }

  /// The string of this name, lone surrogates included.
  public func text(_ name: String) throws(ShapeError) -> UTF16Text {
    try read(name) { (json) throws(ShapeError) in try json.asText() }
  }

  /// The string of this name, lone surrogates included; nil if it is absent or null.
  public func textIfPresent(_ name: String) throws(ShapeError) -> UTF16Text? {
    try readIfPresent(name) { (json) throws(ShapeError) in try json.asText() }
  }

  /// The boolean of this name; nil if it is absent or null.
  public func boolIfPresent(_ name: String) throws(ShapeError) -> Bool? {
    try readIfPresent(name) { (json) throws(ShapeError) in try json.asBool() }
  }

  /// The integer of this name, which must be in `range`.
  public func integer(
    _ name: String, in range: ClosedRange<Int64> = Int64.min...Int64.max
  ) throws(ShapeError) -> Int64 {
    try read(name) { (json) throws(ShapeError) in try json.asInteger(in: range) }
  }

  /// The integer of this name; nil if it is absent or null.
  public func integerIfPresent(
    _ name: String, in range: ClosedRange<Int64> = Int64.min...Int64.max
  ) throws(ShapeError) -> Int64? {
    try readIfPresent(name) { (json) throws(ShapeError) in try json.asInteger(in: range) }
  }

  /// The integer of this name, which must be at least `minimum`.
  public func unsigned(_ name: String, atLeast minimum: UInt64 = 0) throws(ShapeError) -> UInt64 {
    try read(name) { (json) throws(ShapeError) in try json.asUnsigned(atLeast: minimum) }
  }

  /// The integer of this name; nil if it is absent or null.
  public func unsignedIfPresent(
    _ name: String, atLeast minimum: UInt64 = 0
  ) throws(ShapeError) -> UInt64? {
    try readIfPresent(name) { (json) throws(ShapeError) in try json.asUnsigned(atLeast: minimum) }
  }

  /// The array of this name, each element read by `read`; errors name member and index.
  @inlinable public func array<Element>(
    _ name: String, of element: (JSON) throws(ShapeError) -> Element
  ) throws(ShapeError) -> [Element] {
    try read(name) { (json) throws(ShapeError) in try json.asArray(of: element) }
  }
}
