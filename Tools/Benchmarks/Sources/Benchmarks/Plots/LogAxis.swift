import Foundation

/// A logarithmic axis over whole decades.
struct LogAxis {
  /// The exponents of its ends.
  let low: Int
  let high: Int

  /// The decades that hold all values.
  init(_ values: [Double]) {
    let low = Int(floor(log10(values.min() ?? 1) + 1e-9))
    self.low = low
    high = max(low + 1, Int(ceil(log10(values.max() ?? 10) - 1e-9)))
  }

  /// Where a value lies, from 0 to 1.
  func place(_ value: Double) -> Double { (log10(value) - Double(low)) / Double(high - low) }

  /// The powers of ten.
  var decades: [Double] { (low...high).map { pow(10, Double($0)) } }

  /// The lines between them.
  var minor: [Double] {
    decades.dropLast().flatMap { decade in (2...9).map { decade * Double($0) } }
  }
}
