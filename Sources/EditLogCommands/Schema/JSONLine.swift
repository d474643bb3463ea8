import EditJSON

/// A kind of line that a verb prints with `--json`.
package struct JSONLine: Sendable {
  /// What such a line is: `an edit or an event`.
  let what: String
  /// The JSON Schema of the line, without `v`.
  private let schema: JSONObject

  /// The lines that `codec` writes.
  init<Value>(_ what: String, _ codec: Codec<Value>) {
    (self.what, schema) = (what, codec.schema)
  }

  /// The JSON Schema (2020-12) of the lines that a verb prints.
  ///
  /// - Parameters:
  ///   - lines: The kinds of lines.
  ///   - verb: The verb with its options, for the title.
  static func schema(of lines: [JSONLine], verb: String) -> JSON {
    var schema: JSONObject = [
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": JSON("a line of `editlog \(verb) --json`"),
    ]
    let shapes = lines.map(\.whole)
    if shapes.count == 1, let shape = shapes.first {
      for member in shape.members { schema.add(member.name, member.value) }
    } else {
      schema["anyOf"] = .array(shapes.map { .object($0) })
    }
    return .object(schema)
  }

  /// The schema of the whole line: with `v`, and without members that it does not name.
  private var whole: JSONObject {
    var result: JSONObject = ["description": JSON(what)]
    for member in Self.versioned(schema).members {
      result.add(member.name, Self.closed(keyword: member.name, member.value))
    }
    return result.closed
  }

  /// A schema of objects, in which each object begins with `"v": 1`.
  private static func versioned(_ schema: JSONObject) -> JSONObject {
    var schema = schema
    for keyword in ["anyOf", "oneOf"] {
      guard case .array(let choices)? = schema[keyword] else { continue }
      schema[keyword] = .array(
        choices.map { choice in
          if case .object(let object) = choice { .object(versioned(object)) } else { choice }
        })
    }
    guard case .object(let members)? = schema["properties"], members["v"] == nil else {
      return schema
    }
    let version = JSONObject.Member(name: "v", value: ["const": 1])
    schema["properties"] = .object(JSONObject(unique: [version] + members.members))
    if case .array(let names)? = schema["required"] {
      schema["required"] = .array(["v"] + names)
    } else {
      schema["required"] = ["v"]
    }
    return schema
  }

  /// The value of a keyword of a schema, in which each object has only the members that it names.
  private static func closed(keyword: String, _ value: JSON) -> JSON {
    switch (keyword, value) {
    case ("properties", .object(let members)):
      .object(
        JSONObject(
          unique: members.members.map { .init(name: $0.name, value: closed($0.value)) }))
    case ("items", _), ("additionalProperties", _): closed(value)
    case ("anyOf", .array(let choices)), ("oneOf", .array(let choices)):
      .array(choices.map(closed))
    default: value
    }
  }

  private static func closed(_ schema: JSON) -> JSON {
    guard case .object(let object) = schema else { return schema }
    let members = object.members.map {
      JSONObject.Member(name: $0.name, value: closed(keyword: $0.name, $0.value))
    }
    return .object(JSONObject(unique: members).closed)
  }
}

extension JSONObject {
  /// A schema that allows only the members that it names, if it names any.
  fileprivate var closed: JSONObject {
    guard self["properties"] != nil, self["additionalProperties"] == nil else { return self }
    var result = self
    result.add("additionalProperties", false)
    return result
  }
}
