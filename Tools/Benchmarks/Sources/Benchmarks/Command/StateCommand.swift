import ArgumentParser

/// Figures of the state machine in memory.
struct StateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "state", abstract: "Figures of TextState: edits, memory, snapshots, look-ups.",
    discussion: Self.figures.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))

  static let figures = [
    Figure.edits, .spans, .load, .random, .cursors, .deletion, .snapshots, .memory, .allocations,
    .size, .lookup, .digest, .difference, .render, .styling,
  ]

  @OptionGroup var options: SuiteOptions

  mutating func validate() throws { _ = try options.selection(of: Self.figures) }

  mutating func run() throws { try options.run(Self.figures) }
}
