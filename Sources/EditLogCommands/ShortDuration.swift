import ArgumentParser

/// A duration on the command line: a number with `ns`, `us` (or `µs`), `ms` or `s`.
struct ShortDuration {
  /// Its length.
  let nanoseconds: Int64

  /// Reads a duration.
  ///
  /// - Throws: `ValidationError` with the form of a duration.
  init(argument: String) throws {
    let units: [(String, Int64)] = [
      ("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000),
    ]
    guard let (unit, factor) = units.first(where: { argument.hasSuffix($0.0) }),
      let value = Double(argument.dropLast(unit.count)), value >= 0,
      value * Double(factor) < 9e18
    else {
      throw ValidationError("a duration is a number with ns, us, ms or s, such as 500ms or 2s")
    }
    nanoseconds = Int64((value * Double(factor)).rounded())
  }
}
