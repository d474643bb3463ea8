/// Joins an option and the negative number after it: `--step -3` becomes `--step=-3`. The argument parser
/// would take the number for an option of its own, and report that the value is missing.
enum NegativeValues {
  static func joined(_ arguments: [String]) -> [String] {
    var result: [String] = []
    let end = arguments.firstIndex(of: "--") ?? arguments.count
    for (index, argument) in arguments.enumerated() {
      if index < end, isNegative(argument), let last = result.last, takesAValue(last) {
        result[result.count - 1] = "\(last)=\(argument)"
      } else {
        result.append(argument)
      }
    }
    return result
  }

  private static func isNegative(_ argument: String) -> Bool {
    argument.hasPrefix("-") && argument.dropFirst().first.map { $0.isASCII && $0.isNumber } ?? false
  }

  private static func takesAValue(_ argument: String) -> Bool {
    argument.hasPrefix("--") && argument != "--" && !argument.contains("=")
  }
}
