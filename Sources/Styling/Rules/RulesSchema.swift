extension StyleRules {
  /// A JSON schema (draft 7) of a file of rules. Editors that know schemas of TOML files complete keys by
  /// it, and show what they mean.
  public static var schema: String { RulesSchema(RuleTableKind.all).text }

  /// A JSON schema (draft 7) of a file with a grammar.
  public static var grammarSchema: String { RulesSchema(RuleTableKind.allOfGrammars).text }
}

/// Writes the keys of tables as a JSON schema.
private struct RulesSchema {
  private var lines: [String] = []

  var text: String { lines.joined(separator: "\n") + "\n" }

  /// A schema of these kinds of tables, the first of which is the file.
  init(_ kinds: [RuleTableKind]) {
    lines = [
      "{", #"  "$schema": "http://json-schema.org/draft-07/schema#","#,
      "  \"$ref\": \"#/definitions/\(kinds.first?.name ?? "")\",", #"  "definitions": {"#,
    ]
    for (index, kind) in kinds.enumerated() {
      add(kind)
      lines.append(index < kinds.count - 1 ? "    }," : "    }")
    }
    lines += ["  }", "}"]
  }

  private mutating func add(_ kind: RuleTableKind) {
    lines += [
      "    \(Self.quoted(kind.name)): {", #"      "type": "object","#,
      "      \"description\": \(Self.quoted(kind.summary)),",
      #"      "additionalProperties": false,"#,
    ]
    let required = kind.keys.filter(\.isRequired).map { Self.quoted($0.name) }
    if !required.isEmpty {
      lines.append("      \"required\": [\(required.joined(separator: ", "))],")
    }
    lines.append(#"      "properties": {"#)
    for (index, key) in kind.keys.enumerated() {
      let members = ["\"description\": \(Self.quoted(key.summary))"] + Self.members(of: key.value)
      let comma = index < kind.keys.count - 1 ? "," : ""
      lines.append("        \(Self.quoted(key.name)): {\(members.joined(separator: ", "))}\(comma)")
    }
    lines.append("      }")
  }

  private static func members(of value: RuleTableKind.Key.Value) -> [String] {
    let string = #""type": "string""#
    switch value {
    case .string: return [string]
    case .expression: return [string, "\"maxLength\": 4096"]
    case .bool: return [#""type": "boolean""#]
    case .integer(let bounds):
      return [
        #""type": "integer""#, "\"minimum\": \(bounds.lowerBound)",
        "\"maximum\": \(bounds.upperBound)",
      ]
    case .choice(let names):
      return ["\"enum\": [\(names.map(quoted).joined(separator: ", "))]"]
    case .strings:
      return ["\"anyOf\": [{\(string)}, {\"type\": \"array\", \"items\": {\(string)}}]"]
    case .colour:
      return ["\"anyOf\": [{\(string)}, {\(reference("colours"))}]"]
    case .level: return [#""type": ["integer", "string"]"#]
    case .table(let name): return ["\"allOf\": [{\(reference(name))}]"]
    case .tables(let name):
      return [#""type": "array""#, "\"items\": {\(reference(name))}"]
    case .named(let name):
      return [#""type": "object""#, "\"additionalProperties\": {\(reference(name))}"]
    case .values:
      return [
        #""type": "object""#,
        #""additionalProperties": {"type": ["string", "number", "boolean"]}"#,
      ]
    }
  }

  private static func reference(_ name: String) -> String {
    "\"$ref\": \"#/definitions/\(name)\""
  }

  /// A string of JSON. The names and summaries have no control characters.
  private static func quoted(_ text: String) -> String {
    let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    return "\"\(escaped)\""
  }
}
