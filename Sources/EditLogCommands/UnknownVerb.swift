import ArgumentParser
import EditModel

/// Refuses an unknown verb by its name. The argument parser would only report unexpected arguments.
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

  /// Insertions, deletions, replacements and exchanges of neighbours that make one name the other
  /// (optimal string alignment). O(n · m) for names of n and m characters, of which 32 count.
  static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.prefix(32)), Array(right.prefix(32)))
    var rows = [Array(0...right.count)]
    for row in left.indices {
      rows.append([row + 1])
      for column in right.indices {
        var least = min(
          rows[row][column] + (left[row] == right[column] ? 0 : 1), rows[row][column + 1] + 1,
          rows[row + 1][column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          least = min(least, rows[row - 1][column - 1] + 1)
        }
        rows[row + 1].append(least)
      }
    }
    return rows[left.count][right.count]
  }
}
