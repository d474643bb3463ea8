import EditModel
import Projections
import TestSupport
import Testing
import TextState

/// Writes down its calls in a list that several stages and projections share.
private final class Calls: @unchecked Sendable {
  var lines: [String] = []
}

private struct RecordingStage: EditStage {
  let name: String
  let calls: Calls
  var fixed = StageResult()
  var did = StageResult()

  mutating func willEdit(_ edit: Edit, to state: TextState) {
    calls.lines.append("\(name) will \(edit.sequence) at \(state.sequence)")
  }
  mutating func fixAttributes(
    of paragraphs: Range<Int>, in state: TextState, after edit: StagedEdit?
  ) -> StageResult {
    calls.lines.append("\(name) fix \(paragraphs) at \(state.sequence), bold \(isBold(state))")
    return edit == nil ? StageResult() : fixed
  }
  mutating func didEdit(_ edit: StagedEdit, in state: TextState) -> StageResult {
    calls.lines.append("\(name) did \(edit.edit.sequence), invalid \(edit.invalidatedRange)")
    return did
  }
}

private struct RecordingReader: Projection {
  static let version: UInt32 = 1
  let calls: Calls
  var last: StagedEdit?

  mutating func willApply(_ edit: Edit, to state: TextState) {
    calls.lines.append("reader will \(edit.sequence)")
  }
  mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {}
  mutating func apply(_ edit: StagedEdit, _ state: TextState) {
    calls.lines.append("reader did \(edit.edit.sequence), bold \(isBold(state))")
    last = edit
  }
}

private func isBold(_ state: TextState) -> Bool {
  state.attributeRuns.contains { $0.attributes["bold"] != nil }
}

private func format(_ lower: Int, _ upper: Int, _ name: String) throws -> EditAction {
  let run = AttributeRun(length: upper - lower, attributes: [name: .bool(true)])
  return try EditAction(
    range: UTF16Range(lower..<upper), replacement: nil, attributes: .merge([run]))
}

/// Headings of Markdown.
private let headings = ParagraphStyling(names: ["level"]) { paragraph, state in
  let text = state.text(in: paragraph.range).units
  let level = text.prefix { $0 == 0x23 }.count
  return level > 0 ? ["level": .integer(Int64(level))] : [:]
}

