import ArgumentParser

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import a file, or a history that was recorded elsewhere, as a new document.",
    subcommands: [
      ImportTraceCommand.self, ImportGitCommand.self, ImportJSONLCommand.self,
      ImportTextCommand.self,
      ImportMarkdownCommand.self, ImportHTMLCommand.self, ImportXMLCommand.self,
      ImportAttributedJSONCommand.self, ImportParagraphsCommand.self,
    ])
}
