import EditModel
import Projections
import TestSupport
import Testing
import TextState

@testable import Styling

/// Rules with everything: a grammar with states, patterns, addresses and attributes of paragraphs.
private let everything = """
  grammar = "markdown"
  [[patterns]]
  name = "mention"
  match = '@\\w*[0-9A-Za-z]'
  [[patterns]]
  name = "hashtag"
  match = '#[\\p{Alphabetic}][\\p{Alphabetic}0-9]*'
  [links]
  [[paragraphs]]
  match = '^TODO\\b'
  attributes = { task = true, priority = 1 }
  """

private struct LastEdit: Projection {
  static let version: UInt32 = 1
  var edits: [StagedEdit] = []
  mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {}
  mutating func apply(_ edit: StagedEdit, _ state: TextState) { edits.append(edit) }
}

/// A runner with a stage, and edits by number.
private struct Editor {
  var runner: ProjectionRunner

  init(_ text: String, _ rules: StyleRules) throws {
    runner = try ProjectionRunner(from: try state(text), [LastEdit()], stages: [RuleStage(rules)])
  }

  mutating func apply(_ action: EditAction) throws {
    try runner.apply(Edit(sequence: runner.state.sequence + 1, action: action))
  }

  /// How many paragraphs an edit styles.
  mutating func styledCount(of action: EditAction) throws -> Int {
    let before = count
    try apply(action)
    return count - before
  }

  var count: Int { (runner.stages[0] as? RuleStage)?.styledCount ?? 0 }
}

@Suite struct RuleStageTests {
  /// Row 51 of the feature list: two matches, none without rules, and an edit that breaks one.
  @Test func matchesOfPatternsAreMarkedAndUnmarked() throws {
    let text = "hello world @Geektree0101 https://example.com @Hello"
    let pattern = "[[patterns]]\nname = 'mention'\nmatch = '@(\\w*[0-9A-Za-z])'"
    var editor = try Editor(text, try rules(pattern))
    #expect(editor.runner.state.texts(of: "mention") == ["@Geektree0101", "@Hello"])
    #expect(try Editor(text, try rules("")).runner.state.texts(of: "mention").isEmpty)

    try editor.apply(replace(12..<13, ""))
    #expect(editor.runner.state.texts(of: "mention") == ["@Hello"])
    try editor.apply(replace(12..<12, "@"))
    #expect(editor.runner.state.texts(of: "mention", .string("@Geektree0101")) == ["@Geektree0101"])
    try editor.apply(replace(18..<18, " "))
    #expect(editor.runner.state.texts(of: "mention") == ["@Geekt", "@Hello"])
  }

  /// Row 91: the facts of the article's pattern; rules that say nothing still notify.
  @Test func theWordsOfTheArticleMatch() throws {
    let pattern =
      "[[patterns]]\nname = 'product'\nmatch = 'i[\\p{Alphabetic}&&\\p{Uppercase}][\\p{Alphabetic}]+'"
    let editor = try Editor("iPhone iPad iOS iPx iphone iP", try rules(pattern))
    #expect(editor.runner.state.texts(of: "product") == ["iPhone", "iPad", "iOS", "iPx"])

    var empty = try Editor("a", StyleRules())
    try empty.apply(replace(0..<1, "iPhone"))
    #expect(empty.runner[LastEdit.self]?.edits.count == 1)
    #expect(empty.runner.state.attributeRunCount == 1)
  }

  /// Row 84: one unit is edited, and the paragraph is invalidated.
  @Test func readersGetTheEditedAndTheWiderRange() throws {
    var editor = try Editor("one\ntwo\nthree", try rules("grammar = 'markdown'"))
    try editor.apply(replace(4..<4, "> "))
    let last = try #require(editor.runner[LastEdit.self]?.edits.last)
    #expect(last.change.editedRange == UTF16Range(4..<6))
    #expect(last.invalidatedRange == UTF16Range(4..<10))
  }

  @Test func attributesOfParagraphsComeAndGo() throws {
    var editor = try Editor("TODO a\nb", try rules(everything))
    #expect(editor.runner.state.texts(of: "task") == ["TODO a\n"])
    try editor.apply(replace(0..<1, ""))
    #expect(editor.runner.state.texts(of: "task").isEmpty)
  }

  @Test func otherAttributesStay() throws {
    var editor = try Editor("@a b", try rules(everything))
    try editor.apply(try merge(0..<4, ["bold": .bool(true), "mention": .string("forged")]))
    #expect(editor.runner.state.texts(of: "bold") == ["@a b"])
    #expect(editor.runner.state.texts(of: "mention") == ["@a"])
  }

