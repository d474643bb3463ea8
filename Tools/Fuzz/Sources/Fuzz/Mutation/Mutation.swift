import TestSupport

@_silgen_name("LLVMFuzzerMutate")
private func mutateBytes(_ start: UnsafeMutablePointer<UInt8>, _ size: Int, _ sizeMax: Int) -> Int

/// One call of libFuzzer for a mutation.
struct Mutation {
  /// Bytes of the longest input.
  let sizeMax: Int
  private var random: SplitMix64

  init(sizeMax: Int, seed: UInt32) {
    (self.sizeMax, random) = (sizeMax, SplitMix64(seed: UInt64(seed)))
  }

  /// A number from 0 to `count - 1`.
  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  /// libFuzzer's own mutation of some bytes, which may grow by what is left of `sizeMax` where
  /// `others` bytes of the input are elsewhere.
  func bytes(_ input: [UInt8], others: Int = 0) -> [UInt8] {
    let room = max(sizeMax - others, input.count, 1)
    return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      _ = buffer.update(fromContentsOf: input)
      // The buffer has room for as many bytes as libFuzzer is told.
      count = buffer.baseAddress.map { mutateBytes($0, input.count, room) } ?? 0
    }
  }
}