@Suite struct EditStageTests {
  @Test func stagesRunInOrderAndSeeWhatEarlierOnesMade() throws {
    let calls = Calls()
    let first = RecordingStage(
      name: "a", calls: calls, fixed: StageResult(actions: [try format(0, 2, "bold")]))
    let second = RecordingStage(
      name: "b", calls: calls, did: StageResult(invalidated: UTF16Range(1..<5)))
    var runner = try ProjectionRunner([RecordingReader(calls: calls)], stages: [first, second])
    try runner.apply(Edit(sequence: 1, action: replace(0, 0, "ab\ncd")))
    #expect(
      calls.lines == [
        "a fix 0..<1 at 0, bold false", "b fix 0..<1 at 0, bold false",
        "a will 1 at 0", "b will 1 at 0",
        "a fix 0..<2 at 1, bold false", "b fix 0..<2 at 1, bold true",
        "a did 1, invalid {0, 5}", "b did 1, invalid {0, 5}",
        "reader will 1", "reader did 1, bold true",
      ])
    let last = try #require(runner[RecordingReader.self]?.last)
    #expect(last.widenings.map(\.stage) == [0, 1])
    #expect(last.widenings.map(\.phase) == [.fixAttributes, .didEdit])
    #expect(last.widenings.map(\.range) == [UTF16Range(0..<2), UTF16Range(1..<5)])
    #expect(runner.state.sequence == 1)
  }

  @Test func aStageThatReplacesTextIsRefused() throws {
    let calls = Calls()
    let stage = RecordingStage(
      name: "a", calls: calls, did: StageResult(actions: [replace(0, 1, "x")]))
    var runner = try ProjectionRunner(
      [UndoHistory(), RecordingReader(calls: calls)], stages: [headings, stage])
    #expect(throws: ProjectionError.stageReplacedText(stage: 1, sequence: 1)) {
      try runner.apply(Edit(sequence: 1, action: replace(0, 0, "# a")))
    }
    #expect(runner.state == TextState())
    #expect(runner[UndoHistory.self]?.tree.steps.isEmpty == true)
    #expect(!calls.lines.contains { $0.hasPrefix("reader") })
  }

  @Test func aResultOutsideTheTextIsRefused() throws {
    let calls = Calls()
    for result in [
      StageResult(actions: [try format(1, 9, "bold")]), StageResult(invalidated: UTF16Range(0..<9)),
    ] {
      let stage = RecordingStage(name: "a", calls: calls, fixed: result)
      var runner = try ProjectionRunner([], stages: [stage])
      #expect {
        try runner.apply(Edit(sequence: 1, action: replace(0, 0, "abc")))
      } throws: { error in
        guard case .stageRefused(0, 1, .rangeOutsideText)? = error as? ProjectionError else {
          return false
        }
        return true
      }
      #expect(runner.state == TextState())
    }
  }

  /// The edit has one unit, the style has the paragraph: readers get both.
  @Test func aStyleWidensTheEditToItsParagraph() throws {
    let calls = Calls()
    var runner = try ProjectionRunner([RecordingReader(calls: calls)], stages: [headings])
    try runner.apply(Edit(sequence: 1, action: replace(0, 0, "one\ntwo\nthree")))
    #expect(runner[RecordingReader.self]?.last?.widenings == [])

    try runner.apply(Edit(sequence: 2, action: replace(4, 0, "#")))
    let last = try #require(runner[RecordingReader.self]?.last)
    #expect(last.change.editedRange == UTF16Range(4..<5))
    #expect(last.invalidatedRange == UTF16Range(4..<9))
    #expect(runner.state.attributeRuns.map(\.length) == [4, 5, 5])

    // A unit that inherits the style changes no other.
    try runner.apply(Edit(sequence: 3, action: replace(6, 0, "x")))
    #expect(runner[RecordingReader.self]?.last?.invalidatedRange == UTF16Range(6..<7))
    try runner.apply(Edit(sequence: 4, action: replace(4, 1, "")))
    #expect(runner.state.attributeRuns.map(\.length) == [14])
  }

  @Test func middleParagraphsAreStyledAndOtherAttributesStay() throws {
    var runner = try ProjectionRunner([], stages: [headings])
    try runner.apply(Edit(sequence: 1, action: replace(0, 0, "# a\n# b\n# c")))
    try runner.apply(Edit(sequence: 2, action: try format(0, 11, "bold")))
    #expect(
      runner.state.attributeRuns
        == [AttributeRun(length: 11, attributes: ["bold": .bool(true), "level": .integer(1)])])
  }

  /// The attributes after many edits are those of the rule on each paragraph of the log's version,
  /// and a runner that starts in the middle has them too.
  @Test(arguments: [1, 2, 3] as [UInt64]) func stylesEqualTheRuleOnEveryParagraph(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    var log = TextState()
    var runner = try ProjectionRunner([ParagraphModels()], stages: [headings])
    for sequence in 1...400 as ClosedRange<UInt64> {
      let texts: [UTF16Text] = ["a", "#", "\n", "# b\n", "c\r\n## d", "", "\u{2029}", "\r"]
      let range = random.range(in: log.length)
      let edit = Edit(
        sequence: sequence,
        action: EditAction(replacing: range, with: random.pick(texts)))
      try log.apply(edit.action)
      try runner.apply(edit)
      #expect(runner.state.text == log.text)
      #expect(Array(runner.state.paragraphs) == Array(log.paragraphs))
      guard sequence % 20 == 0 else { continue }
      for paragraph in log.paragraphs where paragraph.range.length > 0 {
        let level = log.text(in: paragraph.range).units.prefix { $0 == 0x23 }.count
        let wanted: AttributeSet = level > 0 ? ["level": .integer(Int64(level))] : [:]
        let runs = runner.state.attributeRuns(in: paragraph.range)
        #expect(
          runs == [AttributeRun(length: paragraph.range.length, attributes: wanted)],
          "seed \(seed), edit \(sequence)")
      }
      let fresh = try ProjectionRunner(from: log, [], stages: [headings])
      #expect(fresh.state == runner.state, "seed \(seed), edit \(sequence)")
    }
  }

  /// Typing in one paragraph of many runs the stages on that paragraph.
  @Test func anEditRunsStagesOnItsParagraphOnly() throws {
    let calls = Calls()
    var runner = try ProjectionRunner(
      [], stages: [RecordingStage(name: "a", calls: calls)])
    let text = UTF16Text(String(repeating: "line\n", count: 1000))
    try runner.apply(Edit(sequence: 1, action: replace(0, 0, text)))
    calls.lines = []
    try runner.apply(Edit(sequence: 2, action: replace(2502, 0, "x")))
    #expect(calls.lines.contains("a fix 500..<501 at 2, bold false"))
  }
}
