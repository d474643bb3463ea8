import ArgumentParser

/// Moves options from before the verb to after it: `editlog --store DIR log x` means
/// `editlog log --store DIR x`. The argument parser takes the options of a verb only after it.
enum LeadingOptions {
  /// The options that may come before the verb, without those of `flags`. Each takes a value.
  static let valued: Set = ["--socket", "--store", "--timeout", "--color", "--head"]
  /// The options without a value that may come before the verb.
  static let flags: Set = ["--json", "--no-pager", "--utc", "--verified"]

  /// The arguments as the parser takes them. They are unchanged if no verb follows the options. The
  /// options are left out for help, and if only the first word of a verb is given.
  static func moved(_ arguments: [String]) -> [String] {
    var rest = arguments[...]
    while let argument = rest.first {
      let name = argument.prefix { $0 != "=" }
      if flags.contains(argument) || valued.contains(String(name)) && name != argument {
        rest.removeFirst()
      } else if valued.contains(argument) {
        // If the value is missing, the parser says so.
        let hasValue = rest.dropFirst().first.map { !$0.hasPrefix("-") } ?? false
        rest.removeFirst(hasValue ? 2 : 1)
      } else {
        break
      }
    }
    guard let verb = rest.first else { return arguments }
    if ["help", "-h", "--help", "--version"].contains(verb) { return Array(rest) }
    guard !verb.hasPrefix("-") else { return arguments }
    let words = verbLength(rest)
    guard words.isWhole else { return Array(rest) }
    let options = arguments[..<rest.startIndex]
    return Array(rest.prefix(words.count) + options + rest.dropFirst(words.count))
  }

  /// The number of words at the beginning that name a verb, such as 2 for `import trace`, and whether
  /// they name one that has no parts.
  private static func verbLength(_ words: ArraySlice<String>) -> (count: Int, isWhole: Bool) {
    var parts = EditLogCommand.configuration.subcommands
    for (count, word) in words.enumerated() {
      guard let part = parts.first(where: { $0.configuration.commandName == word }) else {
        // Of an unknown verb, the first word is taken, so that the error names it.
        return count == 0 ? (1, true) : (count, false)
      }
      parts = part.configuration.subcommands
      if parts.isEmpty { return (count + 1, true) }
    }
    return (words.count, false)
  }
}
