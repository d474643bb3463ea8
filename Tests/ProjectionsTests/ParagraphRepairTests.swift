import EditModel
import Projections
import TestSupport
import Testing
import TextState

@Suite struct ParagraphRepairTests {
  private typealias Correction = ParagraphRepair.Correction

  private static let cases: [([String], [String], [Correction])] = [
    (
      ["a", "b", "c"], ["a\n", "b\n", "c"],
      [.terminatorAdded(index: 0), .terminatorAdded(index: 1)]
    ),
    (["a\n", "b"], ["a\n", "b"], []),
    (["a\n", "b\n"], ["a\n", "b"], [.terminatorRemoved(index: 1)]),
    (["a\r\n", "b\r\n"], ["a\r\n", "b"], [.terminatorRemoved(index: 1)]),
    (["a\n", ""], ["a\n", ""], []),
    (["a\n"], ["a"], [.terminatorRemoved(index: 0)]),
    ([""], [""], []),
    ([], [""], [.emptyAdded]),
    (["", ""], ["\n", ""], [.terminatorAdded(index: 0)]),
    (
      ["a\nb", "c"], ["a\n", "b\n", "c"],
      [.terminatorAdded(index: 0), .divided(index: 0, count: 2)]
    ),
    (
      ["a", "b\n\n"], ["a\n", "b\n", ""],
      [
        .terminatorAdded(index: 0), .terminatorRemoved(index: 1), .divided(index: 1, count: 2),
      ]
    ),
    (["a\r", "\nb"], ["a\r\n", "b"], [.terminatorJoined(index: 1)]),
    (["a\u{2029}", "b\u{2028}"], ["a\u{2029}", "b\u{2028}"], []),
  ]

  @Test(arguments: cases.indices)
  func aModelIsRepaired(index: Int) throws {
    let (model, paragraphs, corrections) = Self.cases[index]
    let repair = try ParagraphRepair(model.map { UTF16Text($0) })
    #expect(repair.paragraphs.map { String($0) } == paragraphs)
    #expect(repair.corrections == corrections)
  }

  @Test func aParagraphSaysWhereItComesFrom() throws {
    let model: [UTF16Text] = ["a\r", "\n", "b\nc", "d\r", "\ne", ""]
    let repair = try ParagraphRepair(model)
    #expect(repair.paragraphs == ["a\r\n", "b\n", "c\n", "d\r\n", "e\n", ""])
    #expect(repair.sources == [0, 2, 2, 3, 4, 5])
    #expect(try ParagraphRepair([]).sources == [nil])
  }

  /// The repaired paragraphs are those of their text, and are repaired to themselves.
  @Test(arguments: seeds(60))
  func aRepairedModelIsThatOfItsText(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let model = (0..<Int.random(in: 0...6, using: &random)).map { _ in random.text(pieces: 0...3) }
    let repair = try ParagraphRepair(model)
    var state = TextState()
    try state.apply(replace(0, 0, repair.text))
    #expect(state.paragraphs.map { state.text(in: $0.range) } == repair.paragraphs)
    let again = try ParagraphRepair(repair.paragraphs)
    #expect(again.paragraphs == repair.paragraphs && again.corrections.isEmpty, "seed \(seed)")
    #expect(repair.corrections.isEmpty == (repair.paragraphs == model), "seed \(seed)")
    #expect(repair.sources.count == repair.paragraphs.count)
    if model.isEmpty { #expect(repair.sources == [nil]) }
    if repair.corrections.isEmpty { #expect(repair.sources == Array(model.indices)) }
    // A paragraph starts with what its source has there.
    let sources = repair.sources.compactMap(\.self)
    #expect(sources == sources.sorted(), "seed \(seed)")
    for (source, first) in zip(sources, repair.paragraphs) where !first.isEmpty {
      let isCorrected = repair.corrections.contains(.terminatorAdded(index: source))
      let units = model[source].units + (isCorrected ? [0x0A] : [])
      #expect(units.contains(first.units[0]), "seed \(seed)")
    }
  }
}
