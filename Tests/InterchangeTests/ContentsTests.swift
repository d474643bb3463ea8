import EditModel
import Interchange
import TestSupport
import Testing
import TextState

/// Attachments as one character each in the text: the facts of a list of contents.
@Suite struct ContentsTests {
  private func attachment(_ number: Int64) -> AttributeSet {
    ["attachment": .map(["digest": .string("d\(number)"), "columns": .integer(number)])]
  }

  /// A text of nine contents: five texts, and four attachments between them.
  private func nine() throws -> TextState {
    var state = TextState()
    for number in 0..<9 {
      let isText = number % 2 == 0
      let text = isText ? UTF16Text("text\(number)\n") : Self.object
      try insert(
        text, isText ? .empty : attachment(Int64(number)), at: state.length, into: &state)
    }
    return state
  }

  private func insert(
    _ text: UTF16Text, _ attributes: AttributeSet, at place: Int, into state: inout TextState
  ) throws {
    try state.apply(
      EditAction(
        range: UTF16Range(place..<place), replacement: text,
        attributes: .set([AttributeRun(length: text.count, attributes: attributes)])))
  }

  private func contents(_ state: TextState) throws -> [AttributedText.Content] {
    try AttributedText(state.text, runs: state.attributeRuns).contents
  }

  /// The digests of the attachments, in order.
  private func digests(_ state: TextState) throws -> [String] {
    try contents(state).compactMap {
      guard case .attachment(_, .map(let map)?) = $0, case .string(let digest)? = map["digest"]
      else { return nil }
      return digest
    }
  }

  private static let object = UTF16Text(units: [0xFFFC])

  @Test func anAttachmentInsideATextSplitsIt() throws {
    var state = try nine()
    #expect(try contents(state).count == 9)
    let text = state.text.units.filter { $0 != 0xFFFC }
    // Inside a text: two more. Where a text begins: one more.
    try insert(Self.object, attachment(50), at: 2, into: &state)
    #expect(try contents(state).count == 11)
    var other = try nine()
    try insert(Self.object, attachment(50), at: 0, into: &other)
    #expect(try contents(other).count == 10)
    for state in [state, other] {
      #expect(state.text.units.filter { $0 != 0xFFFC } == text)
      #expect(try digests(state) == ["d50", "d1", "d3", "d5", "d7"])
    }
    // Removed again, the two texts are one.
    try state.apply(EditAction(replacing: UTF16Range(2..<3), with: UTF16Text()))
    let before = try nine()
    #expect(state.text == before.text && state.attributeRuns == before.attributeRuns)
  }

  /// Return and its deletion at every place keep text and attachments; typed text beside an attachment
  /// does not become one.
  @Test func splitAndMergeKeepEverything() throws {
    let start = try nine()
    for place in 0...start.length {
      var state = start
      let newline = EditAction(replacing: UTF16Range(place..<place), with: "\n")
      try state.apply(newline)
      #expect(try digests(state) == digests(start), "at \(place)")
      #expect(state.paragraphCount == start.paragraphCount + 1)
      try state.apply(EditAction(replacing: UTF16Range(place..<place + 1), with: UTF16Text()))
      #expect(state.text == start.text && state.attributeRuns == start.attributeRuns)
    }
  }

  @Test(arguments: seeds(100))
  func contentsAreTheText(seed: UInt64) throws {
    var generator = AttributedGenerator(seed: seed)
    var text = AttributedText()
    for number in 0..<3 {
      text.append(generator.anything())
      text.append(CollectionOfOne(0xFFFC), attachment(Int64(number)))
    }
    var place = 0
    for content in text.contents {
      switch content {
      case .text(let range):
        #expect(range.location == place && range.length > 0)
        place = range.upperBound
      case .attachment(let offset, _):
        #expect(offset == place && text.text.units[offset] == 0xFFFC)
        place += 1
      }
    }
    #expect(place == text.count, "seed \(seed)")
  }
}
