import TestSupport
import Testing

@testable import TextState

@Suite struct GapBufferTests {
  @Test(arguments: UInt64(0)..<60) func `is an array`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var buffer = GapBuffer<Int32>()
    var array: [Int32] = []
    var copies: [(GapBuffer<Int32>, [Int32])] = []
    for step in 0..<200 {
      let lower = Int.random(in: 0...array.count, using: &random)
      let upper = min(array.count, lower + Int.random(in: 0...4, using: &random))
      let new = (0..<Int.random(in: 0...4, using: &random)).map { Int32(step * 10 + $0) }
      buffer.replace(lower..<upper, with: new)
      array.replaceSubrange(lower..<upper, with: new)
      if let index = array.indices.randomElement(using: &random) {
        buffer[index] = -1
        array[index] = -1
      }
      #expect(buffer.count == array.count)
      #expect(array.indices.allSatisfy { buffer[$0] == array[$0] })
      #expect(buffer.elements(in: lower..<array.count) == Array(array[lower...]))
      if step % 20 == 0 { copies.append((buffer, array)) }
    }
    for (buffer, array) in copies { #expect(buffer.elements(in: 0..<array.count) == array) }
  }

  @Test func `gives memory back`() {
    var buffer = GapBuffer<UInt16>()
    buffer.replace(0..<0, with: Array(0..<50_000))
    buffer.replace(5..<49_990, with: [])
    #expect(buffer.elements(in: 0..<buffer.count) == Array(0..<5) + Array(49_990..<50_000))
  }
}
