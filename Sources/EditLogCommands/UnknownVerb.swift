import ArgumentParser
import EditModel

/// Refuses a verb that does not exist by its name. The parser would only count its arguments.
enum UnknownVerb {
  /// Checks the first argument, and the one after `help`.
  ///
  /// - Throws: `CommandError` (64) that suggests the nearest verb.
  static func check(_ arguments: [String]) throws(CommandError) {
    let isHelp = arguments.first == "help"
    guard let verb = isHelp ? arguments.dropFirst().first : arguments.first,
      !verb.hasPrefix("-"), verb != "help"
    else { return }
    let verbs = EditLogCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
    guard !verbs.contains(verb) else { return }
    let nearest = verbs.map { (distance(verb, $0), $0) }.min { $0.0 < $1.0 }
    let isNear = nearest.map { $0.0 <= max(1, verb.count / 3) || $0.1.hasPrefix(verb) } ?? false
    let suggestion = isNear ? nearest.map { "did you mean `\($0.1)`? " } ?? "" : ""
    throw .usage("there is no verb \(verb.shown); \(suggestion)`editlog --help` lists all verbs")
  }

  /// Insertions, deletions and replacements that make one name the other. O(n · m) for names of n and
  /// m characters, of which 32 count.
  static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.prefix(32)), Array(right.prefix(32)))
    var row = Array(0...right.count)
    for (index, character) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let replaced = diagonal + (character == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
      }
    }
    return row[right.count]
  }
}
