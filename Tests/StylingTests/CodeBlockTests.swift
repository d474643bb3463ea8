import EditModel
import Projections
import TestSupport
import Testing
import TextState

@testable import Styling

/// Blocks of code whose language is in the log.
@Suite struct CodeBlockTests {
  private static func text(_ blocks: [(text: String, language: AttributeValue?)]) throws
    -> TextState
  {
    var (whole, attributes): (String, [(Range<Int>, AttributeSet)]) = ("", [])
    for (text, language) in blocks {
      let start = whole.utf16.count
      whole += text
      if let language { attributes.append((start..<whole.utf16.count, ["code-block": language])) }
    }
    return try state(whole, attributes)
  }

  private static func tokens(_ text: TextState) -> [String] {
    AttributeRanges("syntax", in: 0..<text.length, text).map { range, value in
      guard case .string(let style) = value else { return "?" }
      return "\(style): \(String(text.text(in: range)))"
    }
  }

  @Test(
    "names of languages",
    arguments: [
      ("swift", "let x"), ("Swift", "let x"), ("c", "int x"), ("cpp", "int x"), ("c++", "int x"),
      ("h", "int x"), ("py", "def x"), ("python3", "def x"), ("jsonl", "true x"), ("md", "*a* x"),
    ])
  func names(language: String, code: String) throws {
    let text = try Self.text([(code, .string(language))])
    #expect(Self.tokens(StyledText(text, by: try rules("")).state).count == 1, "\(language)")
  }

  @Test(
    "other values are no language",
    arguments: [
      AttributeValue.bool(true), .string("rust"), .string(""), .integer(1),
    ])
  func others(value: AttributeValue) throws {
    let text = try Self.text([("let x = 1\n", value)])
    #expect(StyledText(text, by: try rules("")).state == text)
  }

