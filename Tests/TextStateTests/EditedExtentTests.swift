import EditModel
import TestSupport
import Testing
import TextState

@Suite struct EditedExtentTests {
  private func replace(_ location: Int, _ length: Int, _ text: UTF16Text) -> EditAction {
    EditAction(replacing: UTF16Range(location..<location + length), with: text)
  }

  private func embolden(_ range: Range<Int>) throws -> EditAction {
    let run = AttributeRun(length: range.count, attributes: ["bold": .bool(true)])
    return try EditAction(range: UTF16Range(range), replacement: nil, attributes: .merge([run]))
  }

  @Test func `one edit is its own extent`() {
    let extent = EditedExtent(replace(0, 3, "Several"))
    #expect(extent.actions == .characters && extent.changeInLength == 4)
    #expect(extent.editedRange == UTF16Range(0..<7) && extent.range == UTF16Range(0..<3))
  }

  /// In the text alpha, beta, gamma, each on a line.
  @Test func `two insertions cover what lies between them`() {
    var extent = EditedExtent(replace(0, 0, "x"))
    extent.append(replace(7, 0, "1\n2"))
    #expect(extent.editedRange == UTF16Range(0..<10) && extent.changeInLength == 4)
    #expect(extent.range == UTF16Range(0..<6) && extent.actions == .characters)
  }

  @Test func `kinds are united, and attributes make no text longer`() throws {
    var extent = EditedExtent(try embolden(4..<6))
    #expect(extent.actions == .attributes && extent.changeInLength == 0)
    extent.append(try embolden(2..<3))
    #expect(extent.editedRange == UTF16Range(2..<6))
    extent.append(replace(10, 2, ""))
    #expect(extent.actions == [.characters, .attributes] && extent.changeInLength == -2)
    #expect(extent.editedRange == UTF16Range(2..<10) && extent.range == UTF16Range(2..<12))
  }

  @Test func `an edit inside the extent stretches it`() {
    var extent = EditedExtent(replace(3, 0, "abc"))
    extent.append(replace(4, 1, "12"))
    #expect(extent.editedRange == UTF16Range(3..<7) && extent.range == UTF16Range(3..<3))
    extent.append(replace(3, 4, ""))
    #expect(extent.editedRange == UTF16Range(3..<3) && extent.changeInLength == 0)
  }

  /// The extent ends where the units begin that no edit reached, counted from the end.
  @Test(arguments: UInt64(0)..<40)
  func `holds what was touched and nothing outside`(seed: UInt64) throws {
    var (generator, state) = (EditGenerator(seed: seed), TextState())
    try state.apply(replace(0, 0, generator.text(longAsWell: true)))
    let old = state.text.units
    var (before, after, extent, other) = (Int.max, Int.max, EditedExtent?.none, EditedExtent?.none)
    for _ in 0..<8 {
      let action = generator.action(length: state.length)
      guard action.range.upperBound <= state.length else { continue }
      before = min(before, action.range.location)
      after = min(after, state.length - action.range.upperBound)
      let change = try state.apply(action)
      if extent?.append(action) == nil { extent = EditedExtent(action) }
      if other?.append(change) == nil { other = EditedExtent(change) }

      let (extent, new) = (try #require(extent), state.text.units)
      #expect(extent == other)
      #expect(extent.editedRange.bounds == before..<new.count - after)
      #expect(extent.range.bounds == before..<old.count - after)
      #expect(extent.changeInLength == new.count - old.count)
      #expect(new[..<before] == old[..<before])
      #expect(new.suffix(after) == old.suffix(after))
    }
  }
}
