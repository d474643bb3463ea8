extension BinaryInteger {
  /// The decimal digits in groups: `1,234,567`.
  package var grouped: String {
    var (result, count) = ("", 0)
    for digit in String(magnitude).reversed() {
      if count > 0, count % 3 == 0 { result.append(",") }
      result.append(digit)
      count += 1
    }
    return (self < 0 ? "-" : "") + String(result.reversed())
  }
}
