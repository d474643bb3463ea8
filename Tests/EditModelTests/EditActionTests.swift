import EditModel
import Testing

@Suite struct EditActionTests {
  private static func run(_ length: Int) -> AttributeRun {
    AttributeRun(length: length, attributes: ["bold": .bool(true)])
  }

  private func range(_ location: Int, _ length: Int) throws -> UTF16Range {
    try #require(UTF16Range(location: location, length: length))
  }

  /// Which replacements are allowed: nil if the action is valid, otherwise why it is not.
  @Test(
    arguments: [
      (0, nil, AttributeChange.inherit, EditError.noAction),
      (0, "", .inherit, nil), (3, "", .inherit, nil), (0, "abc", .inherit, nil),
      (3, nil, .set([run(3)]), nil), (3, nil, .set([run(1), run(2)]), nil),
      (3, nil, .set([run(2)]), .runsDoNotCover(length: 3, covered: 2)),
      (3, nil, .merge([run(4)]), .runsDoNotCover(length: 3, covered: 4)),
      (3, "ab", .merge([run(2)]), nil),
      (3, "ab", .merge([run(3)]), .runsDoNotCover(length: 2, covered: 3)),
      (3, nil, .set([run(3), run(0)]), .runsDoNotCover(length: 3, covered: 3)),
      (3, nil, .set([run(4), run(-1)]), .runsDoNotCover(length: 3, covered: 4)),
      (3, nil, .set([run(.max), run(.max)]), .runsDoNotCover(length: 3, covered: .max)),
      (3, nil, .set([]), .runsDoNotCover(length: 3, covered: 0)),
      (0, nil, .set([]), nil), (3, nil, .remove(["bold"]), nil), (0, nil, .remove([]), nil),
    ] as [(Int, String?, AttributeChange, EditError?)])
  func actionsAreWellFormed(
    length: Int, text: String?, change: AttributeChange, refusal: EditError?
  ) throws {
    let range = try range(5, length)
    let replacement = text.map { UTF16Text($0) }
    do {
      let action = try EditAction(range: range, replacement: replacement, attributes: change)
      #expect(refusal == nil)
      #expect(action.actions.contains(.characters) == (text != nil))
      #expect(action.actions.contains(.attributes) == (change != .inherit))
      #expect(action.editedRange.location == 5)
      #expect(action.changeInLength == action.newLength - length)
    } catch {
      #expect(error == refusal)
    }
  }

  @Test(arguments: [
    (0, 0, 0, true), (0, 1, 0, false), (1, 0, 0, false), (2, 3, 5, true), (2, 4, 5, false),
    (.max, 0, 5, false), (0, .max, 5, false),
  ])
  func rangesFitTheText(location: Int, length: Int, textLength: Int, fits: Bool) throws {
    let action = EditAction(replacing: try range(location, length), with: "")
    let refusal = EditError.rangeOutsideText(range: action.range, textLength: textLength)
    do {
      try action.validate(textLength: textLength)
      #expect(fits)
    } catch {
      #expect(!fits && error == refusal)
    }
  }

  @Test func textsDoNotGrowWithoutBound() throws {
    let action = EditAction(replacing: try range(0, 1), with: "ab")
    try action.validate(textLength: EditAction.textLengthMax - 1)
    #expect(
      throws: EditError.textTooLong(changeInLength: 1, textLength: EditAction.textLengthMax)
    ) {
      try action.validate(textLength: EditAction.textLengthMax)
    }
  }

  @Test(arguments: [(-1, 0), (0, -1), (.max, 1), (1, .max), (.min, .min)])
  func impossibleRangesDoNotExist(location: Int, length: Int) {
    #expect(UTF16Range(location: location, length: length) == nil)
  }

  @Test func namesOfActions() {
    #expect(EditActions([.attributes, .characters]).description == "characters+attributes")
    #expect(EditActions.attributes.rawValue == 1 && EditActions.characters.rawValue == 2)
  }
}
