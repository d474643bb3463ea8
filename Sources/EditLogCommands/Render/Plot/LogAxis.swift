import Glibc

/// A logarithmic axis.
struct LogAxis {
  /// The logarithms of its ends.
  let low: Double
  let high: Double

  /// The axis that holds all values; where it is not tight, in whole decades.
  init(_ values: [Double], isTight: Bool = false) {
    let low = log10(values.min() ?? 1)
    let high = log10(values.max() ?? 10)
    self.low = isTight ? low : floor(low)
    self.high = max(self.low + 1, isTight ? high : ceil(high))
  }

  /// Where a value lies, from 0 to 1.
  func place(_ value: Double) -> Double { (log10(value) - low) / (high - low) }

  /// The powers of ten on the axis.
  var decades: [Double] { lines { [$0] } }

  /// The lines between them.
  var minor: [Double] { lines { decade in (2...9).map { decade * Double($0) } } }

  private func lines(_ inDecade: (Double) -> [Double]) -> [Double] {
    let exponents = Int(floor(low))...Int(ceil(high))
    return exponents.flatMap { inDecade(pow(10, Double($0))) }
      .filter { (-1e-9...1 + 1e-9).contains(place($0)) }
  }
}
