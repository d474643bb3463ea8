public import EditModel

// Codecs of plain values.

extension Codec<Bool> {
  /// `true` or `false`.
  public static let bool = Codec(
    schema: ["type": "boolean"],
    decode: { (json) throws(ShapeError) in try json.asBool() }, encode: { .bool($0) })
}

extension Codec<String> {
  /// A string without lone surrogates.
  public static let string = Codec(
    schema: ["type": "string"],
    decode: { (json) throws(ShapeError) in try json.asString() }, encode: { JSON($0) })
}

extension Codec<UTF16Text> {
  /// A string, lone surrogates included.
  public static let text = Codec(
    schema: ["type": "string"],
    decode: { (json) throws(ShapeError) in try json.asText() }, encode: { JSON($0) })
}

extension Codec<Int> {
  /// An integer in `range`.
  public static func integer(in range: ClosedRange<Int>) -> Codec {
    var schema: JSONObject = ["type": "integer", "minimum": JSON(range.lowerBound)]
    if range.upperBound < .max { schema["maximum"] = JSON(range.upperBound) }
    let bounds = Int64(range.lowerBound)...Int64(range.upperBound)
    return Codec(
      schema: schema,
      decode: { (json) throws(ShapeError) in Int(try json.asInteger(in: bounds)) },
      encode: { JSON($0) })
  }

  /// A count or a size: an integer of at least 0.
  public static let count = integer(in: 0 ... .max)
}

extension Codec<Int64> {
  /// An integer of at least 0.
  public static let natural = Codec(
    schema: ["type": "integer", "minimum": 0],
    decode: { (json) throws(ShapeError) in try json.asInteger(in: 0 ... .max) },
    encode: { .integer($0) })
}

extension Codec<UInt64> {
  /// An integer of at least `minimum`. Above 2^63-1 it is a string of its digits.
  public static func sequence(atLeast minimum: UInt64 = 0) -> Codec {
    Codec(
      schema: [
        "type": ["integer", "string"], "minimum": JSON(minimum), "pattern": "^[0-9]{19,20}$",
      ],
      decode: { (json) throws(ShapeError) in try json.asUnsigned(atLeast: minimum) },
      encode: { JSON($0) })
  }

  /// An integer of at least 0. Above 2^63-1 it is a string of its digits.
  public static let unsigned = sequence()
}

extension Codec<Double> {
  /// A number.
  public static let number = Codec(
    schema: ["type": "number"],
    decode: { (json) throws(ShapeError) in
      switch json {
      case .double(let value): return value
      case .integer(let value): return Double(value)
      default: throw ShapeError(mustBe: "a number", found: json)
      }
    }, encode: { .double($0) })
}

extension Codec<JSON> {
  /// Any value.
  public static let json = Codec(
    schema: [:], decode: { (json) throws(ShapeError) in json }, encode: { $0 })
}

extension Codec {
  /// An array of values.
  public static func array<Element: Sendable>(_ element: Codec<Element>) -> Codec
  where Value == [Element] {
    Codec(
      schema: ["type": "array", "items": .object(element.schema)],
      decode: { (json) throws(ShapeError) in try json.asArray(of: element.decode) },
      encode: { .array($0.map(element.encode)) },
      write: { $1.append(list: $0, element.write) })
  }

  /// The names of an enumeration's cases.
  public static func name() -> Codec
  where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    let names = Value.allCases.map(\.rawValue)
    return Codec(
      schema: ["enum": .array(names.map { JSON($0) })],
      decode: { (json) throws(ShapeError) in
        guard let value = Value(rawValue: try json.asString()) else {
          throw ShapeError(mustBe: "one of \(names.joined(separator: ", "))", found: json)
        }
        return value
      }, encode: { JSON($0.rawValue) })
  }
}
