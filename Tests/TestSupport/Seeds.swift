#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The seeds of a randomised test: `count` of them, or as many as the environment variable
/// `EDITLOG_SEEDS` says, from `EDITLOG_FIRST_SEED` on. A long run takes seeds no run has taken:
///
///     EDITLOG_SEEDS=20000 EDITLOG_FIRST_SEED=1000000 swift test --filter TextStateOracleTests
public func seeds(_ count: UInt64) -> Range<UInt64> {
  let first = number("EDITLOG_FIRST_SEED") ?? 0
  return first..<first + max(1, number("EDITLOG_SEEDS") ?? count)
}

private func number(_ name: String) -> UInt64? {
  getenv(name).flatMap { UInt64(String(cString: $0)) }
}
