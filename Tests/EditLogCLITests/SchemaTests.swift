import ArgumentParser
import EditJSON
import EditProtocol
import Testing

@testable import EditLogCommands

/// `editlog schema`. `RealStore` compares what verbs print with the schemas, and so does
/// `Tools/check-json`, with another validator.
@Suite struct SchemaTests {
  /// Verbs that take `--json` to say why they print none.
  private static let refusing: Set = ["scrub"]

  @Test func `each verb with --json has a schema`() throws {
    let names = Self.leaves(of: EditLogCommand.self, under: "").filter { name, type in
      EditLogCommand.helpMessage(for: type, columns: 200).contains("  --json ")
    }.map(\.name)
    #expect(names.count > 30)
    #expect(
      Set(names).subtracting(Self.refusing) == Set(SchemaCommand.verbs.map(\.name)))
  }

  private static func leaves(
    of type: any ParsableCommand.Type, under prefix: String
  ) -> [(name: String, type: any ParsableCommand.Type)] {
    type.configuration.subcommands.flatMap { part in
      let name = prefix + (part.configuration.commandName ?? "")
      let parts = part.configuration.subcommands
      return parts.isEmpty ? [(name, part)] : leaves(of: part, under: name + " ")
    }
  }

  @Test(arguments: [["scrub", "d"]])
  func `a verb that prints no JSON refuses --json`(arguments: [String]) {
    #expect(throws: (any Error).self) { try EditLogCommand.parseAsRoot(arguments + ["--json"]) }
    #expect(throws: Never.self) { try EditLogCommand.parseAsRoot(arguments) }
  }

  /// No member is allowed that a schema does not name, except where any name is possible.
  @Test func `the schemas are closed`() throws {
    for verb in SchemaCommand.verbs {
      let schema = try SchemaCommand.schema(of: verb.name)
      #expect(Self.openObjects(schema, at: verb.name) == [])
      for shape in Self.shapes(of: schema) {
        #expect(shape["properties"]?["v"] == ["const": 1], "\(verb.name)")
      }
    }
  }

  /// The schemas of objects in a schema that name members and allow others too.
  private static func openObjects(_ schema: JSON, at path: String) -> [String] {
    switch schema {
    case .array(let elements): return elements.flatMap { openObjects($0, at: path) }
    case .object(let object):
      let isOpen = object["properties"]?["v"] != nil && object["additionalProperties"] != false
      return (isOpen ? [path] : [])
        + object.members.flatMap { openObjects($0.value, at: "\(path).\($0.name)") }
    default: return []
    }
  }

  private static func shapes(of schema: JSON) -> [JSON] {
    for keyword in ["anyOf", "oneOf"] {
      if case .array(let shapes)? = schema[keyword] { return shapes.flatMap(shapes(of:)) }
    }
    return [schema]
  }

  @Test func `a verb without a schema is named`() {
    #expect {
      try SchemaCommand.schema(of: "lgo")
    } throws: {
      ($0 as? CommandError)?.message
        == "no verb lgo prints JSON; did you mean log? `editlog schema` lists those that do"
    }
  }

  /// The checker of these tests finds what is wrong.
  @Test func `a wrong line is noticed`() throws {
    let schema = try SchemaCommand.schema(of: "marks")
    let right: JSON = [
      "v": 1, "label": "a", "sequence": 3, "time": "2026-11-20T14:04:00Z",
    ]
    #expect(JSONSchemaCheck.problems(of: right, schema) == [])
    guard case .object(let members) = right else { return }
    for (name, value) in [
      ("other", 1), ("sequence", "three"), ("sequence", -1), ("label", nil), ("v", nil), ("v", 2),
      ("label", 1),
    ] as [(String, JSON?)] {
      var wrong = members
      wrong[name] = value
      #expect(JSONSchemaCheck.problems(of: .object(wrong), schema) != [], "\(name)")
    }
  }
}
