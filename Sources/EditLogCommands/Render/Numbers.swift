import Scrubbing

/// Formats numbers for people.
package enum Numbers {
  /// `1,234,567`.
  package static func grouped(_ value: some BinaryInteger) -> String { value.grouped }

  /// `+5`, `-3`, `0`.
  static func signed(_ value: Int) -> String { value > 0 ? "+\(value)" : "\(value)" }

  /// A number of bytes: `512 B`, `1.4 KiB`.
  static func size(_ bytes: some BinaryInteger) -> String {
    guard bytes >= 1024 else { return "\(bytes) B" }
    var (value, unit) = (Double(bytes) / 1024, 0)
    let units = ["KiB", "MiB", "GiB", "TiB"]
    while value >= 1024, unit + 1 < units.count { (value, unit) = (value / 1024, unit + 1) }
    return "\(decimal(value, 1)) \(units[unit])"
  }

  /// A duration: `850 ns`, `12.3 µs`, `4.1 ms`, `2.0 s`.
  static func duration(_ nanoseconds: Int64) -> String {
    switch nanoseconds {
    case ..<1000: "\(nanoseconds) ns"
    case ..<1_000_000: "\(decimal(Double(nanoseconds) / 1e3, 1)) µs"
    case ..<1_000_000_000: "\(decimal(Double(nanoseconds) / 1e6, 1)) ms"
    default: "\(decimal(Double(nanoseconds) / 1e9, 1)) s"
    }
  }

  /// A number with `digits` digits after the decimal point.
  package static func decimal(_ value: Double, _ digits: Int) -> String {
    let factor = (0..<digits).reduce(1.0) { product, _ in product * 10 }
    let scaled = (value * factor).rounded()
    guard scaled.magnitude < 1e15 else { return "\(value)" }
    let whole = Int64(scaled)
    let fraction = String(whole.magnitude % UInt64(factor))
    let zeros = String(repeating: "0", count: max(0, digits - fraction.count))
    let sign = whole < 0 ? "-" : ""
    let head = sign + grouped(whole.magnitude / UInt64(factor))
    return digits == 0 ? head : "\(head).\(zeros)\(fraction)"
  }
}
