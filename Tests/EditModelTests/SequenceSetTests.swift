import TestSupport
import Testing

@testable import EditModel

@Suite struct SequenceSetTests {
  /// A set of single numbers is slow and plainly right.
  @Test(arguments: seeds(40)) func rangesAreInsertedAndRemoved(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (set, oracle) = (SequenceSet(), Set<SequenceNumber>())
    for _ in 0..<200 {
      let first = SequenceNumber.random(in: 0...60, using: &random)
      let range = first...first + SequenceNumber.random(in: 0...8, using: &random)
      if Bool.random(using: &random) {
        set.insert(range)
        oracle.formUnion(range)
      } else {
        set.remove(range)
        oracle.subtract(range)
      }
      #expect(set == SequenceSet(oracle.map { $0...$0 }), "seed \(seed)")
    }
    set.insert(SequenceNumber.max - 1...SequenceNumber.max)
    #expect(set.contains(.max))
    set.remove(0...SequenceNumber.max)
    #expect(set.isEmpty)
  }

  /// A small change of a large set gives the same as one of all ranges.
  @Test(arguments: seeds(20)) func aSmallChangeIsAppliedInPlace(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let set = SequenceSet((1...100).map { SequenceNumber($0) * 4...SequenceNumber($0) * 4 + 1 })
    for _ in 0..<50 {
      let numbers = (0..<4).map { _ in SequenceNumber.random(in: 0...420, using: &random) }.sorted()
      let undone = SequenceSet(numbers[0]...numbers[1])
      let redone = SequenceSet(numbers[2]...numbers[3]).subtracting(undone)
      let change = UndoneChange(undone: undone, redone: redone)
      #expect(
        change.applied(to: set) == set.subtracting(redone).union(undone), "seed \(seed)")
    }
  }
}