  @Test func onlyTouchedParagraphsAreStyled() throws {
    let text = String(repeating: "line @x\n", count: 1_000)
    var editor = try Editor(text, try rules(everything))
    #expect(editor.count == 1_001)
    #expect(try editor.styledCount(of: replace(4_002..<4_002, "y")) == 1)
    #expect(try editor.styledCount(of: replace(4_002..<4_002, "y\nz\nw")) == 3)
    #expect(try editor.styledCount(of: replace(800..<1_600, "")) <= 2)
    #expect(try editor.styledCount(of: merge(0..<80, ["bold": .bool(true)])) == 10)
  }

  /// The state of a fence goes to the paragraphs after it, up to the first that had it already.
  @Test func paragraphsAreStyledAgainUntilTheStateAgrees() throws {
    let lines = (0..<100).map { "line \($0)\n" }
    var editor = try Editor(
      lines.joined() + "```\n" + lines.joined(), try rules("grammar = 'markdown'"))
    let start = (0..<50).reduce(0) { $0 + lines[$1].count }
    // 50 lines and the fence, which now ends the block; after it all lines are text, as they were code before.
    #expect(try editor.styledCount(of: replace(start..<start, "```\n")) == 1 + 50 + 1 + 100)
    #expect(try editor.styledCount(of: replace(start..<start + 4, "")) == 50 + 1 + 100)
    #expect(try editor.styledCount(of: replace(start..<start, "text\n")) == 1)
    // A comment that is closed in the same paragraph leaves the state as it was.
    #expect(try editor.styledCount(of: replace(start..<start, "<!-- a -->")) == 1)
  }

  /// Whole paragraphs are removed, and no other one is edited: the next one still begins in another
  /// state.
  @Test func theParagraphAfterARemovedFenceIsStyled() throws {
    var editor = try Editor("a\n```\n*b*\n", try rules("grammar = 'markdown'"))
    #expect(editor.runner.state.texts(of: "syntax", .string("emphasis")).isEmpty)
    try editor.apply(replace(2..<6, ""))
    #expect(editor.runner.state.texts(of: "syntax", .string("emphasis")) == ["*b*"])
  }

  /// The attributes after many edits are those of the whole text styled from scratch.
  @Test("styles are those from scratch", arguments: seeds(60))
  func incremental(seed: UInt64) throws {
    let grammars = ["markdown", "swift", "c", "python"]
    let grammar = grammars[Int(seed % 4)]
    let rules = try rules(everything.replacing("markdown", with: grammar))
    let pieces = [
      "a", " ", "\n", "\r\n", "\u{2029}", "\r", "```\n", "```swift\n", "/*", "*/", "\"\"\"", "\"",
      "\\(", ")", "# h\n",
      "> q\n", "- i\n", "@me", "#tag", "https://a.b/c", "TODO", "let", "<!--", "-->", "\\\n", "'''",
      "~~~\n", "`x`", "é😀",
      "*b*", "//",
    ]
    var random = SplitMix64(seed: seed)
    var (log, editor) = (TextState(), try Editor("", rules))
    editor.runner = try ProjectionRunner([LastEdit()], stages: [RuleStage(rules)])
    for step in 0..<150 {
      let lower = Int.random(in: 0...log.length, using: &random)
      let longest = [2, 20, 200][Int.random(in: 0..<3, using: &random)]
      let upper = min(log.length, lower + Int.random(in: 0...longest, using: &random))
      let action: EditAction
      switch Int.random(in: 0..<8, using: &random) {
      case 0 where upper > lower:
        let name = ["bold", "mention", "syntax", "syntax.state", "url"][
          Int.random(in: 0..<5, using: &random)]
        action = try merge(lower..<upper, [name: .string("swift.comment>swift.comment")])
      case 1 where upper > lower:
        // Replaced by the same text, which inherits the attributes of its first unit.
        action = EditAction(
          replacing: UTF16Range(lower..<upper), with: log.text(in: UTF16Range(lower..<upper)))
      default:
        let text = (0..<Int.random(in: 0...4, using: &random)).map { _ in
          pieces[Int.random(in: 0..<pieces.count, using: &random)]
        }
        action = replace(lower..<upper, text.joined())
      }
      try log.apply(action)
      try editor.apply(action)
      let fresh = StyledText(log, by: rules).state
      #expect(
        editor.runner.state.attributeRuns == fresh.attributeRuns, "seed \(seed), step \(step)")
      #expect(
        Array(editor.runner.state.paragraphs) == Array(log.paragraphs), "seed \(seed), step \(step)"
      )
      if step % 50 == 49 {
        let started = try ProjectionRunner(from: log, [], stages: [RuleStage(rules)])
        #expect(started.state == fresh, "seed \(seed), step \(step)")
        let part = Int.random(in: 0..<log.paragraphCount, using: &random)
        let range = log.paragraph(at: part).range
        #expect(
          StyledText(log, paragraphs: part..<part + 1, by: rules).state.attributeRuns(in: range)
            == fresh.attributeRuns(in: range), "seed \(seed), step \(step)")
      }
    }
  }
}
