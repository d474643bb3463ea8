import ArgumentParser

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import a history that was recorded elsewhere, as a new document.",
    subcommands: [ImportTraceCommand.self, ImportGitCommand.self])
}
