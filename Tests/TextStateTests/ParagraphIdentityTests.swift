import EditModel
import TestSupport
import Testing

@testable import TextState

@Suite struct ParagraphIdentityTests {
  @Test(arguments: IdentityCase.reference + IdentityCase.keystrokes + IdentityCase.terminators)
  func `keeps identities with content`(testCase: IdentityCase) throws {
    var state = TextState()
    var oracle = OracleState()
    var known = state.paragraphs.map(\.id)
    func apply(_ action: EditAction) throws -> Change {
      let change = try state.apply(action)
      // Holds the slow state to the tables as well.
      #expect(oracle.apply(action) == Array(change.paragraphEvents))
      known += state.paragraphs.map(\.id).filter { !known.contains($0) }.sorted()
      return change
    }
    for step in testCase.steps {
      _ = try apply(replacement(step.location, step.length, step.text))
    }
    let (location, length, text) = testCase.edit
    let action =
      try text.map { replacement(location, length, $0) }
      ?? EditAction(
        range: UTF16Range(location..<location + length), replacement: nil,
        attributes: .merge([AttributeRun(length: length, attributes: ["color": .string("blue")])]))
    let change = try apply(action)

    func name(_ id: ParagraphID) -> String { known.firstIndex(of: id).map { "p\($0)" } ?? "?" }
    #expect(state.paragraphs.map { name($0.id) }.joined(separator: " ") == testCase.ids)
    #expect(state.text == UTF16Text(testCase.text))
    #expect(
      change.paragraphEvents.map { show($0, name) }.joined(separator: ", ") == testCase.events)
    #expect(state.invariantViolation() == nil)
  }

  private func replacement(_ location: Int, _ length: Int, _ text: String) -> EditAction {
    EditAction(replacing: UTF16Range(location..<location + length), with: UTF16Text(text))
  }

  private func show(_ event: ParagraphEvent, _ name: (ParagraphID) -> String) -> String {
    switch event {
    case .removed(let index, let descriptor, _):
      "removed \(index) \(name(descriptor.id))"
    case .inserted(let index, let descriptor, _):
      "inserted \(index) \(name(descriptor.id)) \(descriptor.range.length)"
    case .edited(let index, let descriptor, _):
      "edited \(index) \(name(descriptor.id)) \(descriptor.range.length)"
    case .attributesChanged(let index, let descriptor, let range):
      "restyled \(index) \(name(descriptor.id)) \(range.location) \(range.length)"
    }
  }

  @Test func `a fresh state has one empty paragraph`() {
    let state = TextState()
    #expect(state.sequence == 0 && state.length == 0 && state.lineCount == 1)
    let first = ParagraphDescriptor(
      id: ParagraphID(sequence: 0, ordinal: 0), range: UTF16Range(0..<0))
    #expect(Array(state.paragraphs) == [first])
    #expect(state.paragraph(at: 0) == first && state.paragraphIndex(at: 0) == 0)
    #expect(state.attributeRuns.isEmpty && state.lineRange(0) == UTF16Range(0..<0))
    #expect(state.invariantViolation() == nil)
  }

  @Test func `identifiers come from the edit that made them`() throws {
    var state = TextState()
    try state.apply(replacement(0, 0, "a\nb"))
    try state.apply(replacement(1, 0, "x\ny\nz"))
    #expect(state.paragraphs.map(\.id.description) == ["0.0", "2.0", "2.1", "1.0"])
  }

  /// Where text came from and where it went.
  @Test func `tells lineage`() throws {
    var state = TextState()
    try state.apply(replacement(0, 0, "alpha\nbeta\ngamma"))
    let first = ParagraphID(sequence: 0, ordinal: 0)
    let split = try state.apply(replacement(2, 0, "\nnew\n"))
    #expect(split.paragraphEvents.map(lineage) == ["edited", "2.0 from nil", "2.1 from 0.0"])
    let merge = try state.apply(replacement(1, 7, ""))
    #expect(merge.paragraphEvents.map(lineage) == ["2.1 into 0.0", "2.0 into nil", "edited"])
    #expect(state.paragraph(first)?.descriptor.range == UTF16Range(0..<4))
  }

  private func lineage(_ event: ParagraphEvent) -> String {
    switch event {
    case .removed(_, let descriptor, let target):
      "\(descriptor.id) into \(target.map(String.init) ?? "nil")"
    case .inserted(_, let descriptor, let source):
      "\(descriptor.id) from \(source.map(String.init) ?? "nil")"
    case .edited: "edited"
    case .attributesChanged: "restyled"
    }
  }

  @Test func `a large deletion removes all but the ends`() throws {
    let count = 20_000
    var state = TextState()
    try state.apply(replacement(0, 0, String(repeating: "line\r\n", count: count)))
    let change = try state.apply(
      replacement(2, state.length - 2, ""), capturingRemoved: true)
    #expect(change.paragraphEvents.count == count + 1)
    #expect(state.text == "li" && state.paragraphCount == 1 && state.lineCount == 1)
    try state.apply(try #require(change.inverse))
    #expect(state.paragraphCount == count + 1 && state.lineCount == count + 1)
    #expect(state.invariantViolation() == nil)
  }
}
