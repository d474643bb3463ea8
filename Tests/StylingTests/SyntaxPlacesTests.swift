import EditModel
import TestSupport
import TextState
import Testing

@testable import Styling

/// The states that are kept, against reading all of the text from its start.
@Suite struct SyntaxPlacesTests {
  private static let pieces = [
    "/* open\n", "close */\n", "let a = 1\n", "word ", "\n", "\r", "\r\n", "\"text\" // note\n",
    "/*", "*/", "x\n\n", "\"\"\"\n",
  ]

  private static func text(_ random: inout SplitMix64, pieces count: Int) -> String {
    (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }.joined()
  }

  /// The state before each paragraph, read from the start.
  private static func oracle(_ text: TextState, _ rules: StyleRules) -> [SyntaxState] {
    var (styler, state) = (ParagraphStyler(rules), SyntaxState())
    return text.paragraphs.map { paragraph in
      defer { styler.skip(paragraph, in: text, &state) }
      return state
    }
  }

  @Test(arguments: seeds(24)) func `states are those of the whole text`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let rules = try rules("grammar = 'swift'")
    var styler = ParagraphStyler(rules)
    var places = SyntaxPlaces(
      interval: Int.random(in: 1...60, using: &random),
      countMax: Int.random(in: 2...12, using: &random))
    var text = try state(Self.text(&random, pieces: 60))
    var undo: [(TextState, UTF16Range, Int)] = []
    for _ in 0..<40 {
      let wanted = Self.oracle(text, rules)
      for _ in 0..<3 {
        let paragraph = Int.random(in: 0..<text.paragraphCount, using: &random)
        let lengthMax = Bool.random(using: &random) ? 40 : Int.max
        let found = places.state(before: paragraph, in: text, &styler, lengthMax: lengthMax) {
          false
        }
        #expect(found == nil && lengthMax < .max || found == wanted[paragraph], "seed \(seed)")
      }
      if let (older, range, change) = undo.last, Int.random(in: 0..<4, using: &random) == 0 {
        // Back to the version before.
        places.follow(replacing: range, changeInLength: change)
        text = older
        undo.removeLast()
        continue
      }
      let location = Int.random(in: 0...text.length, using: &random)
      let end = min(text.length, location + Int.random(in: 0...12, using: &random))
      let action = EditAction(
        replacing: UTF16Range(location..<end),
        with: UTF16Text(
          Self.text(&random, pieces: Int.random(in: 0...3, using: &random))))
      let older = text
      let change = try text.apply(action)
      places.follow(replacing: action.range, changeInLength: action.changeInLength)
      undo.append((older, change.editedRange, -action.changeInLength))
    }
  }

  @Test func `a known place costs a part of the text`() throws {
    let rules = try rules("grammar = 'swift'")
    var styler = ParagraphStyler(rules)
    var places = SyntaxPlaces(interval: 1_000, countMax: 1 << 10)
    let line = "let a = 1 // note\n"
    var text = try state(String(repeating: line, count: 10_000))
    func cost(before paragraph: Int) -> Int {
      let length = places.readLength
      _ = places.state(before: paragraph, in: text, &styler, lengthMax: .max) { false }
      return places.readLength - length
    }
    #expect(cost(before: 9_000) == 9_000 * line.utf16.count)
    for paragraph in [9_000, 10, 4_444, 0, 8_999] { #expect(cost(before: paragraph) < 1_100) }
    // An edit makes it read the text around it, once.
    func edit(_ paragraph: Int, _ new: String) throws {
      let range = UTF16Range(
        text.paragraph(at: paragraph).range.location..<text.paragraph(at: paragraph).range.location)
      places.follow(replacing: range, changeInLength: new.utf16.count)
      try text.apply(EditAction(replacing: range, with: UTF16Text(new)))
    }
    try edit(100, "let ")
    #expect(cost(before: 8_000) < 3_200)
    #expect(cost(before: 8_000) < 1_100)
    // One that opens a comment changes all that follows, up to what is asked for.
    try edit(5_000, "/* ")
    #expect(cost(before: 3_000) < 1_100)
    let all = cost(before: 9_000)
    #expect(all > 3_900 * line.utf16.count && all < 4_200 * line.utf16.count)
    #expect(cost(before: 9_000) < 1_100)
  }

  @Test func `a bounded call goes on where the one before ended`() throws {
    let rules = try rules("grammar = 'swift'")
    var styler = ParagraphStyler(rules)
    var places = SyntaxPlaces(interval: 100, countMax: 1 << 10)
    let text = try state("/*\n" + String(repeating: "0123456789\n", count: 1_000))
    var calls = 0
    while true {
      calls += 1
      let found = places.state(before: 1_000, in: text, &styler, lengthMax: 2_000) { false }
      if let found {
        #expect(found != SyntaxState())
        break
      }
      guard calls < 20 else {
        Issue.record("no call is enough")
        return
      }
    }
    #expect(calls <= 7)
  }
}
