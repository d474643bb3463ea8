import ArgumentParser

/// Figures of undo, blame and what else asks a history for its units.
struct QuestionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "questions",
    abstract: "Figures of undo, blame, activity, agents and scrub, from sealed files.",
    discussion: Self.figures.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))

  static let figures = [
    Figure.provenance, .blame, .fates, .undoSelection, .activity, .outcomes, .cold, .scrub,
  ]

  @OptionGroup var options: SuiteOptions

  mutating func validate() throws { _ = try options.selection(of: Self.figures) }

  mutating func run() throws { try options.run(Self.figures) }
}
