import EditModel
import TestSupport
import Testing

@testable import TextState

@Suite struct LinePositionTests {
  @Test(arguments: UInt64(0)..<40) func `positions and offsets`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed)
    let limits = [TreeLimits(leafCountMax: 2, childCountMax: 4), nil][Int(seed % 2)]
    var state = TextState(limits: limits)
    for _ in 0..<30 {
      _ = try? state.apply(generator.action(length: state.length))
      let units = state.text.units
      var position = LinePosition(line: 0, column: 0)
      for offset in 0...units.count {
        #expect(state.position(at: offset) == position && state.offset(of: position) == offset)
        let isLineEnd = offset < units.count && units[offset] == 0x0A
        if isLineEnd || offset == units.count {
          let content = UTF16Range(offset - position.column..<offset)
          #expect(state.lineContentRange(position.line) == content)
          for column in [position.column + 1, .max] {
            #expect(state.offset(of: LinePosition(line: position.line, column: column)) == offset)
          }
          #expect(
            state.offset(of: LinePosition(line: position.line, column: -1)) == content.location)
        }
        position =
          isLineEnd
          ? LinePosition(line: position.line + 1, column: 0)
          : LinePosition(line: position.line, column: position.column + 1)
      }
    }
  }

  @Test(arguments: [
    (0, 0, 0), (0, 3, 3), (0, 4, 3), (1, 0, 4), (1, 2, 6), (1, 9, 6), (2, 0, 7), (2, 5, 7),
    (3, 0, 7),
    (.max, .max, 7), (-1, 2, 2), (.min, .min, 0), (1, -5, 4),
  ]) func `what lies outside is clamped`(line: Int, column: Int, offset: Int) throws {
    var state = TextState()
    // The CR of a CR LF is content, as only LF ends a line.
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: "a\rb\nc\r\n"))
    #expect(state.offset(of: LinePosition(line: line, column: column)) == offset)
  }

  @Test func `positions are in the order of the text`() {
    let position = LinePosition(line: 1, column: 5)
    #expect(LinePosition(line: 0, column: 9) < position)
    #expect(LinePosition(line: 1, column: 4) < position && !(position < position))
  }
}
