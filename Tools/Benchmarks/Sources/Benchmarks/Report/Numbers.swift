import Foundation

/// Numbers as reports show them.
enum Numbers {
  /// Four significant digits: more would be noise.
  static func rounded(_ value: Double) -> Double {
    guard value != 0, value.isFinite else { return value }
    let scale = pow(10, 3 - floor(log10(abs(value))))
    return (value * scale).rounded() / scale
  }

  /// Four significant digits, thousands apart, without an exponent.
  static func text(_ value: Double) -> String {
    let rounded = rounded(value)
    guard abs(rounded) < 1_000 else { return grouped(Int(rounded)) }
    let digits = rounded == 0 ? 0 : max(0, 3 - Int(floor(log10(abs(rounded)))))
    return String(format: "%.\(digits)f", rounded)
  }

  /// `12,345`.
  static func grouped(_ value: Int) -> String {
    let digits = String(value.magnitude)
    var result = value < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { result.append(",") }
      result.append(digit)
    }
    return result
  }
}
