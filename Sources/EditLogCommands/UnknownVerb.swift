import ArgumentParser
import EditModel

/// Refuses an unknown verb by its name, and an unknown form of a verb that has forms, such as `import`. The
/// argument parser would only report unexpected arguments.
enum UnknownVerb {
  /// The size in bytes up to which an unknown verb may be meant as a document.
  private static let nameSizeMax = 128

  /// Checks the first argument, and the one after `help`; of a verb with forms, also the next.
  ///
  /// - Throws: `CommandError` (64) that suggests the nearest verb or lists the forms.
  static func check(_ arguments: [String]) throws(CommandError) {
    let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
    guard let verb = words.first, !verb.hasPrefix("-"), verb != "help" else { return }
    let verbs = EditLogCommand.configuration.subcommands
    guard let command = verbs.first(where: { name($0) == verb }) else {
      var near = NearName.of(verb, in: verbs.map(name)).map { "did you mean `\($0)`? " } ?? ""
      // Not a name that is shown with escapes, which a shell does not read.
      if near.isEmpty, arguments.count == 1, verb.shown == verb, verb.utf8.count <= nameSizeMax {
        near = "`editlog show \(verb.shellWord)` shows the document of this name; "
      }
      throw .usage("there is no verb \(verb.shown); \(near)`editlog --help` lists all verbs")
    }
    let forms = command.configuration.subcommands.map(name)
    guard !forms.isEmpty, let form = words.dropFirst().first, !form.hasPrefix("-"),
      form != "help", !forms.contains(form)
    else { return }
    let near = NearName.of(form, in: forms).map { "did you mean `\($0)`? " } ?? ""
    throw .usage(
      "\(verb) has no form \(form.shown); \(near)the forms are \(forms.joined(separator: ", "))")
  }

  private static func name(_ command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? ""
  }
}
