import ArgumentParser

/// A duration on the command line: a number with `ns`, `us` (or `µs`), `ms` or `s`.
struct ShortDuration: ExpressibleByArgument {
  /// Its length.
  let nanoseconds: Int64

  init?(argument: String) {
    let units: [(String, Int64)] = [
      ("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000),
    ]
    guard let (unit, factor) = units.first(where: { argument.hasSuffix($0.0) }),
      let value = Double(argument.dropLast(unit.count)), value >= 0,
      value * Double(factor) < 9e18
    else { return nil }
    nanoseconds = Int64((value * Double(factor)).rounded())
  }
}
