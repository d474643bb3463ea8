import ArgumentParser

/// Figures of the log on disk.
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Figures of EditLog: bytes, rates, opening, recovery.",
    discussion: Self.figures.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))

  static let figures = [
    Figure.bytes, .seal, .read, .append, .open, .recovery, .long,
  ]

  @OptionGroup var options: SuiteOptions

  mutating func validate() throws { _ = try options.selection(of: Self.figures) }

  mutating func run() throws { try options.run(Self.figures) }
}
