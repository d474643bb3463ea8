import Glibc

/// Processor time that one input may take, in ns: 100 ms where `FUZZ_MILLISECONDS` says nothing
/// else.
let timeMax = (environment("FUZZ_MILLISECONDS").flatMap(UInt64.init) ?? 100) * 1_000_000

/// Processor time of this thread, in ns: other processes do not count.
func threadNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// A variable of the environment.
func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// Says what is wrong about an input, and ends: libFuzzer keeps the input.
func contradiction(_ what: String) -> Never {
  let line = Array("contradiction: \(what)\n".utf8)
  _ = write(STDERR_FILENO, line, line.count)
  abort()
}

/// Writes a target's seeds to a folder, by number.
func writeSeeds(of target: any Target, to folder: String) {
  for (number, seed) in target.seeds().enumerated() {
    guard let file = fopen("\(folder)/seed-\(number)", "w") else {
      contradiction("cannot write to \(folder)")
    }
    fwrite(seed, 1, seed.count, file)
    fclose(file)
  }
}
