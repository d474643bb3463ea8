import EditModel
import Testing
import TextState

@testable import Styling

@Suite struct GrammarTests {
  @Test(
    "Swift",
    arguments: [
      ("let x = 1 // one", ["keyword: let", "number: 1", "comment: // one"]),
      ("letter", []), ("x.let1", []),
      (
        "\"a\\n\\(b + 1)c\" d",
        [
          "string: \"a", "escape: \\n\\(", "number: 1", "escape: )", "string: c\"",
        ]
      ),
      (
        "\"\\(f(\"x)\"))\" y",
        ["string: \"", "escape: \\(", "string: \"x)\"", "escape: )", "string: \""]
      ),
      ("\"open\nlet", ["string: \"open", "keyword: let"]),
      ("/* a /* b */\nc */ let", ["comment: /* a /* b */", "comment: c */", "keyword: let"]),
      (
        "\"\"\"\nx \\u{41}\n\"\"\" if",
        [
          "string: \"\"\"", "string: x ", "escape: \\u{41}", "string: \"\"\"",
          "keyword.control: if",
        ]
      ),
      ("#\"a\\n\"# nil", ["string: #\"a\\n\"#", "constant: nil"]),
      ("##\"a\"# b\"## let", ["string: ##\"a\"# b\"##", "keyword: let"]),
      (
        "#\"\\#(x) \\n \\#n\"# let",
        [
          "string: #\"", "escape: \\#(", "escape: )", "string:  \\n ", "escape: \\#n",
          "string: \"#", "keyword: let",
        ]
      ),
      (
        "#\"\"\"\nraw \"\"\" multi\n\"\"\"#\nlet",
        ["string: #\"\"\"", "string: raw \"\"\" multi", "string: \"\"\"#", "keyword: let"]
      ),
      ("@MainActor #if `let`", ["attribute: @MainActor", "keyword.directive: #if"]),
      ("0xFF 1_000.5e-3 0b10", ["number: 0xFF", "number: 1_000.5e-3", "number: 0b10"]),
      ("var s: String", ["keyword: var", "type: String"]),
    ])
  func swift(text: String, expected: [String]) throws {
    #expect(try tokens(text, "swift") == expected)
  }

