import EditJSON
import EditModel
import Interchange
import Projections
import TestSupport
import Testing
import TextState

@Suite struct JSONFormTests {
  @Test(arguments: seeds(300))
  func everythingComesBack(seed: UInt64) throws {
    var generator = AttributedGenerator(seed: seed)
    let text = generator.anything()
    #expect(try AttributedJSON.text(AttributedJSON.bytes(of: text)) == text, "seed \(seed)")
  }

  @Test func aTextWithoutRunsIsPlain() throws {
    #expect(try AttributedJSON.text(Array(#"{"text":"a\ud800","x":1}"#.utf8)).runs.count == 1)
    for (json, message) in [
      ("{}", "text"), ("[]", "an object"), (#"{"text":"a","attributeRuns":[]}"#, "attributeRuns"),
      ("{\"text\":\n\"a", "line 2"),
    ] {
      let error = #expect(throws: InterchangeError.self) {
        try AttributedJSON.text(Array(json.utf8))
      }
      #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }
  }

  /// The five ways in which a model is brought in step: nothing, terminators that are missing, one that
  /// is too many, an empty model, terminators inside.
  private static let models: [(String, String, [String])] = [
    (#"["a\n","b"]"#, "a\nb", []),
    (
      #"["a",{"text":"b","attributes":{"x":1}},"c"]"#, "a\nb\nc",
      ["paragraph 1: an LF was added at the end", "paragraph 2: an LF was added at the end"]
    ),
    (
      #"["a\r\n","b\r\n"]"#, "a\r\nb",
      ["paragraph 2, the last: its terminator was removed"]
    ),
    ("[]", "", ["the list is empty: it is read as one empty paragraph"]),
    (
      #"["a\nb\r","\nc"]"#, "a\nb\r\nc",
      [
        "paragraph 1 has terminators inside: it is 2 paragraphs now",
        "paragraph 2 began with the LF of the CR before it: the two are one terminator",
      ]
    ),
  ]

  @Test(arguments: models.indices)
  func aModelIsRepairedAndSaid(index: Int) throws {
    let (json, text, repairs) = Self.models[index]
    let repaired = try ParagraphList(Array(json.utf8)).repairedText()
    #expect(repaired.text.text == UTF16Text(text))
    #expect(repaired.repairs == repairs)
  }

  @Test func attributesStayWithTheirParagraph() throws {
    let json = #"""
      [{"text":"ab","attributes":{"x":1}},"c",
       {"text":"de\n","attributeRuns":[{"length":1,"attributes":{"y":true}},{"length":2,"attributes":{}}]}]
      """#
    let text = try ParagraphList(Array(json.utf8)).repaired().text
    #expect(text.text == "ab\nc\nde")
    #expect(text.runs.map(\.length) == [3, 2, 1, 1])
    #expect(text.runs.map(\.attributes.count) == [1, 0, 1, 0])
    for json in ["{}", "[1]", #"[{"text":"a","attributes":{},"attributeRuns":[]}]"#, "[{}]"] {
      #expect(throws: InterchangeError.self) { try ParagraphList(Array(json.utf8)) }
    }
  }

  /// The text of a repaired list has its paragraphs, with the attributes of the units that stayed.
  @Test(arguments: seeds(200))
  func arbitraryListsAreRepaired(seed: UInt64) throws {
    var generator = AttributedGenerator(seed: seed)
    let list = ParagraphList((0..<Int(seed % 6)).map { _ in generator.anything() })
    let (text, repair) = try list.repaired()
    #expect(text.text == repair.text, "seed \(seed)")
    var state = TextState()
    for action in text.loadingActions() { try state.apply(action) }
    #expect(
      state.paragraphs.map { state.text(in: $0.range) } == repair.paragraphs, "seed \(seed)")
  }
}
