public import EditJSON
public import EditModel

// JSON has no bytes and no NaN, and many languages do not distinguish 1 from 1.0. A value that JSON
// cannot express is an object with one member whose name starts with "$". A map with such a name is
// wrapped in {"$map": …}. So each value is written in exactly one way.
extension AttributeValue {
  /// The value in JSON, with the members of maps in the order of their names' bytes. O(size).
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

  private static func json(map attributes: AttributeSet) -> JSON {
    let object = attributes.json
    return attributes.contains { $0.name.isEscape } ? ["$map": object] : object
  }

  /// Reads a value.
  ///
  /// - Throws: `ShapeError` for null, for strings with lone surrogates, for names that begin with
  ///   "$" outside of `$map`, and if lists and maps nest deeper than `depthMax`.
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

  /// The value of an object with a "$" member; nil for all other objects.
  private static func escaped(
    _ object: JSONObject, depth: Int
  ) throws(ShapeError) -> AttributeValue? {
    guard object.members.contains(where: { $0.name.isEscape }) else { return nil }
    if object.members.count == 1,
      let (name, value) = object.members.first.map({ ($0.name, $0.value) })
    {
      do {
        switch name {
        case "$bytes": return try bytes(value)
        case "$double": return try double(value)
        case "$map": return .map(try map(value.asObject(), depth: depth))
        default: break
        }
      } catch { throw error.within(name) }
    }
    throw ShapeError(
      mustBe: "wrapped in {\"$map\": …}, because a name in it starts with $",
      found: .object(object))
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
    return .double(Double(bitPattern: value.canonicalBits))
  }

  private static func map(
    _ object: JSONObject, depth: Int
  ) throws(ShapeError) -> AttributeSet {
    let depth = try descend(depth)
    return try AttributeSet(object) { (json) throws(ShapeError) in
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
      JSONObject(unique: map { JSONObject.Member(name: $0.name, value: $0.value.json) }))
  }

  /// Reads attributes.
  public init(json: JSON) throws(ShapeError) {
    try self.init(json.asObject()) { (json) throws(ShapeError) in try AttributeValue(json: json) }
  }

  /// The members, each value read by `read`.
  fileprivate init(
    _ object: JSONObject, _ read: (JSON) throws(ShapeError) -> AttributeValue
  ) throws(ShapeError) {
    var attributes: [Element] = []
    attributes.reserveCapacity(object.members.count)
    for (index, member) in object.members.enumerated() {
      do { attributes.append((member.name, try read(member.value))) } catch {
        // The error has the index, because an attribute's name may be text of a document.
        throw error.within("[\(index)]")
      }
    }
    self.init(attributes)
  }
}

extension String {
  /// True for a name that is reserved for escapes outside of `$map`.
  fileprivate var isEscape: Bool { utf8.first == UInt8(ascii: "$") }
}