  /// A comment goes on in the next paragraph of the block, and ends with the block.
  @Test func theStateGoesOnInTheBlock() throws {
    let text = try Self.text([
      ("let\n", nil), ("/* a\nlet */ let\n/* b\n", .string("swift")), ("let\n", nil),
      ("let\n/* c\n", .string("swift")), ("int d */ int", .string("c")),
    ])
    let styled = StyledText(text, by: try rules("")).state
    #expect(
      Self.tokens(styled) == [
        "comment: /* a", "comment: let */", "keyword: let", "comment: /* b", "keyword: let",
        "comment: /* c", "type: int", "type: int",
      ])
    // Other attributes stay.
    #expect(styled.texts(of: "code-block").count == 3)
  }

  /// Two names of one language are one block.
  @Test func aLanguageHasSeveralNames() throws {
    let text = try Self.text([("'''a\n", .string("py")), ("b''' if", .string("python"))])
    #expect(
      Self.tokens(StyledText(text, by: try rules("")).state)
        == ["string: '''a", "string: b'''", "keyword.control: if"])
  }

  /// Only tokens are derived: a heading in a block of Markdown is no heading of the text.
  @Test func codeOfMarkdownHasNoKinds() throws {
    let text = try Self.text([("# a `b`\n- c\n", .string("markdown"))])
    let styled = StyledText(text, by: try rules("")).state
    let names = Set(styled.attributeRuns.flatMap { $0.attributes.map(\.name) })
    #expect(names == ["code-block", "syntax", "syntax.state"])
  }

  /// Blocks are not highlighted in a text with a grammar, or if rules derive one of the attributes.
  @Test(arguments: [
    "grammar = \"c\"", "[[patterns]]\nname = 'syntax'\nmatch = 'let'",
    "[[paragraphs]]\nmatch = 'let'\nattributes = { code-block = true }",
  ])
  func rulesWithTheirOwnAttributes(file: String) throws {
    let text = try Self.text([("let x\n", .string("swift"))])
    let styled = StyledText(text, by: try rules(file)).state
    #expect(styled.texts(of: "syntax", .string("keyword")).isEmpty)
  }

  /// An attribute `syntax` of the log stays outside of blocks.
  @Test func attributesOfTheLogStay() throws {
    var text = try Self.text([("let a\n", nil), ("let b\n", .string("swift"))])
    try text.apply(try merge(0..<12, ["syntax": .string("mine"), "bold": .bool(true)]))
    let styled = StyledText(text, by: try rules("")).state
    #expect(Self.tokens(styled) == ["mine: let a\n", "keyword: let"])
    #expect(styled.texts(of: "bold") == ["let a\nlet b\n"])
  }

  /// A part of a text has the styles that it has in the whole, wherever it begins.
  @Test func partsAreStyledAsTheWhole() throws {
    let text = try Self.text([
      ("a\n", nil), ("/* a\nb\nlet c */ let\n", .string("swift")),
      ("/*\nx\n*/ int\n", .string("c")), ("/*\nint\n", .string("cpp")), ("e", nil),
    ])
    let whole = StyledText(text, by: try rules("")).state
    for first in 0..<text.paragraphCount {
      for last in first..<text.paragraphCount {
        let part = StyledText(text, paragraphs: first..<last + 1, by: try rules(""))
        let range = UTF16Range(
          text.paragraph(at: first).range.location..<text.paragraph(at: last).range.upperBound)
        #expect(part.isExact)
        #expect(part.state.attributeRuns(in: range) == whole.attributeRuns(in: range))
      }
    }
  }

  /// A long block is read from a limited distance before the part.
  @Test func aLongBlockIsBounded() throws {
    let line = "let a\n"
    let text = try Self.text([
      ("/*\n" + String(repeating: line, count: 1_000), .string("swift"))
    ])
    var places = SyntaxPlaces()
    func part(_ lengthMax: Int) throws -> StyledText? {
      StyledText(
        text, paragraphs: 990..<991, by: try rules(""), &places, lengthBeforeMax: lengthMax
      ) { false }
    }
    #expect(try part(100)?.isExact == false)
    #expect(try part(100).map { Self.tokens($0.state) } == ["keyword: let"])
    #expect(try part(1 << 20)?.isExact == true)
    #expect(try part(1 << 20).map { Self.tokens($0.state) } == ["comment: let a"])
    var wasCalled = 0
    let cancelled = StyledText(
      text, paragraphs: 990..<991, by: try rules(""), &places, lengthBeforeMax: .max
    ) {
      wasCalled += 1
      return wasCalled > 5
    }
    #expect(cancelled == nil && wasCalled == 6)
  }

  /// The work on a part does not grow with the block, whether its lines are long or short. Exact styles need all of it.
  @Test(arguments: [("let a = 1 // a line of code\n", 20_000), ("a\n", 100_000)])
  func partsOfALongBlockHaveBoundedCosts(line: String, count: Int) throws {
    let text = try Self.text([(String(repeating: line, count: count), .string("swift"))])
    var (places, readCount) = (SyntaxPlaces(), 0)
    let middle = count / 2
    for lengthMax in [1 << 23, .max] {
      readCount = 0
      let part = StyledText(
        text, paragraphs: middle..<middle + 50, by: try rules(""), &places,
        lengthBeforeMax: lengthMax
      ) {
        readCount += 1
        return false
      }
      #expect(part?.isExact == (lengthMax == .max))
      #expect(lengthMax == .max ? readCount == middle + 50 : readCount <= 1_024 + 50)
    }
  }

  /// A paragraph that is too long is styled up to the limit of the slowest grammar.
  @Test func longLinesOfCode() throws {
    let text = try Self.text([
      (String(repeating: "let ", count: 1 << 15) + "\n", .string("swift")),
      ("let", .string("swift")),
    ])
    let styled = StyledText(text, by: try rules(""))
    #expect(styled.tooLongCount == 1)
    #expect(styled.state.texts(of: "syntax").count == (1 << 12) + 1)
  }

  // MARK: Stages

  private struct Reader: Projection {
    static let version: UInt32 = 1
    mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {}
  }

  /// The attributes after many edits of text and of languages are those of the whole text styled at once.
  @Test("styles are those from scratch", arguments: seeds(60))
  func incremental(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let rules = try rules("")
    let pieces = ["let ", "/*", "*/", "\n", "\"", "'''", "int ", "x\n", "\"\"\"\n", "\r\n"]
    let languages: [AttributeValue?] = [
      .string("swift"), .string("c"), .string("py"), .string("python"), .string("rust"), nil,
    ]
    var log = TextState()
    var runner = try ProjectionRunner(from: log, [Reader()], stages: [RuleStage(rules)])
    for step in 0..<60 {
      let start = Int.random(in: 0...log.length, using: &random)
      let end = min(log.length, start + Int.random(in: 0...20, using: &random))
      let range = UTF16Range(start..<end)
      let action: EditAction
      if Bool.random(using: &random), !range.isEmpty {
        let language = languages[Int.random(in: 0..<languages.count, using: &random)]
        action = try EditAction(
          range: range, replacement: nil,
          attributes: language.map {
            .merge([AttributeRun(length: range.length, attributes: ["code-block": $0])])
          } ?? .remove(["code-block"]))
      } else {
        let text = (0..<Int.random(in: 0...4, using: &random))
          .map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }.joined()
        action = EditAction(replacing: range, with: UTF16Text(text))
      }
      try log.apply(action)
      try runner.apply(Edit(sequence: runner.state.sequence + 1, action: action))
      let whole = StyledText(log, by: rules).state
      #expect(runner.state.attributeRuns == whole.attributeRuns, "seed \(seed), step \(step)")
    }
  }

  /// An edit in a block styles its own paragraph, and those after it only if their state changes.
  @Test func anEditStylesWhatChanges() throws {
    let lines = String(repeating: "let a\n", count: 100)
    let text = try Self.text([(lines, .string("swift")), (lines, nil)])
    var runner = try ProjectionRunner(
      from: text, [Reader()], stages: [RuleStage(try rules(""))])
    func styled(_ action: EditAction) throws -> Int {
      let before = (runner.stages[0] as? RuleStage)?.styledCount ?? 0
      try runner.apply(Edit(sequence: runner.state.sequence + 1, action: action))
      return ((runner.stages[0] as? RuleStage)?.styledCount ?? 0) - before
    }
    #expect(try styled(replace(300..<300, "x")) == 1)
    #expect(try styled(replace(300..<300, "/*")) <= 52)
    #expect(try styled(replace(900..<900, "/*")) == 1)
  }
}
