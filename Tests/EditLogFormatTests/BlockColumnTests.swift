import EditModel
import TestSupport
import Testing

@testable import EditLogFormat

/// The ways in which columns hold numbers, beside obvious ones.
@Suite struct BlockColumnTests {
  // MARK: Steps

  /// Numbers of all sizes, and many 0.
  private func steps(seed: UInt64) -> [UInt64] {
    var random = SplitMix64(seed: seed)
    return (0..<500).map { _ in
      random.next() % 3 == 0 ? 0 : random.next() >> (random.next() % 64)
    }
  }

  @Test(arguments: UInt64(0)..<20)
  func `steps come back`(seed: UInt64) throws {
    let steps = steps(seed: seed) + [1, 7, 8, 9, .max]
    let (bytes, bits) = written(steps)
    #expect(try read(bytes, bits, count: steps.count) == steps)
    let size = steps.reduce(0) { $0 + max(0, 61 - $1.leadingZeroBitCount) }
    #expect(bits.count == (size + 7) / 8)
  }

  @Test func `each byte of a step stands for numbers that follow those of the byte before`() {
    var next: UInt64 = 0
    for byte in UInt8(0)..<StepCode.limit {
      let (top, bits) = StepCode.join(byte)
      let first = top << UInt64(bits)
      #expect(first == next)
      let last = first + (1 << UInt64(bits) - 1)
      for step in [first, last] { #expect(StepCode.split(step) == (byte, bits)) }
      next = last &+ 1
    }
    #expect(next == 0, "the last byte ends at 2^64")
  }

  @Test func `steps in any other form are refused`() {
    for (bytes, bits) in [
      ([252], []), ([255], [0, 0, 0, 0, 0, 0, 0, 0]), ([8], []), ([8], [2]), ([8], [0, 0]),
      ([1], [0]), ([1, 1], []), ([0, 1], []), ([0], []), ([], []),
    ] as [([UInt8], [UInt8])] {
      #expect(throws: CodecError.self, "\(bytes) \(bits)") { try read(bytes, bits, count: 1) }
    }
    #expect(throws: Never.self) { try read([8], [1], count: 1) }
  }

  private func written(_ steps: [UInt64]) -> ([UInt8], [UInt8]) {
    var writer = StepWriter()
    var bytes = ByteWriter()
    var bits = ByteWriter()
    for step in steps { writer.write(step, to: &bytes, bits: &bits) }
    writer.flush(to: &bytes, bits: &bits)
    return (bytes.bytes, bits.bytes)
  }

  private func read(
    _ bytes: [UInt8], _ bits: [UInt8], count: Int
  ) throws(CodecError) -> [UInt64] {
    try ByteReader.reading(bytes) { (bytes) throws(CodecError) in
      let all = bytes
      return try ByteReader.reading(bits) { (bits) throws(CodecError) in
        var reader = StepReader(all, bits: bits)
        var steps: [UInt64] = []
        for _ in 0..<count { steps.append(try reader.next()) }
        try reader.expectEnd()
        return steps
      }
    }
  }

  // MARK: Left places

  @Test(arguments: UInt64(0)..<50)
  func `recent positions are those of a list`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var places = RecentPositions()
    var list: [Int] = []
    for _ in 0..<300 {
      if random.next() % 2 == 0 {
        let place = Int.random(in: 0..<40, using: &random)
        let index =
          list.isEmpty || random.next() % 3 == 0 ? nil : list.indices.randomElement(using: &random)
        places.leave(place, for: index)
        if let index { list.remove(at: index) } else if list.count == 4 { list.removeLast() }
        list.insert(place, at: 0)
      } else {
        let lower = Int.random(in: 0..<40, using: &random)
        let upper = lower + Int.random(in: 0..<6, using: &random)
        let newLength = Int.random(in: 0..<6, using: &random)
        places.move(lower, upper, newLength: newLength)
        list = list.map { place in
          if place <= lower { return place }
          return place < upper ? lower : place - (upper - lower) + newLength
        }
      }
      for index in 0..<4 {
        #expect(places.place(at: index) == (index < list.count ? list[index] : nil))
      }
      for place in 0..<50 { #expect(places.index(of: place) == list.firstIndex(of: place)) }
    }
  }

  /// A span moves places as its edits do, one after another.
  @Test(arguments: UInt64(0)..<20)
  func `spans move places as their edits do`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for kind in 0..<3 {
      let (count, size) = (Int.random(in: 1...6, using: &random), Int(1 + random.next() % 2))
      let start = Int.random(in: 0..<20, using: &random)
      var atOnce = RecentPositions()
      for _ in 0..<4 { atOnce.leave(Int.random(in: 0..<40, using: &random), for: nil) }
      var stepwise = atOnce
      let length = count * size
      switch kind {
      case 0: atOnce.move(start, start, newLength: length)
      default: atOnce.move(start, start + length, newLength: 0)
      }
      for index in 0..<count {
        let before = start + index * size
        let after = start + length - index * size
        switch kind {
        case 0: stepwise.move(before, before, newLength: size)
        case 1: stepwise.move(after - size, after, newLength: 0)
        default: stepwise.move(start, start + size, newLength: 0)
        }
      }
      for index in 0..<4 { #expect(atOnce.place(at: index) == stepwise.place(at: index)) }
    }
  }
}
