import Foundation
import TestSupport
import Testing
import TextState

@testable import Styling

@Suite struct RulesReadingTests {
  @Test("the built-in rules and grammars are right")
  func builtIn() throws {
    let rules = try StyleRules.builtIn()
    #expect(rules.theme["keyword"]?.bold == true)
    for name in StyleRules.grammarNames {
      #expect(try rulesOf(name).grammar?.name == name)
    }
  }

  @Test(
    "a mistake is refused with its line, and the name that was meant",
    arguments: [
      ("gramar = 'swift'", 1, "did you mean grammar?"),
      ("grammar = 'swft'", 1, "did you mean swift?"),
      ("grammar = 1", 1, "must be a string, not an integer"),
      ("\n[[patterns]]\nname = 'a'", 2, "must have the key match"),
      ("[[patterns]]\nname = 'a'\nmatch = '('", 3, "without its )"),
      ("[[patterns]]\nname = 'a'\nmatch = 'a*'", 3, "without a character"),
      (
        "[[patterns]]\nname = 'a'\nmatch = 'a'\n[[patterns]]\nname = 'a'\nmatch = 'b'", 5,
        "another pattern"
      ),
      ("[[patterns]]\nname = ''\nmatch = 'a'", 2, "1 to 256 bytes"),
      ("[patterns]", 1, "an array of tables"),
      ("[[patterns]]\nname = 'a'\nmatch = 'a'\ncolour = 'red'", 4, "no key colour"),
      ("[styles.a]\nforeground = 'reddish'", 2, "must be #rrggbb"),
      ("[styles.a]\nforegroud = 'red'", 2, "did you mean foreground?"),
      ("[styles]\na = 1", 2, "must be a table"),
      ("[styles.a.foreground]\nlight = 'red'", 1, "must have the key dark"),
      ("[[decorations]]\nattribute = 'a'\ndraw = 'boxx'", 3, "did you mean box?"),
      ("[[decorations]]\nattribute = 'a'\ndraw = 'block'", 3, "single-paragraph"),
      ("[[decorations]]\nattribute = 'a'\ndraw = 'bar'", 3, "single-paragraph"),
      ("[[decorations]]\nattribute = 'a'\ndraw = 'bullet'", 3, "single-paragraph"),
      ("[[decorations]]\nattribute = 'a'\ndraw = 'number'", 3, "for a number"),
      (
        "[[decorations]]\nattribute = 'a'\ndraw = 'none'\nmargin-before = 1", 1,
        "contiguous-paragraphs"
      ),
      ("[spacing]\nheading = 101", 2, "from 0 to 100"),
      (
        "[[paragraphs]]\nmatch = 'a'\nattributes = { heading = 99 }", 3,
        "heading must be from 1 to 6; found 99"
      ),
      (
        "[[paragraphs]]\nmatch = 'a'\nattributes = { foreground = 'notacolour' }", 3,
        "foreground must be #rrggbb, #rgb or one of aqua"
      ),
      ("[[decorations]]\nattribute = 'a'\ndraw = 'box'\nborder = 'reddish'", 4, "must be #rrggbb"),
      ("[[decorations]]\nattribute = 'a'\ndraw = 'box'\nradius = 33", 4, "from 0 to 32"),
      ("[[decorations]]\nattribute = 'a'\ndraw = 'box'\nwidth = 2", 4, "of a bar or a border"),
      (
        "[[decorations]]\nattribute = 'a'\ndraw = 'strike'\nradius = 2", 1,
        "only a block, a box and a highlight"
      ),
      ("[styles.a]\nsize = 20", 2, "from 100 to 300"),
      ("[[renderers]]\nsign = '{number} {foo}'", 2, "has {foo}; there are {number}"),
      ("[[patterns]]\nname = 'a'\nmatch = '(?=a)'", 3, "may take too long"),
      (
        "[[decorations]]\nattribute = 'a'\ndraw = 'box'\nmargin-before = 1", 1,
        "contiguous-paragraphs"
      ),
      ("[[decorations]]\nattribute = 'a'\ndraw = 'box'\nmargin-before = 101", 4, "from 0 to 100"),
      ("[[paragraphs]]\nmatch = 'a'\nattributes = {b = [1]}", 3, "must not be an array"),
      ("[tags]", 1, "must have the key default"), ("grammars = ['x']", 1, "there is no file x"),
      ("grammar = 'swift'\n[[patterns]]\nname = 'syntax'\nmatch = 'a'", 2, "comes from two of"),
    ])
  func mistakes(text: String, line: Int, words: String) {
    let error = #expect(throws: RulesError.self) { try rules(text) }
    #expect(error?.place.line == line, "\(text): \(error?.description ?? "")")
    #expect(error?.problem.contains(words) == true, "\(text): \(error?.problem ?? "")")
  }

