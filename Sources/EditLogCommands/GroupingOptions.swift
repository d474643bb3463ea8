import ArgumentParser
import EditProtocol

/// Options that say which edits make an undo step.
struct GroupingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A pause of this length ends a run of strokes. (default: 5s)",
      discussion: """
        Edits that an editor sends as one transaction are one step, whatever these options say. \
        Strokes make runs: text typed, or single characters deleted with backspace or with delete, \
        by one author at one place. One or two characters deleted and typed again belong to the typing.
        """, valueName: "duration"), transform: ShortDuration.init(argument:))
  var pause: ShortDuration?
  @Option(
    help: ArgumentHelp(
      """
      The kinds of strokes that make runs, separated by commas, or none. \
      (default: typing,backspace,delete)
      """, valueName: "kinds"))
  var kinds: String?
  @Flag(name: .customLong("newline-starts-step"), help: "A typed newline starts a step.")
  var newlineStartsStep = false

  func validate() throws {
    if let pause, pause.nanoseconds < 1 {
      throw ValidationError("--pause takes a duration of at least 1ns, such as 2s or 500ms.")
    }
    guard let kinds, Self.names(of: kinds) == nil else { return }
    throw ValidationError(
      "--kinds takes \(UndoRule.kindNames.joined(separator: ", ")), separated by commas, or none.")
  }

  /// The rule; nil if no option is given.
  var rule: UndoRule? {
    let rule = UndoRule(
      pauseNanoseconds: pause?.nanoseconds, kinds: kinds.flatMap { Self.names(of: $0) },
      newlineStartsStep: newlineStartsStep)
    return rule == UndoRule() ? nil : rule
  }

  private static func names(of kinds: String) -> [String]? {
    if kinds == "none" { return [] }
    let names = kinds.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    return names.allSatisfy(UndoRule.kindNames.contains) ? names : nil
  }
}
