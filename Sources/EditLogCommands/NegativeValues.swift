/// Joins an option and the negative number after it: `--step -3` becomes `--step=-3`, `-S -1h` becomes
/// `-S=-1h`. The argument parser would take the number for an option of its own, and report that the
/// value is missing. A negative number alone is a count, as in git and tail: `log -5` becomes `log -n=5`.
enum NegativeValues {
  /// The short options that take a value.
  static let shortValued: Set = ["-n", "-S", "-U", "-o", "-g"]
  /// The verbs with `-n`.
  static let counted: Set = ["log", "history", "marks", "undo"]
  /// The long flags of these verbs, without those of `LeadingOptions`.
  static let flags: Set = [
    "--at-rest", "--dry-run", "--edits", "--fixed", "--follow", "--ignore-case", "--list",
    "--newline-starts-step", "--reverse", "--show-cursor", "--verbose", "--write",
  ]

  static func joined(_ arguments: [String]) -> [String] {
    var result: [String] = []
    let end = arguments.firstIndex(of: "--") ?? arguments.count
    let hasCount = arguments.first.map { counted.contains($0) } ?? false
    for (index, argument) in arguments.enumerated() {
      if index < end, isNegative(argument), let last = result.last, takesAValue(last) {
        result[result.count - 1] = "\(last)=\(argument)"
      } else if index < end, hasCount, isNegative(argument),
        argument.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
      {
        result.append("-n=\(argument.dropFirst())")
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
    shortValued.contains(argument)
      || argument.hasPrefix("--") && argument != "--" && !argument.contains("=")
        && !flags.contains(argument) && !LeadingOptions.flags.contains(argument)
  }
}