  @Test(
    "a mistake in a grammar is refused with its file and line",
    arguments: [
      ("name = 'x'\n[contexts.a]", 2, "must have the context main"),
      ("[contexts.main]", 1, "must have the key name"),
      ("name = 'a/b'\n[contexts.main]", 1, "letters or digits"),
      ("name = 'x'\n[contexts.main]\nrules = [{style = 'a'}]", 3, "either match or words"),
      (
        "name = 'x'\n[contexts.main]\nrules = [{match = 'a', words = ['b']}]", 3,
        "either match or words"
      ),
      (
        "name = 'x'\n[contexts.main]\nrules = [{match = 'a', push = 'b'}]", 3,
        "there is no context b"
      ),
      (
        "name = 'x'\n[contexts.main]\nrules = [\n{match = 'a'},\n{match = '['},\n]", 5,
        "without its ]"
      ),
      ("name = 'x'\n[contexts.main]\ngrammar = 'y'", 3, "there is no grammar y"),
      ("name = 'x'\n[contexts.main]\ninclude = ['y']", 3, "there is no context y"),
      (
        "name = 'x'\n[contexts.main]\nrules = [{match = 'a', level = 'ab'}]", 3,
        "one character, or indent"
      ),
      (
        "name = 'x'\nword = 'a?'\n[contexts.main]\nrules = [{words = ['a']}]", 2,
        "without a character"
      ),
    ])
  func grammarMistakes(text: String, line: Int, words: String) {
    let error = #expect(throws: RulesError.self) {
      try StyleRules("grammars = ['x.toml']\ngrammar = 'x'") { _, _ throws(RulesError) in text }
    }
    #expect(error?.file == "x.toml")
    #expect(error?.place.line == line, "\(text): \(error?.description ?? "")")
    #expect(error?.problem.contains(words) == true, "\(text): \(error?.problem ?? "")")
  }

  @Test("contexts that include each other are read, and none grows without bound")
  func includes() throws {
    var text = "name = 'x'\n[contexts.main]\ninclude = ['main', 'c0']\n"
    for index in 0..<40 {
      text += "[contexts.c\(index)]\ninclude = ['c\((index + 1) % 40)', 'main']\n"
      text += "rules = [{match = 'a\(index)', push = 'c\((index + 1) % 40)'}]\n"
    }
    let rules = try StyleRules("grammars = ['x']\ngrammar = 'x'") { _, _ throws(RulesError) in text
    }
    #expect(rules.grammar?.contexts.allSatisfy { $0.rules.count == 40 } == true)
    let many = (0..<255).map { "{match = 'a\($0)'}" }.joined(separator: ", ")
    var large = "name = 'x'\n[contexts.main]\nrules = [{match = 'b', push = 'c0'}]\n"
    for index in 0..<100 {
      large +=
        "[contexts.c\(index)]\ninclude = ['c99']\nrules = [{match = 'b', push = 'c\((index + 1) % 100)'}]\n"
    }
    large += "[contexts.c100]\n"
    large = large.replacing(
      "[contexts.c99]\ninclude = ['c99']\nrules = [", with: "[contexts.c99]\nrules = [\(many), ")
    let error = #expect(throws: RulesError.self) {
      try StyleRules("grammars = ['x']\ngrammar = 'x'") { _, _ throws(RulesError) in large }
    }
    #expect(error?.problem.contains("more than 4096 branches") == true, "\(error?.problem ?? "")")
  }

  @Test("expressions have a bounded number of branches")
  func branches() {
    let wide = String(repeating: "a?", count: 1_000) + "b"
    let error = #expect(throws: RulesError.self) {
      try rules((0..<5).map { "[[patterns]]\nname = 'a\($0)'\nmatch = '\(wide)'\n" }.joined())
    }
    #expect(error?.problem.contains("more than 4096 branches") == true)
    let one = #expect(throws: RulesError.self) {
      try rules("[[patterns]]\nname = 'a'\nmatch = '\(wide)\(wide)'")
    }
    #expect(one?.problem.contains("more than 1024 branches") == true)
  }

  @Test("changed files are read or refused", arguments: seeds(20))
  func changed(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let names = StyleRules.grammarNames
    let name = names[Int(seed % UInt64(names.count))]
    let text = try #require(StyleRules.grammarText(name))
    let marks = Array("[]{}'\"\\#=.,\n *+?()|^$0a".unicodeScalars)
    for _ in 0..<10 {
      var scalars = Array(text.unicodeScalars)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<scalars.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: scalars.remove(at: place)
        case 1: scalars.insert(marks[Int.random(in: 0..<marks.count, using: &random)], at: place)
        default: scalars[place] = marks[Int.random(in: 0..<marks.count, using: &random)]
        }
      }
      let changed = String(String.UnicodeScalarView(scalars))
      do throws(RulesError) {
        let rules = try StyleRules("grammars = 'x'\ngrammar = '\(name)'") {
          _, _ throws(RulesError) in changed
        }
        _ = StyledText(TextState(), by: rules)
      } catch { #expect(error.place.line >= 1 && error.place.column >= 1, "seed \(seed)") }
    }
  }

  @Test("the schemas have every key")
  func schemas() {
    for (schema, kinds) in [
      (StyleRules.schema, RuleTableKind.all),
      (StyleRules.grammarSchema, RuleTableKind.allOfGrammars),
    ] {
      for key in kinds.flatMap(\.keys) { #expect(schema.contains("\"\(key.name)\": {")) }
      for kind in kinds { #expect(schema.contains("\"\(kind.name)\": {")) }
      #expect(schema.count { $0 == "{" } == schema.count { $0 == "}" })
    }
  }

  @Test(arguments: [
    ("#ff8000", Colour(red: 255, green: 128, blue: 0)),
    ("#F80", Colour(red: 255, green: 136, blue: 0)),
    ("Teal", Colour(red: 0, green: 128, blue: 128)), ("#ff800", nil), ("#ff80000", nil),
    ("#gg0000", nil), ("", nil),
    ("#", nil), ("rouge", nil),
  ])
  func colours(text: String, colour: Colour?) { #expect(Colour(text) == colour) }

  @Test func everyNamedColourIsReadAndWritten() {
    for name in Colour.names {
      let colour = Colour(name)
      #expect(colour != nil)
      #expect(colour.flatMap { Colour($0.description) } == colour)
    }
  }
}

private func rulesOf(_ grammar: String) throws -> StyleRules {
  try rules("grammar = '\(grammar)'")
}

/// The articles list every key.
@Suite struct RulesArticleTests {
  private func rows(_ name: String) throws -> Set<String> {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(
      contentsOf: root.appending(path: "Sources/Styling/Styling.docc/\(name).md"), encoding: .utf8)
    let cells = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map {
      $0.split(separator: "|")[0]
    }
    return Set(cells.flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.1) } })
  }

  @Test(arguments: [("Rules", RuleTableKind.all), ("Grammars", RuleTableKind.allOfGrammars)])
  func keys(article: String, kinds: [RuleTableKind]) throws {
    let rows = try rows(article)
    // The tables of light and dark, and those of a tag, are described in the text of a row.
    for kind in kinds where !["colours", "tag"].contains(kind.name) {
      for key in kind.keys { #expect(rows.contains(key.name), "\(kind.name): \(key.name)") }
    }
  }

  @Test func drawings() throws {
    let rows = try rows("Rules")
    for each in BuiltInDecoration.allCases { #expect(rows.contains(each.rawValue)) }
  }
}
