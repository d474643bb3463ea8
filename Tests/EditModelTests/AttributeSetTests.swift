import EditModel
import TestSupport
import Testing

@Suite struct AttributeSetTests {
  private static let composed = "é"
  private static let decomposed = "e\u{301}"

  @Test func twoSpellingsAreTwoNames() {
    var set: AttributeSet = [Self.composed: .integer(1)]
    #expect(set[Self.decomposed] == nil)
    set[Self.decomposed] = .integer(2)
    #expect(set.count == 2)
    #expect(set[Self.composed] == .integer(1) && set[Self.decomposed] == .integer(2))
    #expect(set.map { Array($0.name.utf8) } == [Array("e\u{301}".utf8), Array("\u{E9}".utf8)])
    #expect(set.removing([Self.composed]) == [Self.decomposed: .integer(2)])
    #expect(set.merging([Self.composed: .integer(3)])[Self.decomposed] == .integer(2))
    set[Self.decomposed] = nil
    #expect(set == [Self.composed: .integer(1)] && set != [Self.decomposed: .integer(1)])
  }

  @Test func theLastOfEqualNamesWins() {
    let literal: AttributeSet = ["b": .integer(1), "a": .integer(2), "b": .integer(3)]
    #expect(literal == ["a": .integer(2), "b": .integer(3)])
    let ascending = AttributeSet([("a", .integer(1)), ("a", .integer(2)), ("b", .integer(3))])
    #expect(ascending == ["a": .integer(2), "b": .integer(3)])
    #expect(AttributeSet(literal.filter { $0.name == "b" }) == ["b": .integer(3)])
    let values: [String: AttributeValue] = ["b": .integer(3), "a": .integer(2)]
    #expect(AttributeSet(values) == literal)
    #expect(AttributeSet() == .empty && AttributeSet() == [:] && AttributeSet([:]).isEmpty)
  }

  /// Names as bytes in a dictionary: the slow, obvious set.
  @Test(arguments: UInt64(0)..<50) func doesWhatADictionaryOfBytesDoes(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let names = ["", "a", "A", "aa", "é", "e\u{301}", "e", "Å", "\u{212B}", "A\u{30A}", "日", "😀"]
    func name() -> String { names[Int.random(in: names.indices, using: &random)] }
    func pairs() -> [(name: String, value: AttributeValue)] {
      (0..<Int.random(in: 0...12, using: &random)).map { _ in
        (name(), .integer(Int64.random(in: 0...9, using: &random)))
      }
    }
    for _ in 0..<40 {
      let (left, right) = (pairs(), pairs())
      var set = AttributeSet(left)
      var oracle = Self.oracle(left)
      #expect(Self.bytes(set) == Self.bytes(oracle))
      for (name, value) in right {
        #expect(set[name] == oracle[Array(name.utf8)])
        let value = Int.random(in: 0..<3, using: &random) == 0 ? nil : value
        set[name] = value
        oracle[Array(name.utf8)] = value
      }
      #expect(Self.bytes(set) == Self.bytes(oracle))
      let merged = set.merging(AttributeSet(right))
      #expect(Self.bytes(merged) == Self.bytes(oracle.merging(Self.oracle(right)) { $1 }))
      let gone = right.map(\.name)
      #expect(
        Self.bytes(set.removing(gone))
          == Self.bytes(
            oracle.filter { entry in
              !gone.contains { Array($0.utf8) == entry.key }
            }))
      let again = AttributeSet(Array(set).shuffled(using: &random))
      #expect(again == set && again.hashValue == set.hashValue)
    }
  }

  private static func oracle(
    _ pairs: [(name: String, value: AttributeValue)]
  ) -> [[UInt8]: AttributeValue] {
    Dictionary(pairs.map { (Array($0.name.utf8), $0.value) }) { $1 }
  }

  private struct Pair: Equatable {
    let name: [UInt8]
    let value: AttributeValue
  }

  private static func bytes(_ set: AttributeSet) -> [Pair] {
    set.map { Pair(name: Array($0.name.utf8), value: $0.value) }
  }

  private static func bytes(_ oracle: [[UInt8]: AttributeValue]) -> [Pair] {
    oracle.sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .map { Pair(name: $0.key, value: $0.value) }
  }
}
