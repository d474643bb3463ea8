import Glibc

// What libFuzzer calls, and nothing else does.

/// Chooses the target, which `FUZZ_TARGET` names; or writes seeds, where `FUZZ_SEEDS` names a
/// folder, and ends.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<Int32>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> Int32 {
  if let folder = environment("FUZZ_SEEDS") {
    writeSeeds(of: currentTarget, to: folder)
    exit(0)
  }
  return 0
}

/// One input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: size))
  let before = threadNanoseconds()
  currentTarget.run(bytes)
  let spent = threadNanoseconds() - before
  if spent > timeMax { contradiction("\(spent / 1_000_000) ms of processor time") }
  return 0
}

/// A mutation that keeps what stands before the place it changes believable: sizes and checksums.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
  _ start: UnsafeMutablePointer<UInt8>, _ size: Int, _ sizeMax: Int, _ seed: UInt32
) -> Int {
  let input = [UInt8](UnsafeBufferPointer(start: start, count: size))
  var mutation = Mutation(sizeMax: sizeMax, seed: seed)
  let output = currentTarget.format?.mutate(input, with: &mutation) ?? mutation.bytes(input)
  let count = min(output.count, sizeMax)
  // `start` has room for `sizeMax` bytes, and `count` is no more than that.
  for index in 0..<count { start[index] = output[index] }
  return count
}
