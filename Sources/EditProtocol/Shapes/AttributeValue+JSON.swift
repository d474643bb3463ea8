public import EditModel

// JSON has no bytes, no NaN, and in many languages no difference between 1 and 1.0. What it
// cannot say is an object with one member whose name starts with "$"; a map with a name of
// that kind is wrapped in {"$map": …} itself. So each value is written in exactly one way.
extension AttributeValue {
  /// The value in JSON; maps in the order of their names' bytes. O(size).
  public var json: JSON {
    switch self {
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .double(let value) where value.isFinite: .double(value)
    case .double(let value): ["$double": value.isNaN ? "nan" : value < 0 ? "-inf" : "inf"]
    case .string(let value): JSON(value)
    case .bytes(let value): ["$bytes": JSON(Base64.encode(value))]
    case .list(let values): .array(values.map(\.json))
    case .map(let values): Self.json(map: values)
    }
  }

  private static func json(map values: [String: AttributeValue]) -> JSON {
    let object = AttributeSet(values).json
    return values.keys.contains { $0.hasPrefix("$") } ? ["$map": object] : object
  }

  /// Reads a value.
  ///
  /// - Throws: `ShapeError` for null, for strings with lone surrogates, for names that begin
  ///   with "$" outside of `$map`, and where lists and maps nest deeper than `depthMax`.
  public init(json: JSON) throws(ShapeError) { try self.init(json: json, depth: 0) }

  private init(json: JSON, depth: Int) throws(ShapeError) {
    switch json {
    case .null: throw ShapeError(mustBe: "an attribute value", found: json)
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .integer(value)
    case .double(let value): self = .double(value)
    case .string: self = .string(try json.asString())
    case .array:
      let depth = try Self.descend(depth)
      self = .list(
        try json.asArray { (element) throws(ShapeError) in
          try AttributeValue(json: element, depth: depth)
        })
    case .object(let object):
      let escaped = try Self.escaped(object, depth: depth)
      if let escaped { self = escaped } else { self = .map(try Self.map(object, depth: depth)) }
    }
  }

  /// The value that an object with a "$" member stands for; nil for all other objects.
  private static func escaped(
    _ object: JSONObject, depth: Int
  ) throws(ShapeError) -> AttributeValue? {
    guard object.members.contains(where: { $0.name.hasPrefix("$") }) else { return nil }
    guard object.members.count == 1, let member = object.members.first else {
      throw ShapeError(
        mustBe: "wrapped in {\"$map\": …}, because a name in it starts with $",
        found: .object(object))
    }
    return try object.read(member.name) { (json) throws(ShapeError) in
      switch member.name {
      case "$bytes": try bytes(json)
      case "$double": try double(json)
      case "$map": .map(try map(json.asObject(), depth: depth))
      default: throw ShapeError(mustBe: "wrapped in {\"$map\": …}", found: json)
      }
    }
  }

  private static func bytes(_ json: JSON) throws(ShapeError) -> AttributeValue {
    guard let bytes = Base64.decode(try json.asString()) else {
      throw ShapeError(mustBe: "Base64 with padding", found: json)
    }
    return .bytes(bytes)
  }

  private static func double(_ json: JSON) throws(ShapeError) -> AttributeValue {
    let text = try json.asString()
    guard let value = Double(text) else {
      throw ShapeError(mustBe: "a number as text, nan, inf or -inf", found: json)
    }
    return .double(value)
  }

  private static func map(
    _ object: JSONObject, depth: Int
  ) throws(ShapeError) -> [String: AttributeValue] {
    let depth = try descend(depth)
    return try AttributeSet.values(object) { (json) throws(ShapeError) in
      try AttributeValue(json: json, depth: depth)
    }
  }

  private static func descend(_ depth: Int) throws(ShapeError) -> Int {
    guard depth < depthMax else {
      throw ShapeError("", .mustBe("nested at most \(depthMax) deep", found: "nested deeper"))
    }
    return depth + 1
  }
}

extension AttributeSet {
  /// The attributes in JSON, in the order of their names' bytes. O(size).
  public var json: JSON {
    .object(
      JSONObject(unique: sorted.map { JSONObject.Member(name: $0.name, value: $0.value.json) }))
  }

  /// Reads attributes.
  public init(json: JSON) throws(ShapeError) {
    self.init(
      try Self.values(json.asObject()) { (json) throws(ShapeError) in
        try AttributeValue(json: json)
      })
  }

  /// The members as a dictionary. Names that differ in bytes but are one name in Unicode would
  /// fall together, so they are refused.
  static func values(
    _ object: JSONObject, _ read: (JSON) throws(ShapeError) -> AttributeValue
  ) throws(ShapeError) -> [String: AttributeValue] {
    var values: [String: AttributeValue] = [:]
    values.reserveCapacity(object.members.count)
    for member in object.members {
      guard values[member.name] == nil else {
        throw ShapeError(
          member.name, .mustBe("named apart from all others", found: "equivalent to another name"))
      }
      do { values[member.name] = try read(member.value) } catch { throw error.within(member.name) }
    }
    return values
  }
}
