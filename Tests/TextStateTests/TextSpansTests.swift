import TestSupport
import Testing

@testable import TextState

@Suite struct TextSpansTests {
  /// Edits of a text, mostly at the place of the edit before, as people type. The oracle moves each span.
  @Test(arguments: UInt64(0)..<60) func `are an array of spans`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let limits = TreeLimits.forTests[Int(seed) % TreeLimits.forTests.count]
    var spans = limits.map { TextSpans(limits: $0) } ?? TextSpans()
    var array: [TextSpans.Span] = []
    var copies: [(TextSpans, [TextSpans.Span])] = []
    var (length, place, number) = (0, 0, 0)
    for step in 0..<400 {
      if Int.random(in: 0..<4, using: &random) == 0 {
        place = Int.random(in: 0...length, using: &random)
      }
      let first = array.firstIndex { $0.end > place } ?? array.count
      let found = spans.first(endingAfter: place)
      let previousEnd = first > 0 ? array[first - 1].end : 0
      #expect(found.index == first)
      #expect(found.previousEnd == previousEnd)
      // The edit replaces what is up to here by units of which the first ones may be a span.
      let removed = min(length - place, Int.random(in: 0..<6, using: &random) / 2)
      let inserted = Int.random(in: 0..<4, using: &random)
      let last = array[first...].firstIndex { $0.start >= place + removed } ?? array.count
      // Spans that the edit touches are removed whole.
      let oldEnd = last > first ? array[last - 1].end : previousEnd
      let shift = inserted - removed
      var new: [TextSpans.Span] = []
      if inserted > 0, Int.random(in: 0..<5, using: &random) == 0 {
        new = [TextSpans.Span(start: place, length: inserted, number: number)]
        number += 1
      }
      spans.replace(
        first..<last, after: previousEnd, with: new, oldEnd: oldEnd, shift: shift)
      for index in array[last...].indices { array[index].start += shift }
      array.replaceSubrange(first..<last, with: new)
      (length, place) = (length + shift, place + inserted)
      #expect(spans.count == array.count)
      if step % 7 == 0 { #expect(spans.all == array) }
      if step % 40 == 0 { copies.append((spans, array)) }
      let checked = Int.random(in: 0...length, using: &random)
      let index = array.firstIndex { $0.end > checked } ?? array.count
      let answer = spans.first(endingAfter: checked)
      #expect(answer == (index, index > 0 ? array[index - 1].end : 0))
      if index < array.count {
        #expect(spans.span(at: index, after: answer.previousEnd) == array[index])
      }
    }
    for (spans, array) in copies { #expect(spans.all == array) }
  }
}
