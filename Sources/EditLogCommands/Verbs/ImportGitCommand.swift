import ArgumentParser
import EditModel
import EditProtocol
import TextState

struct ImportGitCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "git",
    abstract: "Import the git history of a file.",
    discussion: withExamples(
      """
      Each commit that changed the file becomes one transaction: the difference of the texts, as \
      edits of origin external with the commit's author and time. A time before that of the commit before is \
      logged as that, since times in a history never go back. Renames are followed. Every \
      version must be UTF-8 text. The document must be new. Its name is --document, or by default \
      the file's URI, as editors name it. A history of at most 65,536 edits and 4,194,304 UTF-16 \
      units is logged as a whole or not at all; the import of a larger one may be interrupted, and \
      the same command goes on.
      """))

  static let examples = [
    Example(
      "editlog import git README.md",
      "the git history of a file, as the history of its document"),
    Example("editlog import git README.md --document readme", "the same under another name"),
  ]

  static var jsonLines: [JSONLine] { [ImportedHistory.jsonLine] }

  @Argument(help: "The file.", completion: .file()) var path: String
  @Option(
    help: ArgumentHelp("The document to make. (default: the file's)", valueName: "name"))
  var document: String?
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func run(in session: Session) async throws {
    let start = SystemTime.monotonicNanoseconds
    let history = GitHistory(path: path)
    let versions = try await history.versions()
    let target = try await session.targetForImport(
      document ?? FileURI.absolute(path, in: DocumentArgument.workingDirectory))
    // Its edits have their own authors, or none.
    try await session.introduce(as: "import git", by: nil)
    let importer = try await EditImporter(into: target, session)
    do {
      try await send(history, versions, importer)
    } catch { throw await importer.fail(error) }
    session.noteImport(
      importer.tally, into: target.document,
      nanoseconds: SystemTime.monotonicNanoseconds - start)
    if common.json { try session.printImport(importer.tally, into: target.document) }
  }

  private func send(
    _ history: GitHistory, _ versions: [GitVersion], _ importer: EditImporter
  ) async throws {
    var (text, index) = (UTF16Text(), 0)
    try await history.forEachText(versions) { version, next in
      let author = Self.author(version.author)
      let edits = TextDifference.replacements(from: text, to: next).map { action in
        AppendEdit(
          action: action, time: version.time, origin: .external, author: author,
          transaction: Int64(index))
      }
      (text, index) = (next, index + 1)
      try await importer.add(edits, progress: Double(index) / Double(versions.count))
    }
    try await importer.finish()
  }

  /// The author's name, truncated to the maximum size; nil if it is empty.
  private static func author(_ name: String) -> String? {
    var name = name
    while name.utf8.count > AppendRequest.authorSizeMax { name.removeLast() }
    return name.isEmpty ? nil : name
  }
}
