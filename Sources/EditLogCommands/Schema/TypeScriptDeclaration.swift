import EditJSON
import EditProtocol

/// The methods of the socket as an interface of TypeScript. Bounds and formats cannot be written as types.
struct TypeScriptDeclaration {
  /// The declaration, with a line end.
  let text: String

  /// The declaration for a schema as `Methods.schema`: one interface that maps the name of each method to its
  /// params and its result.
  init(of schema: JSON) {
    var lines = ["/** The methods of editlogd's socket. */", "export interface Methods {"]
    for method in Self.members(schema["methods"]) {
      let summary = Self.string(method.value["summary"]) ?? ""
      lines += [
        "  /** \(summary.replacing("*/", with: "* /")) */", "  \(Self.quoted(method.name)): {",
        "    params: \(Self.type(method.value["params"], 2));",
        "    result: \(Self.type(method.value["result"], 2));", "  };",
      ]
    }
    text = (lines + ["}", ""]).joined(separator: "\n")
  }

  /// The type of the values that a schema allows. `depth` is that of the indent of its line.
  static func type(_ schema: JSON?, _ depth: Int) -> String {
    guard let schema else { return "unknown" }
    if let value = schema["const"] { return literal(value) }
    if case .array(let values)? = schema["enum"] { return union(values.map(literal)) }
    for key in ["anyOf", "oneOf"] {
      if case .array(let each)? = schema[key] { return union(each.map { type($0, depth) }) }
    }
    switch schema["type"] {
    case .array(let kinds)?:
      return union(
        kinds.map { kind in
          guard case .object(var object) = schema else { return "unknown" }
          object["type"] = kind
          return type(.object(object), depth)
        })
    case .string(let kind)?: return type(ofKind: kind.string ?? "", schema, depth)
    default: return "unknown"
    }
  }

  private static func type(ofKind kind: String, _ schema: JSON, _ depth: Int) -> String {
    switch kind {
    case "array": "Array<\(type(schema["items"], depth))>"
    case "object": objectType(schema, depth)
    case "integer", "number": "number"
    case "string", "boolean", "null": kind
    default: "unknown"
    }
  }

  private static func objectType(_ schema: JSON, _ depth: Int) -> String {
    guard let properties = schema["properties"] else {
      guard case .object? = schema["additionalProperties"] else { return "Record<string, unknown>" }
      return "Record<string, \(type(schema["additionalProperties"], depth))>"
    }
    let members = members(properties)
    guard !members.isEmpty else { return "Record<string, never>" }
    var required: [JSON] = []
    if case .array(let names)? = schema["required"] { required = names }
    let lines = members.map { member in
      let isRequired = required.contains(JSON(member.name))
      let name = isIdentifier(member.name) ? member.name : quoted(member.name)
      return String(repeating: "  ", count: depth + 1)
        + "\(name)\(isRequired ? "" : "?"): \(type(member.value, depth + 1));"
    }
    return (["{"] + lines + [String(repeating: "  ", count: depth) + "}"]).joined(separator: "\n")
  }

  private static func union(_ types: [String]) -> String { types.joined(separator: " | ") }

  private static func literal(_ value: JSON) -> String {
    String(decoding: value.serialized(), as: UTF8.self)
  }

  private static func quoted(_ name: String) -> String { literal(JSON(name)) }

  private static func isIdentifier(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (0x41...0x5A).contains(byte & 0xDF) && byte < 0x80 || byte == 0x5F
      }
  }

  private static func members(_ value: JSON?) -> [JSONObject.Member] {
    if case .object(let object)? = value { object.members } else { [] }
  }

  private static func string(_ value: JSON?) -> String? {
    if case .string(let string)? = value { string.string } else { nil }
  }
}
