import EditModel
import Interchange
import TestSupport
import Testing
import TextState

@Suite struct AttributedTextTests {
  private let bold: AttributeSet = ["bold": .bool(true)]

  @Test func equalNeighboursAreJoined() throws {
    let runs = [bold, bold, .empty].map { AttributeRun(length: 1, attributes: $0) }
    let text = try AttributedText("abc", runs: runs)
    #expect(
      text.runs == [
        AttributeRun(length: 2, attributes: bold), AttributeRun(length: 1, attributes: .empty),
      ])
    #expect(throws: EditError.self) { try AttributedText("ab", runs: runs) }
  }

  @Test func unitsAreRemovedFromTheEnd() {
    var text = AttributedText("ab", bold)
    text.append(AttributedText("cd"))
    text.removeLast(3)
    #expect(text == AttributedText("a", bold))
    text.removeLast(9)
    #expect(text == AttributedText())
  }

  /// The actions make the state that has the text, whatever their size; no pair is cut.
  @Test(arguments: seeds(100))
  func loadingMakesTheState(seed: UInt64) throws {
    var generator = AttributedGenerator(seed: seed)
    let text = generator.anything()
    for lengthMax in [2, 3, 7, 1 << 20] {
      var state = TextState()
      for action in text.loadingActions(lengthMax: lengthMax) {
        #expect(action.newLength <= lengthMax, "seed \(seed)")
        #expect(action.newLength > 0 || text.count == 0, "seed \(seed)")
        try state.apply(action)
        let units = state.text.units
        let isEnd = units.count == text.count
        let next = isEnd ? nil : text.text.units[units.count]
        let isCut =
          units.last == 0x0D && next == 0x0A
          || UTF16.isLeadSurrogate(units.last ?? 0) && UTF16.isTrailSurrogate(next ?? 0)
        #expect(!isCut, "seed \(seed)")
      }
      #expect(state.text == text.text && state.attributeRuns == text.runs, "seed \(seed)")
    }
  }
}
