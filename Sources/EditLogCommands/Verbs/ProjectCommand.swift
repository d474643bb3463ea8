import ArgumentParser

struct ProjectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "project",
    abstract: "Write histories in other formats.",
    subcommands: [ProjectSQLiteCommand.self])
}
