import EditJSON
import EditModel

/// A plain reading of JSON Schema (2020-12), with the keywords that EditLog's schemas have.
enum JSONSchemaCheck {
  /// What is wrong with a value; empty if the schema allows it. A keyword that is not known here is
  /// wrong too.
  static func problems(of value: JSON, _ schema: JSON, at path: String = "$") -> [String] {
    guard case .object(let keywords) = schema else {
      return schema == .bool(false) ? ["\(path) is not allowed"] : []
    }
    return keywords.members.flatMap {
      problems(of: value, keyword: $0.name, $0.value, keywords, at: path)
    }
  }

  private static func problems(
    of value: JSON, keyword: String, _ rule: JSON, _ schema: JSONObject, at path: String
  ) -> [String] {
    func check(_ isRight: Bool) -> [String] {
      isRight ? [] : ["\(path): \(keyword) is \(rule), but the value \(value)"]
    }
    switch keyword {
    case "$schema", "title", "description", "format", "default", "contentEncoding": return []
    case "type":
      let types = if case .array(let several) = rule { several } else { [rule] }
      return check(types.contains { value.isType($0) })
    case "const": return check(value == rule)
    case "enum": return check(list(rule).contains(value))
    case "anyOf", "oneOf":
      let all = list(rule).map { problems(of: value, $0, at: path) }
      let count = all.count { $0.isEmpty }
      guard count == 0 || keyword == "oneOf" && count > 1 else { return [] }
      return ["\(path): \(count) of \(all.count) choices fit: \(all)"]
    case "properties":
      guard case .object(let object) = value, case .object(let members) = rule else { return [] }
      return object.members.flatMap { member in
        members[member.name].map {
          problems(of: member.value, $0, at: "\(path).\(member.name)")
        } ?? []
      }
    case "required":
      guard case .object(let object) = value else { return [] }
      return list(rule).flatMap { name in
        object.members.contains { JSON($0.name) == name } ? [] : ["\(path) has no \(name)"]
      }
    case "additionalProperties":
      guard case .object(let object) = value else { return [] }
      let known: [String] =
        if case .object(let members)? = schema["properties"] { members.members.map(\.name) } else {
          []
        }
      return object.members.filter { !known.contains($0.name) }.flatMap {
        problems(of: $0.value, rule, at: "\(path).\($0.name)")
      }
    case "items":
      guard case .array(let elements) = value else { return [] }
      return elements.enumerated().flatMap {
        problems(of: $0.element, rule, at: "\(path)[\($0.offset)]")
      }
    case "minimum", "maximum":
      guard let number = value.number, let bound = rule.number else { return [] }
      return check(keyword == "minimum" ? number >= bound : number <= bound)
    case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
      guard let size = value.size(of: keyword), let bound = rule.number else { return [] }
      return check(keyword.hasPrefix("min") ? Double(size) >= bound : Double(size) <= bound)
    case "pattern":
      guard case .string = value, let text = try? value.asString(),
        let pattern = try? Regex(rule.asString())
      else { return [] }
      return check(text.contains(pattern))
    default: return ["\(path): the keyword \(keyword) is not checked"]
    }
  }

  private static func list(_ json: JSON) -> [JSON] {
    if case .array(let elements) = json { elements } else { [] }
  }
}

extension JSON {
  fileprivate func isType(_ name: JSON) -> Bool {
    switch (name, self) {
    case ("null", .null), ("boolean", .bool), ("integer", .integer), ("number", .integer),
      ("number", .double), ("string", .string), ("array", .array), ("object", .object):
      true
    default: false
    }
  }

  fileprivate var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// What a keyword such as `minLength` bounds.
  fileprivate func size(of keyword: String) -> Int? {
    switch self {
    case .string where keyword.hasSuffix("Length"):
      (try? asText()).map { String($0).unicodeScalars.count }
    case .array(let elements) where keyword.hasSuffix("Items"): elements.count
    case .object(let object) where keyword.hasSuffix("Properties"): object.members.count
    default: nil
    }
  }
}
