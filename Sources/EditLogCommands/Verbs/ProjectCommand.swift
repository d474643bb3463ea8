import ArgumentParser

struct ProjectCommand: AsyncParsableCommand, ExampleGiving {
  static let configuration = CommandConfiguration(
    commandName: "project",
    abstract: "Write histories in other formats.",
    discussion: withExamples(),
    subcommands: [ProjectSQLiteCommand.self])

  static var examples: [Example] { ProjectSQLiteCommand.examples }
}
