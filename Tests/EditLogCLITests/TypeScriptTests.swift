import EditJSON
import EditProtocol
import Testing

@testable import EditLogCommands

/// `protocol-schema --typescript`.
@Suite struct TypeScriptTests {
  @Test(arguments: [
    (#"{"type":"string"}"#, "string"), (#"{"type":"integer","minimum":0}"#, "number"),
    (#"{"type":"boolean"}"#, "boolean"), (#"{"type":["integer","null"]}"#, "number | null"),
    (#"{"enum":["a","b"]}"#, #""a" | "b""#), (#"{"const":1}"#, "1"), ("{}", "unknown"),
    (#"{"type":"array","items":{"type":"string"}}"#, "Array<string>"),
    (#"{"anyOf":[{"type":"string"},{"type":"number"}]}"#, "string | number"),
    (#"{"type":"object"}"#, "Record<string, unknown>"),
    (#"{"type":"object","additionalProperties":{"type":"number"}}"#, "Record<string, number>"),
    (#"{"type":"object","properties":{}}"#, "Record<string, never>"),
    (
      #"{"type":"object","properties":{"a":{"type":"string"},"b-c":{}},"required":["a"]}"#,
      "{\n  a: string;\n  \"b-c\"?: unknown;\n}"
    ),
  ])
  func types(schema: String, type: String) throws {
    #expect(TypeScriptDeclaration.type(try JSON.parse(schema), 0) == type)
  }

  /// Every method is in it, and its braces match.
  @Test func theDeclarationHasEveryMethod() throws {
    let text = TypeScriptDeclaration(of: Methods.schema).text
    guard case .object(let methods)? = Methods.schema["methods"] else {
      Issue.record("the schema has no methods")
      return
    }
    for method in methods.members {
      #expect(text.contains("  \"\(method.name)\": {\n    params: "))
    }
    #expect(
      text.hasPrefix("/** The methods of editlogd's socket. */\nexport interface Methods {\n"))
    #expect(text.hasSuffix("\n  };\n}\n"))
    #expect(text.count { $0 == "{" } == text.count { $0 == "}" })
  }
}
