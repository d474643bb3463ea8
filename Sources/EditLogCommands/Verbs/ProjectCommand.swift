import ArgumentParser

struct ProjectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "project",
    abstract: "Write histories in another form, and keep it up to date.",
    subcommands: [ProjectSQLiteCommand.self])
}
