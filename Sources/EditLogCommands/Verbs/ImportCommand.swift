import ArgumentParser

struct ImportCommand: AsyncParsableCommand, ExampleGiving {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import a file, or a history that was recorded elsewhere, as a new document.",
    discussion: withExamples(),
    subcommands: [
      ImportTraceCommand.self, ImportGitCommand.self, ImportJSONLCommand.self,
      ImportTextCommand.self,
      ImportMarkdownCommand.self, ImportHTMLCommand.self, ImportXMLCommand.self,
      ImportAttributedJSONCommand.self, ImportParagraphsCommand.self,
    ])

  static var examples: [Example] {
    [
      ImportTextCommand.self, ImportGitCommand.self, ImportMarkdownCommand.self,
      ImportJSONLCommand.self,
    ]
    .compactMap { ($0 as any ExampleGiving.Type).examples.first }
  }
}
