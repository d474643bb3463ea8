import ArgumentParser

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a document of a history that was recorded elsewhere.",
    subcommands: [ImportTraceCommand.self, ImportGitCommand.self])
}
