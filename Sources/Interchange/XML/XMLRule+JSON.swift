public import EditJSON
import EditModel
import EditProtocol
import Styling

extension XMLRule {
  /// Reads a rule from a file: a JSON object with `styles`, and with `root`, `default`, `other`, `unit`
  /// and `escapes` if they differ from the usual ones; null for none. A style has `tag` and, as it
  /// needs them, `attributes`, `parameter` (`{"name": "href", "attribute": "link"}`) and `block`.
  ///
  /// - Parameter bytes: The file, in UTF-8.
  /// - Throws: `InterchangeError`, with the place or the member.
  public init(_ bytes: [UInt8]) throws(InterchangeError) {
    try self.init(rule: try InterchangeError.json(bytes))
  }

  /// Reads a rule from the object that a file of it has.
  ///
  /// - Parameter json: The object.
  /// - Throws: `InterchangeError`, with the member.
  public init(rule json: JSON) throws(InterchangeError) {
    do { try self.init(json: json) } catch { throw InterchangeError("\(error)") }
  }

  private static let members: Set<String> = [
    "root", "default", "styles", "other", "unit", "escapes",
  ]

  private init(json: JSON) throws {
    let object = try json.asObject()
    // A misspelt member would be ignored.
    for member in object.members where !Self.members.contains(member.name) {
      throw ShapeError(
        member.name, mustBe: "absent: a rule has no such member", found: member.value)
    }
    func name(_ member: String, else standard: String) throws(ShapeError) -> String? {
      guard let value = object[member] else { return standard }
      return value == .null
        ? nil
        : try object.read(member) { (json) throws(ShapeError) in
          try json.asString()
        }
    }
    let styles = try object.array("styles") { (json) throws(ShapeError) in try Style(json: json) }
    var escapes = Self.standardEscapes
    if let own = object["escapes"] {
      for member in try own.asObject().members {
        guard let unit = member.name.utf16.first, member.name.utf16.count == 1 else {
          throw ShapeError(
            "escapes", mustBe: "an object whose names are single characters", found: own)
        }
        escapes[unit] = try member.value.asString()
      }
    }
    try self.init(
      root: try name("root", else: "document"),
      defaultTag: try name("default", else: "p") ?? "p", styles: styles,
      otherTag: try name("other", else: "run"), unitTag: try name("unit", else: "unit"),
      escapes: escapes)
  }
}

extension XMLRule.Style {
  fileprivate init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    let attributes = try object.readIfPresent("attributes") { (json) throws(ShapeError) in
      let attributes = try AttributeSet(json: json)
      if let problem = Theme.problem(of: attributes) {
        throw ShapeError(mustBe: "attributes with valid values (\(problem))", found: json)
      }
      return attributes
    }
    let parameter = try object.readIfPresent("parameter") { (json) throws(ShapeError) in
      let object = try json.asObject()
      return Parameter(
        try object.read("name") { (json) throws(ShapeError) in try json.asString() },
        of: try object.read("attribute") { (json) throws(ShapeError) in try json.asString() })
    }
    self.init(
      try object.read("tag") { (json) throws(ShapeError) in try json.asString() },
      attributes ?? .empty, parameter: parameter,
      isBlock: try object.boolIfPresent("block") ?? false)
  }
}
