import DaemonTestSupport
import TestSupport
import Testing

@testable import EditIngest

/// Requests of many connections, taken in turns.
@Suite struct FairQueueTests {
  @Test func whoSendsLittleDoesNotWaitForWhoSendsMuch() {
    var queue = FairQueue<String>()
    for number in 0..<1_000 { queue.add("much \(number)", from: 1) }
    queue.add("little", from: 2)
    let first = queue.take(10).flatMap(\.elements)
    #expect(first.contains("little"))
    #expect(first.count == 6)
    #expect(queue.take(10).flatMap(\.elements).count == 10)
  }

  /// Nothing is lost or doubled, and those of one source stay in their order.
  @Test(arguments: UInt64(0)..<10)
  func eachSourceKeepsItsOrder(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var queue = FairQueue<(source: Int, number: Int)>()
    var (added, taken): ([Int: Int], [Int: Int]) = ([:], [:])
    var held: Set<Int> = []
    for _ in 0..<2_000 {
      let source = Int.random(in: 0..<5, using: &random)
      queue.add((source, added[source, default: 0]), from: source)
      added[source, default: 0] += 1
      guard Int.random(in: 0..<20, using: &random) == 0 else { continue }
      for turn in queue.take(Int.random(in: 1...30, using: &random)) {
        // Some of the taken elements are put back, and their source may be held.
        let count = Int.random(in: 0...turn.elements.count, using: &random)
        for element in turn.elements[..<count] {
          #expect(element.source == turn.source && !held.contains(turn.source))
          #expect(element.number == taken[element.source, default: 0])
          taken[element.source, default: 0] += 1
        }
        guard count < turn.elements.count || Int.random(in: 0..<4, using: &random) == 0 else {
          continue
        }
        if Bool.random(using: &random) {
          queue.putBack(turn.elements[count...], from: turn.source)
        } else {
          queue.hold(turn.source, with: turn.elements[count...])
          held.insert(turn.source)
        }
      }
      #expect(queue.invariantViolation() == nil, "seed \(seed)")
      guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
      queue.release()
      held = []
    }
    queue.release()
    while !queue.isEmpty {
      for element in queue.take(1).flatMap(\.elements) {
        #expect(element.number == taken[element.source, default: 0])
        taken[element.source, default: 0] += 1
      }
    }
    #expect(taken == added)
  }
}