  @Test(
    "C",
    arguments: [
      ("#include <stdio.h>", ["keyword.directive: #include <stdio.h>"]),
      ("  # define X 1", ["keyword.directive:   # define", "number: 1"]),
      (
        "int x = 0x1F; /* a\nb */ return",
        ["type: int", "number: 0x1F", "comment: /* a", "comment: b */", "keyword.control: return"]
      ),
      (
        "\"a\\\"b\" 'c' '\\''",
        ["string: \"a", "escape: \\\"", "string: b\"", "string: 'c'", "string: '\\''"]
      ),
      ("\"a\\\nb\" int", ["string: \"a", "escape: \\", "string: b\"", "type: int"]),
      ("\"a\nint", ["string: \"a", "type: int"]),
      (
        "// a \\\nint \\\nint\nint",
        ["comment: // a \\", "comment: int \\", "comment: int", "type: int"]
      ),
      ("integer printf", []), ("1.5f 3ull .5", ["number: 1.5f", "number: 3ull", "number: .5"]),
    ])
  func c(text: String, expected: [String]) throws { #expect(try tokens(text, "c") == expected) }

  @Test(
    "Python",
    arguments: [
      ("def f(): # x", ["keyword: def", "comment: # x"]),
      ("'a\\'b' \"c\"", ["string: 'a", "escape: \\'", "string: b'", "string: \"c\""]),
      ("\"\"\"a\nb\"\"\" if", ["string: \"\"\"a", "string: b\"\"\"", "keyword.control: if"]),
      ("r'''\\x\n''' None", ["string: r'''\\x", "string: '''", "constant: None"]),
      ("@cached", ["attribute: @cached"]),
      ("f'x' rb'y' bar'z'", ["string: f'x'", "string: rb'y'", "string: 'z'"]),
      ("r'\\n\\'' if", ["string: r'\\n\\''", "keyword.control: if"]),
      (
        "f'{{ {1 + {2}} \\n' if",
        [
          "string: f'", "escape: {{", "string:  ", "escape: {", "number: 1", "escape: {",
          "number: 2", "escape: }}",
          "string:  ", "escape: \\n", "string: '", "keyword.control: if",
        ]
      ),
      (
        "F\"\"\"a\n{x}\"\"\" 1",
        ["string: F\"\"\"a", "escape: {", "escape: }", "string: \"\"\"", "number: 1"]
      ),
      ("1_0j 0o17", ["number: 1_0j", "number: 0o17"]),
      ("define", []),
    ])
  func python(text: String, expected: [String]) throws {
    #expect(try tokens(text, "python") == expected)
  }

  @Test(
    "JSON",
    arguments: [
      (
        "{\"a\": \"b\\n\", \"c\" : -1.5e3}",
        [
          "property: \"a\"", "string: \"b", "escape: \\n", "string: \"", "property: \"c\"",
          "number: -1.5e3",
        ]
      ),
      ("{\":::\":1}", ["property: \":::\"", "number: 1"]),
      ("[true, null, nothing]", ["constant: true", "constant: null"]),
      ("/* a\n*/ 1 // b", ["comment: /* a", "comment: */", "number: 1", "comment: // b"]),
    ])
  func json(text: String, expected: [String]) throws {
    #expect(try tokens(text, "json") == expected)
  }

  @Test(
    "Markdown",
    arguments: [
      ("## A *b*", ["heading.mark: ## ", "heading: A ", "emphasis: *b*"]), ("#a", []),
      ("a `b` ``c`d``", ["code: `b`", "code: ``c`d``"]),
      ("**a** _b_ a_b_c ~~d~~", ["strong: **a**", "emphasis: _b_", "deleted: ~~d~~"]),
      ("2 * 3 * 4", []),
      (
        "[a](b) ![c](d(e) \"f\") <https://g>",
        ["link: [a](b)", "link: ![c](d(e) \"f\")", "link: <https://g>"]
      ),
      ("- a\n1. b", ["list.mark: - ", "list.mark: 1. "]), ("> > a", ["quote.mark: > > "]),
      ("---\n* * *", ["rule: ---", "rule: * * *"]),
      ("\\*a\\*", ["escape: \\*", "escape: \\*"]),
      ("<!-- a\nb --> `c`", ["comment: <!-- a", "comment: b -->", "code: `c`"]),
      ("```\nlet\n```\n`a`", ["code.fence: ```", "code: let", "code.fence: ```", "code: `a`"]),
      (
        "````\n```\n````\n`a`",
        ["code.fence: ````", "code: ```", "code.fence: ````", "code: `a`"]
      ),
      (
        "- ```sh\n  ls\n  ```\n# b",
        [
          "code.fence: - ```sh", "code:   ls", "code.fence:   ```", "heading.mark: # ",
          "heading: b",
        ]
      ),
      (
        "~~~swift\nlet\n```\n~~~\n~~~ py\ndef\n~~~\n~~~jsonl x\n1\n~~~\n~~~c\nint",
        [
          "code.fence: ~~~swift", "keyword: let", "code: ```", "code.fence: ~~~",
          "code.fence: ~~~ py",
          "keyword: def", "code.fence: ~~~", "code.fence: ~~~jsonl x", "number: 1",
          "code.fence: ~~~",
          "code.fence: ~~~c", "type: int",
        ]
      ),
      ("a\n===\n= =\n ==  ", ["heading.mark: ===", "heading.mark:  ==  "]),
      (
        "> ```swift\n> let *a*\n>> ```x\n> ```\n> *b*",
        [
          "code.fence: > ```swift", "quote.mark: > ", "code: let *a*", "quote.mark: >> ",
          "code: ```x",
          "code.fence: > ```", "quote.mark: > ", "emphasis: *b*",
        ]
      ),
      (
        "> ```\n> a\n*b*\n*c*",
        ["code.fence: > ```", "quote.mark: > ", "code: a", "text: *b*", "emphasis: *c*"]
      ),
      ("**a *b* c** ***d*** **e", ["strong: **a *b* c**", "strong.emphasis: ***d***"]),
      ("[![i](u)](v) x", ["link: [![i](u)](v)"]),
      (
        "~~~ x\n```\n~~~\n*a*",
        ["code.fence: ~~~ x", "code: ```", "code.fence: ~~~", "emphasis: *a*"]
      ),
    ])
  func markdown(text: String, expected: [String]) throws {
    #expect(try tokens(text, "markdown") == expected)
  }

  /// The end of the fence ends the Swift inside it, even in a comment.
  @Test("code of another grammar ends with its fence")
  func fencedSwift() throws {
    #expect(
      try tokens("```swift\nlet /* x\n```\nlet *b*", "markdown") == [
        "code.fence: ```swift", "keyword: let", "code:  ", "comment: /* x", "code.fence: ```",
        "emphasis: *b*",
      ])
  }

