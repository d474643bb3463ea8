import ArgumentParser

/// The program: one subcommand a suite.
@main
struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measures EditLog beside what it is compared with.",
    subcommands: [StateCommand.self, LogCommand.self, ReplayCommand.self, QuestionsCommand.self])
}
