import TestSupport
import Testing

@testable import TextState

@Suite struct AlignedSpanTests {
  /// Random stretches with something shared between them.
  private func stretches(_ random: inout SplitMix64) -> [Hunk] {
    var (stretches, end): ([Hunk], (old: Int, new: Int)) = ([], (0, 0))
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      let shared = Int.random(in: stretches.isEmpty ? 0...4 : 1...4, using: &random)
      let lower = (old: end.old + shared, new: end.new + shared)
      end = (
        lower.old + Int.random(in: 0...3, using: &random),
        lower.new + Int.random(in: 0...3, using: &random)
      )
      stretches.append(Hunk(old: lower.old..<end.old, new: lower.new..<end.new))
    }
    return stretches.filter { !$0.isEmpty }
  }

  /// Where the new unit comes from, if it is shared.
  private func source(of offset: Int, _ stretches: [Hunk]) -> Int? {
    if stretches.contains(where: { $0.new.contains(offset) }) { return nil }
    let before = stretches.last { $0.new.upperBound <= offset }
    return offset - (before.map { $0.new.upperBound - $0.old.upperBound } ?? 0)
  }

  @Test(arguments: seeds(400))
  func `what is shared with the same place is not in doubt`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let stretches = stretches(&random)
    let lower = Int.random(in: 0...30, using: &random)
    let shift = Int.random(in: -4...min(4, lower), using: &random)
    let span = AlignedSpan(
      new: lower..<lower + Int.random(in: 0...20, using: &random), shift: shift)
    let parts = span.inDoubt(stretches)
    #expect(
      parts.flatMap { Array($0.new) }
        == span.new.filter { source(of: $0, stretches) != $0 - shift })
    #expect(parts.allSatisfy { $0.shift == shift && !$0.new.isEmpty })
    #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.new.upperBound < $1.new.lowerBound })
  }
}
