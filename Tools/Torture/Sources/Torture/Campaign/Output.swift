import Glibc

/// Nanoseconds of a clock that only goes forwards.
func nanoseconds() -> UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }

/// Nanoseconds of processor time that this thread has used.
func threadNanoseconds() -> UInt64 { nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }

private func nanoseconds(of clock: clockid_t) -> UInt64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// A number rounded to one decimal place.
func rounded(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }

/// `text` as a string of JSON.
func quoted(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\": result += "\\\(scalar)"
    case "\u{0}"..<" ":
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}

/// Writes at once, so that lines of two threads do not mix.
func writeAll(_ text: String, to descriptor: Int32) {
  var text = text
  text.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
}

/// Where files are made that may go: TMPDIR, or a disk in memory where there is one.
var scratchPlace: String {
  if let place = getenv("TMPDIR") { return String(cString: place) }
  return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
}
