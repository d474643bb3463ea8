import ArgumentParser
import EditJSON
import EditModel
import EditProtocol

struct WriteCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "write",
    abstract: "Write the newest version of a document to its file.",
    discussion: withExamples(
      """
      A `restore`, an `undo` or a `redo` without --write changes only the history, if no editor has the document open; \
      the file keeps its text. This brings the file up to the history, and logs the save. The file must have a text that \
      the history has: that of the newest version, or of an older one at which a program began to change the \
      document, or at which it was saved, closed or undone; or it must be missing. Otherwise nothing is changed, because \
      its text may be nowhere else. The file keeps its mode, its owner, its encoding, its line ends and its \
      byte order mark.
      """))

  static var jsonLines: [JSONLine] { [.init("what was done", WriteReport.codec)] }

  static let examples = [
    Example("editlog write essay.md", "bring the file up to the history"),
    Example("editlog write essay.md --dry-run", "say whether the file would be written"),
  ]

  @Argument(help: "The document.", completion: .documents) var name: String
  @Flag(help: "Say whether the file would be written; change nothing.") var dryRun = false
  @OptionGroup var author: AuthorOption
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func run(in session: Session) async throws {
    if !dryRun { try await session.introduce(as: "write", by: author) }
    let files = FileChange(session: session, name: name, reading: reading)
    let (sequence, file) = try await files.writeNewest(isDryRun: dryRun)
    if common.json {
      let report = WriteReport(sequence: sequence, isChanged: file != nil, path: file?.argument)
      return try session.printJSON(report, WriteReport.codec)
    }
    let version = session.style.paint("\(sequence)", .sequence)
    guard let file else {
      return session.note(
        "The file has the text of version \(sequence) already; nothing was changed.")
    }
    try session.output.writeLine(
      "\(dryRun ? "would write" : "wrote") version \(version) to \(file.argument.shown)")
  }
}

/// What `write` did.
struct WriteReport: Hashable, Sendable {
  /// The newest version.
  var sequence: SequenceNumber
  /// True if the file was written, or would be.
  var isChanged: Bool
  /// The file, if so.
  var path: String?

  static let codec = Codec<Self>(
    { WriteReport(sequence: $0, isChanged: $1, path: $2) },
    .required("sequence", \.sequence, .unsigned), .required("changed", \.isChanged, .bool),
    .optional("file", \.path, .string))
}
