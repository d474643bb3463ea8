import ModelStorage
import TestSupport
import Testing

@Suite struct DifferenceTests {
  private static let algorithms: [any DifferenceAlgorithm] = [
    StandardDifference(), HeckelDifference(), IdentityDifference(),
  ]

  @Test func theFactsOfTheTwoLists() {
    let (old, new): ([Word], [Word]) = (["foo", "bar"], ["bar", "foo"])
    let standard = StandardDifference().difference(from: old, to: new)
    #expect(standard.removals == [0] && standard.insertions == [.init(1, "foo")])
    #expect(standard.moves.isEmpty && standard.updates.isEmpty)

    let heckel = HeckelDifference().difference(from: old, to: new)
    #expect(heckel.moves == [.init(from: 1, to: 0), .init(from: 0, to: 1)])
    #expect(heckel.removals.isEmpty && heckel.insertions.isEmpty)

    // The fewest moves: one of the two stays.
    let identity = IdentityDifference().difference(from: old, to: new)
    #expect(identity.moves.count == 1 && identity.removals.isEmpty && identity.insertions.isEmpty)
  }

  @Test(arguments: algorithms.indices) func aChangedItemIsAnUpdate(index: Int) {
    let algorithm = Self.algorithms[index]
    let difference = algorithm.difference(from: entries("1a 2b 3c"), to: entries("1a 2x 3c"))
    #expect(difference.updates == [.init(1, Entry(id: 2, value: "x"))])
    #expect(difference.removals.isEmpty && difference.insertions.isEmpty)
    // If the value is the identity, another value is another item.
    let words = algorithm.difference(from: ["a", "b"] as [Word], to: ["a", "x"])
    #expect(words.removals == [1] && words.insertions == [.init(1, "x")])
    #expect(algorithm.difference(from: entries("1a 2b"), to: entries("1a 2b")).isEmpty)
  }

  @Test func anItemThatGoesToTheEndMovesAlone() {
    let difference = IdentityDifference().difference(
      from: entries("1a 2b 3c 4d"), to: entries("2b 3c 4d 1x"))
    #expect(difference.moves == [.init(from: 0, to: 3)])
    #expect(difference.updates == [.init(3, Entry(id: 1, value: "x"))])
  }

  /// Whatever the lists, the difference turns one into the other, and is as small as it can be.
  @Test(arguments: seeds(75)) func theDifferenceGivesTheNewList(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let repeats = seed % 3 == 0
    let old = random.entries(random.below(20), repeats: repeats)
    let new = random.entries(random.below(20), repeats: repeats)
    for algorithm in Self.algorithms {
      let difference = algorithm.difference(from: old, to: new)
      var list = old
      try difference.apply(to: &list)
      #expect(list == new, "seed \(seed), \(algorithm)")
      #expect(difference.isEmpty == (old == new))
      #expect(algorithm.difference(from: old, to: old).isEmpty)
    }
    let standard = StandardDifference().difference(from: old, to: new)
    let common = commonCount(old.map(\.id), new.map(\.id))
    #expect(standard.removals.count == old.count - common, "seed \(seed)")
    #expect(standard.insertions.count == new.count - common)
    guard !repeats else { return }
    let identity = IdentityDifference().difference(from: old, to: new)
    let matched = Set(old.map(\.id)).intersection(new.map(\.id)).count
    #expect(identity.moves.count == matched - common, "seed \(seed)")
    let heckel = HeckelDifference().difference(from: old, to: new)
    #expect(heckel.removals.count == old.count - matched)
    #expect(heckel.insertions.count == new.count - matched)
  }

  /// The length of the longest common subsequence, by the table.
  private func commonCount(_ left: [Int], _ right: [Int]) -> Int {
    var row = [Int](repeating: 0, count: right.count + 1)
    for item in left {
      var next = row
      for (index, other) in right.enumerated() {
        next[index + 1] = item == other ? row[index] + 1 : max(next[index], row[index + 1])
      }
      row = next
    }
    return row[right.count]
  }

  private static let misfits: [ListDifference<Entry>] = [
    ListDifference(oldCount: 2),
    ListDifference(oldCount: 3, removals: [3]),
    ListDifference(oldCount: 3, removals: [-1]),
    ListDifference(oldCount: 3, removals: [1, 1]),
    ListDifference(oldCount: 3, removals: [0, 1, 2, 3]),
    ListDifference(
      oldCount: 3, removals: [0, 1, 2, 3], updates: [.init(0, Entry(id: 9, value: "x"))]),
    ListDifference(oldCount: 3, moves: [.init(from: 3, to: 0)]),
    ListDifference(oldCount: 3, moves: [.init(from: 0, to: 3)]),
    ListDifference(oldCount: 3, moves: [.init(from: 0, to: 1), .init(from: 0, to: 2)]),
    ListDifference(oldCount: 3, moves: [.init(from: 0, to: 1), .init(from: 2, to: 1)]),
    ListDifference(oldCount: 3, removals: [0], moves: [.init(from: 0, to: 1)]),
    ListDifference(oldCount: 3, insertions: [.init(4, Entry(id: 9, value: "x"))]),
    ListDifference(oldCount: 3, insertions: [.init(-1, Entry(id: 9, value: "x"))]),
    ListDifference(
      oldCount: 3,
      insertions: [.init(1, Entry(id: 9, value: "x")), .init(1, Entry(id: 9, value: "y"))]),
    ListDifference(oldCount: 3, updates: [.init(3, Entry(id: 9, value: "x"))]),
    ListDifference(oldCount: 3, removals: [0, 0, 0, 0], moves: [.init(from: 1, to: 0)]),
  ]

  @Test(arguments: misfits.indices) func aDifferenceThatDoesNotFitIsRefused(index: Int) {
    var list = entries("1a 2b 3c")
    #expect(throws: DifferenceError.self) { try Self.misfits[index].apply(to: &list) }
    #expect(list == entries("1a 2b 3c"))
  }
}
