import ModelStorage
import TestSupport
import Testing

@Suite struct AccumulationTests {
  private static let cases: [(AccumulationStrategy, String, String)] = [
    (.additive, "1x", "1a 2b 3c 1x"),
    (.updateOld, "2x 4n", "1a 2x 3c 4n"),
    (.deleteOld, "2x 4n", "1a 3c 2x 4n"),
    // The reference loses old items if the new list has an identity twice.
    (.additive, "9x 9y", "1a 2b 3c 9x 9y"),
    (.updateOld, "9x 9y", "1a 2b 3c 9y"),
    (.deleteOld, "9x 9y", "1a 2b 3c 9y"),
    (.deleteOld, "1x 1y", "2b 3c 1y"),
    (.updateOld, "1x 1y", "1y 2b 3c"),
    (.updateOld, "", "1a 2b 3c"),
    (.deleteOld, "", "1a 2b 3c"),
  ]

  @Test(arguments: cases.indices) func theFactsOfTheStrategies(index: Int) {
    let (strategy, new, expected) = Self.cases[index]
    #expect(
      strategy.accumulate(entries(new), onto: entries("1a 2b 3c")) == entries(expected))
  }

  /// All at once is the same as one after the other.
  @Test(arguments: seeds(60)) func itemsAreAddedAsOneAfterTheOther(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let old = random.entries(random.below(8), repeats: seed % 2 == 0)
    let new = random.entries(random.below(8), repeats: true)
    for strategy in AccumulationStrategy.allCases {
      var slow = old
      for item in new {
        switch strategy {
        case .additive: slow.append(item)
        case .updateOld:
          if let place = slow.firstIndex(where: { $0.id == item.id }) {
            slow[place] = item
          } else {
            slow.append(item)
          }
        case .deleteOld:
          slow.removeAll { $0.id == item.id }
          slow.append(item)
        }
      }
      #expect(strategy.accumulate(new, onto: old) == slow, "seed \(seed), \(strategy)")
    }
  }

  @Test func aStorageTellsTheDifference() throws {
    var storage = storage("1a 2b 3c")
    var replica = StorageReplica(of: storage)
    let update = try #require(
      try storage.accumulate(entries("2x 4n"), by: .updateOld, difference: StandardDifference()))
    guard case .items(0, let difference) = update.steps[0] else {
      Issue.record("not a difference of items")
      return
    }
    #expect(difference.updates == [.init(1, Entry(id: 2, value: "x"))])
    #expect(difference.insertions == [.init(3, Entry(id: 4, value: "n"))])
    try replica.apply(update)
    #expect(replica.sections == storage.sections && storage.text == "1a 2x 3c 4n")
  }
}
