public import EditJSON
public import EditModel

/// A change of the attributes of units whose number is not known yet.
public enum AttributeIntent: Sendable {
  /// The units get exactly these attributes.
  case set(AttributeSet)
  /// These attributes are added to those of the units, and replace those of the same names.
  case merge(AttributeSet)
  /// The attributes of these names are removed.
  case remove([String])

  /// The change for some units.
  ///
  /// - Parameter length: The number of UTF-16 units.
  /// - Returns: The change of an edit with this number of units in its range after it.
  public func change(length: Int) -> AttributeChange {
    func runs(_ attributes: AttributeSet) -> [AttributeRun] {
      length > 0 ? [AttributeRun(length: length, attributes: attributes)] : []
    }
    return switch self {
    case .set(let attributes): .set(runs(attributes))
    case .merge(let attributes): .merge(runs(attributes))
    case .remove(let names): .remove(names)
    }
  }
}

extension AttributeIntent: Hashable {
  /// True if kind, names and values are the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.change(length: 1) == right.change(length: 1)
  }

  /// Feeds kind, names and values to `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(change(length: 1)) }
}

extension AttributeIntent {
  /// `{"set": {…}}`, `{"merge": {…}}` or `{"remove": […]}`.
  public var json: JSON {
    switch self {
    case .set(let attributes): ["set": attributes.json]
    case .merge(let attributes): ["merge": attributes.json]
    case .remove(let names): ["remove": .array(names.map { JSON($0) })]
    }
  }

  /// Reads a change.
  ///
  /// - Parameter json: The object.
  /// - Throws: `ShapeError` unless it has exactly one of `set`, `merge` and `remove`.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    func attributes(_ name: String) throws(ShapeError) -> AttributeSet {
      try object.read(name) { (json) throws(ShapeError) in try AttributeSet(json: json) }
    }
    guard object.members.count == 1, let name = object.members.first?.name else {
      throw Self.unknown(object)
    }
    switch name {
    case "set": self = .set(try attributes(name))
    case "merge": self = .merge(try attributes(name))
    case "remove":
      self = .remove(try object.array(name) { (json) throws(ShapeError) in try json.asString() })
    default: throw Self.unknown(object)
    }
  }

  private static func unknown(_ object: JSONObject) -> ShapeError {
    ShapeError(
      mustBe: "an object with exactly one of set, merge and remove", found: .object(object))
  }
}

extension Codec<AttributeIntent> {
  /// A change of attributes: `{"set": {…}}`, `{"merge": {…}}` or `{"remove": […]}`.
  public static let intent = Codec(
    schema: [
      "type": "object", "minProperties": 1, "maxProperties": 1,
      "properties": [
        "set": ["type": "object"], "merge": ["type": "object"],
        "remove": ["type": "array", "items": ["type": "string"]],
      ],
    ],
    decode: { (json) throws(ShapeError) in try AttributeIntent(json: json) }, encode: { $0.json })
}