  @Test("paragraphs have kinds and levels")
  func kinds() throws {
    let text = "# a\n### b\ntext\n- c\n  - d\n    1. e\n> f\n> > g\n```swift\nlet\n```\n"
    let styled = StyledText(try state(text), by: try rules("grammar = 'markdown'")).state
    let kinds = styled.paragraphs.map { ParagraphKind(of: $0, in: styled) }
    #expect(
      kinds.map { "\($0.name) \($0.level)" } == [
        "heading 1", "heading 3", "paragraph 0", "list-item 1", "list-item 2", "ordered-item 3",
        "quote 1", "quote 2", "code-block 1", "code-block 1", "code-block 1", "paragraph 0",
      ])
    #expect(styled.texts(of: "code-block", .string("swift")) == ["```swift\nlet\n```\n"])
  }

  @Test("kinds come from attributes of the log too")
  func kindsOfAttributes() throws {
    let styled = try state(
      "a\nb\nc\n",
      [
        (0..<2, ["heading": .integer(2)]), (2..<4, ["quote": .bool(true)]),
        (4..<6, ["list-item": .bool(false)]),
      ])
    #expect(
      styled.paragraphs.map { ParagraphKind(of: $0, in: styled) } == [
        ParagraphKind("heading", level: 2), ParagraphKind("quote", level: 1), .paragraph,
        .paragraph,
      ])
  }

  @Test("a part is styled with a bounded part of the text before it, or not at all")
  func boundedWork() throws {
    let rules = try rules("grammar = 'swift'")
    let text = try state("/* a\n" + String(repeating: "b\n", count: 100) + "let\n")
    func styles(_ length: Int) -> (Bool?, [String]?) {
      var places = SyntaxPlaces()
      let styled = StyledText(
        text, paragraphs: 101..<102, by: rules, &places, lengthBeforeMax: length
      ) {
        false
      }
      return (styled?.isExact, styled?.state.texts(of: "syntax"))
    }
    #expect(styles(.max) == (true, ["let"]))
    #expect(styles(205) == (true, ["let"]))
    #expect(styles(100) == (false, ["let"]))
    var places = SyntaxPlaces()
    let part = StyledText(text, paragraphs: 101..<102, by: rules, &places, lengthBeforeMax: 100) {
      false
    }
    #expect(part?.state.texts(of: "syntax", .string("keyword")) == ["let"])
    let whole = StyledText(text, paragraphs: 101..<102, by: rules)
    #expect(whole.state.texts(of: "syntax", .string("comment")) == ["let"])
    for limit in [0, 50, 101] {
      var (count, places) = (0, SyntaxPlaces())
      let cancelled = StyledText(
        text, paragraphs: 101..<102, by: rules, &places, lengthBeforeMax: .max
      ) {
        count += 1
        return count > limit
      }
      #expect(cancelled == nil && count == limit + 1)
    }
  }

  @Test("contexts are at most 16 deep")
  func depth() throws {
    let text =
      String(repeating: "/*", count: 100) + "\n" + String(repeating: "*/", count: 15) + " let"
    #expect(try tokens(text, "swift").last == "keyword: let")
  }

  @Test("a paragraph that is too long has styles in its start, and the state goes over it")
  func longParagraph() throws {
    let length = try rules("grammar = 'swift'").styledLengthMax
    let start = String(repeating: "let ", count: length / 4 + 1).prefix(length)
    #expect(
      try tokens("/* a\n\(start)let let\nb */ let", "swift") == [
        "comment: /* a", "comment: \(start)", "comment: b */", "keyword: let",
      ])
  }

  /// A word that is searched in each place, an expression that fails late, contexts in contexts.
  @Test(
    "hostile lines take linear time",
    arguments: [
      ("swift", "\"\\("), ("swift", "/*"), ("swift", "("), ("markdown", "["), ("markdown", "*a"),
      ("markdown", "`"), ("markdown", "<a"),
      ("markdown", "__a"), ("python", "'\\"), ("c", "'a"), ("json", "\"a\\"), ("markdown", "![](("),
      ("markdown", "> "),
    ])
  func hostile(grammar: String, piece: String) throws {
    let grammar = try #require(try rules("grammar = '\(grammar)'").grammar)
    func steps(_ count: Int) -> Int {
      var (reader, marks, state) = (
        SyntaxReader(grammar), ParagraphMarks?.some(ParagraphMarks()), SyntaxState()
      )
      let line = Array(String(repeating: piece, count: count / piece.count).utf16)
      line.withUnsafeBufferPointer { reader.read($0, &state, into: &marks) }
      return reader.stepCount
    }
    let (few, many) = (steps(1_000), steps(8_000))
    #expect(many < 10 * few + 10_000, "\(few) steps, then \(many)")
  }
}
