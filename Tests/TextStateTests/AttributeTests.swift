import EditModel
import Testing

@testable import TextState

@Suite struct AttributeTests {
  private let bold: AttributeSet = ["bold": .bool(true)]
  private let red: AttributeSet = ["color": .string("red")]

  /// `abc`: a bold, b plain, c red.
  private func styled() throws -> TextState {
    var state = TextState()
    let runs = [bold, .empty, red].map { AttributeRun(length: 1, attributes: $0) }
    try state.apply(
      EditAction(range: UTF16Range(0..<0), replacement: "abc", attributes: .set(runs)))
    return state
  }

  private func show(_ state: TextState) -> String {
    state.attributeRuns.map { run in
      "\(run.length)" + run.attributes.map { $0.name.prefix(1) }.joined()
    }.joined(separator: " ")
  }

  @Test(arguments: [
    (0..<0, "x", "2b 1 1c"), (1..<1, "x", "2b 1 1c"), (2..<2, "x", "1b 2 1c"),
    (3..<3, "x", "1b 1 2c"), (0..<2, "xyz", "3b 1c"), (1..<3, "xyz", "1b 3"),
    (2..<3, "x\ny", "1b 1 3c"), (1..<2, "", "1b 1c"), (0..<3, "", ""),
  ]) func `new text inherits`(range: Range<Int>, text: String, expected: String) throws {
    var state = try styled()
    try state.apply(EditAction(replacing: UTF16Range(range), with: UTF16Text(text)))
    #expect(show(state) == expected)
    #expect(state.invariantViolation() == nil)
  }

  @Test func `an emptied text forgets its attributes`() throws {
    var state = try styled()
    try state.apply(EditAction(replacing: UTF16Range(0..<3), with: ""))
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: "x"))
    #expect(show(state) == "1")
  }

  @Test(arguments: [
    (AttributeChange.set([AttributeRun(length: 3, attributes: ["size": .integer(1)])]), "3s"),
    (.merge([AttributeRun(length: 3, attributes: ["size": .integer(1)])]), "1bs 1s 1cs"),
    (.merge([AttributeRun(length: 3, attributes: .empty)]), "1b 1 1c"),
    (.remove(["bold"]), "2 1c"), (.remove(["bold", "color", "size"]), "3"),
  ]) func `formatting touches the range`(change: AttributeChange, expected: String) throws {
    var state = try styled()
    try state.apply(
      EditAction(range: UTF16Range(0..<3), replacement: nil, attributes: change))
    #expect(show(state) == expected)
    #expect(state.text == "abc" && state.invariantViolation() == nil)
  }

  @Test func `tells what changed, and nothing where nothing did`() throws {
    var state = TextState()
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: "one\ntwo\nthree\n"))
    func format(_ range: Range<Int>, _ set: AttributeSet) throws -> [String] {
      let runs = range.isEmpty ? [] : [AttributeRun(length: range.count, attributes: set)]
      let action = try EditAction(
        range: UTF16Range(range), replacement: nil, attributes: .set(runs))
      return try state.apply(action).paragraphEvents.map {
        guard case .attributesChanged(let index, _, let range) = $0 else { return "\($0)" }
        return "\(index) \(range)"
      }
    }
    #expect(try format(1..<6, bold) == ["0 {1, 3}", "1 {4, 2}"])
    #expect(try format(1..<6, bold) == [])
    #expect(try format(0..<10, bold) == ["0 {0, 1}", "1 {6, 2}", "2 {8, 2}"])
    #expect(try format(0..<14, bold) == ["2 {10, 4}"])
    #expect(try format(14..<14, bold) == [])
    #expect(try format(4..<8, red) == ["1 {4, 4}"])
  }

  /// Characters replaced by the same ones in other attributes: only the attributes changed.
  @Test func `the same text restyled is no edit`() throws {
    var state = try styled()
    let runs = [AttributeRun(length: 3, attributes: bold)]
    let change = try state.apply(
      EditAction(range: UTF16Range(0..<3), replacement: "abc", attributes: .set(runs)))
    #expect(
      Array(change.paragraphEvents) == [
        .attributesChanged(index: 0, descriptor: state.paragraph(at: 0), range: UTF16Range(1..<3))
      ])
  }

  @Test func `sets that no run carries are forgotten`() throws {
    var state = TextState()
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: "abc"))
    for number in 0..<2000 {
      let runs = [AttributeRun(length: 2, attributes: ["n": .integer(Int64(number))])]
      try state.apply(
        EditAction(range: UTF16Range(1..<3), replacement: nil, attributes: .set(runs)))
    }
    #expect(state.core.table.count < 100)
    #expect(state.attributes(at: 2).attributes["n"] == .integer(1999))
    #expect(state.attributes(at: 0).attributes.isEmpty)
    #expect(state.invariantViolation() == nil)
  }

  /// One character in two spellings names two attributes, and runs that carry them differ.
  @Test func `names are compared by bytes`() throws {
    let (composed, decomposed) = ("é", "e\u{301}")
    var state = TextState()
    let runs = [composed, decomposed].map {
      AttributeRun(length: 1, attributes: [$0: .bool(true)])
    }
    try state.apply(
      EditAction(range: UTF16Range(0..<0), replacement: "ab", attributes: .set(runs)))
    #expect(state.attributeRuns.map(bytes) == [[bytes(composed)], [bytes(decomposed)]])
    try state.apply(
      EditAction(
        range: UTF16Range(0..<2), replacement: nil,
        attributes: .merge([AttributeRun(length: 2, attributes: [decomposed: .bool(true)])])))
    #expect(
      state.attributeRuns.map(bytes) == [
        [bytes(decomposed), bytes(composed)], [bytes(decomposed)],
      ])
    try state.apply(
      EditAction(
        range: UTF16Range(0..<2), replacement: nil, attributes: .remove([decomposed])))
    #expect(state.attributeRuns.map(bytes) == [[bytes(composed)], []])
    #expect(state.invariantViolation() == nil)
  }

  @Test func `every NaN is one value`() throws {
    var state = TextState()
    let runs = [Double.nan, -.nan, Double(nan: 7, signaling: false)].map {
      AttributeRun(length: 1, attributes: ["size": .double($0)])
    }
    try state.apply(
      EditAction(range: UTF16Range(0..<0), replacement: "abc", attributes: .set(runs)))
    #expect(show(state) == "3s")
  }

  private func bytes(_ name: String) -> [UInt8] { Array(name.utf8) }
  private func bytes(_ run: AttributeRun) -> [[UInt8]] { run.attributes.map { bytes($0.name) } }
}
