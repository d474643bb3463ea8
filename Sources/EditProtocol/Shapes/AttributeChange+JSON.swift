public import EditJSON
public import EditModel

extension AttributeChange {
  /// `{"set": […]}`, `{"merge": […]}` or `{"remove": […]}`; nil for `inherit`, which is written
  /// without the member.
  public var json: JSON? {
    switch self {
    case .inherit: nil
    case .set(let runs): ["set": .array(runs.map(\.json))]
    case .merge(let runs): ["merge": .array(runs.map(\.json))]
    case .remove(let names): ["remove": .array(names.map { JSON($0) })]
    }
  }

  /// Reads a change.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    guard object.members.count == 1, let name = object.members.first?.name else {
      throw Self.unknownChange(object)
    }
    switch name {
    case "set":
      self = .set(
        try object.array(name) { (json) throws(ShapeError) in try AttributeRun(json: json) })
    case "merge":
      self = .merge(
        try object.array(name) { (json) throws(ShapeError) in try AttributeRun(json: json) })
    case "remove":
      self = .remove(try object.array(name) { (json) throws(ShapeError) in try json.asString() })
    default: throw Self.unknownChange(object)
    }
  }

  private static func unknownChange(_ object: JSONObject) -> ShapeError {
    let names = object.members.prefix(4).map(\.name.shown).joined(separator: ", ")
    return ShapeError(
      "",
      .mustBe(
        "an object with exactly one of set, merge and remove",
        found: names.isEmpty ? "empty" : "one with \(names)"))
  }
}

extension AttributeRun {
  /// `{"length": …, "attributes": {…}}`.
  public var json: JSON { ["length": JSON(length), "attributes": attributes.json] }

  /// Reads a run.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    self.init(
      length: Int(try object.integer("length", in: 1...Int64(Int32.max))),
      attributes: try object.read("attributes") { (json) throws(ShapeError) in
        try AttributeSet(json: json)
      })
  }
}
