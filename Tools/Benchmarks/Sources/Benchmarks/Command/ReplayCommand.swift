import ArgumentParser

/// Figures of replay: states and edits of a sealed history.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Figures of Replay: any version, any edit, from sealed files.",
    discussion: Self.figures.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))

  static let figures = [
    Figure.final, .version, .keptVersions, .steps, .checkpoint, .oneEdit, .entries, .fold,
  ]

  @OptionGroup var options: SuiteOptions

  mutating func validate() throws { _ = try options.selection(of: Self.figures) }

  mutating func run() throws { try options.run(Self.figures) }
}
