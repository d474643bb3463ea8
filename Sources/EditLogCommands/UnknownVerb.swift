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
    let suggestion = NearName.of(verb, in: verbs).map { "did you mean `\($0)`? " } ?? ""
    throw .usage("there is no verb \(verb.shown); \(suggestion)`editlog --help` lists all verbs")
  }
}
