import Testing

@testable import Styling

@Suite struct TagRulesTests {
  private static func rules() -> TagRules {
    var rules = TagRules(default: "p")
    rules.rules["h1"] = TagRules.Effects(disables: ["b", "i"], deactivates: ["p"])
    rules.rules["b"] = TagRules.Effects(enables: ["u"], activates: ["i", "p"])
    rules.rules["i"] = TagRules.Effects(activates: ["u"], deactivates: ["b"])
    rules.rules["quote"] = TagRules.Effects(disables: ["p"])
    return rules
  }

  private static func shown(_ active: [String]) -> String {
    rules().states(active: active).sorted { $0.key < $1.key }
      .filter { $0.value != .inactive }
      .map { "\($0.key) \($0.value.rawValue)" }.joined(separator: ", ")
  }

  @Test(
    "disabled wins over inactive, inactive over active",
    arguments: [
      ([], "p active"), (["h1"], "b disabled, h1 active, i disabled"),
      (["b"], "b active, i active, p active"),
      (["b", "i"], "i active, p active, u active"),
      (["h1", "b"], "b disabled, h1 active, i disabled"),
      (["h1", "b", "i"], "b disabled, h1 active, i disabled, u active"),
      (["quote"], "p disabled, quote active"),
      (["quote", "b"], "b active, i active, p disabled, quote active"),
      (["unknown"], "unknown active"),
    ])
  func precedence(active: [String], expected: String) { #expect(Self.shown(active) == expected) }

  @Test("the default tag is active if no other is, unless it is disabled")
  func standard() {
    var rules = TagRules(default: "p")
    rules.rules["a"] = TagRules.Effects(deactivates: ["a"])
    #expect(rules.states(active: ["a"]) == ["a": .inactive, "p": .active])
    rules.rules["a"] = TagRules.Effects(disables: ["p"], deactivates: ["a"])
    #expect(rules.states(active: ["a"]) == ["a": .inactive, "p": .disabled])
  }

  @Test("a file has the same rules")
  func file() throws {
    let tags = try rulesOf(
      """
      [tags]
      default = "p"
      [tags.rules.h1]
      disables = ["b", "i"]
      deactivates = "p"
      [tags.rules.b]
      enables = "u"
      activates = ["i", "p"]
      [tags.rules.i]
      activates = "u"
      deactivates = "b"
      [tags.rules.quote]
      disables = "p"
      """
    ).tags
    #expect(tags == Self.rules())
  }
}

private func rulesOf(_ text: String) throws -> StyleRules { try rules(text) }
