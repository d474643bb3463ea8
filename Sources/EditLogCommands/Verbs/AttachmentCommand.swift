import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import EditQueries

struct AttachmentCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "attachment",
    abstract: "List the attachments of a document, or write one to a file.",
    discussion: """
      Without --digest, prints the SHA-256 and the size of each attachment whose bytes are stored. \
      With it, writes the bytes of that one, which are checked against the digest, to --output or to \
      standard output. `attach` puts attachments in.

        editlog attachment essay
        editlog attachment essay --digest 4f5a… --output plan.png
      """)

  @Argument(help: "The document.") var name: String
  @Option(help: ArgumentHelp("The attachment to write. (default: list all)", valueName: "digest"))
  var digest: String?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this new file. (default: standard output)", valueName: "file"),
    completion: .file())
  var output: String?
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func validate() throws {
    if output != nil, digest == nil { throw ValidationError("--output needs --digest.") }
    if digest != nil, output == nil, common.json {
      throw ValidationError("--json with --digest needs --output.")
    }
  }

  func run(in session: Session) async throws {
    guard let digest else { return try await list(session) }
    guard let wanted = AttachmentDigest(digest.lowercased()) else {
      throw CommandError.usage(
        "--digest takes a SHA-256 in 64 hexadecimal digits; found \(digest.shown)")
    }
    let content = try await session.ask(name, reading) { AttachmentRequest($0, wanted) }.content
    guard let output else {
      guard session.width == nil else {
        throw CommandError.usage("the bytes are not for a terminal; give --output")
      }
      return try session.output.write(bytes: content)
    }
    let file = try NewFile(output, option: "--output")
    try file.write(content)
    try file.close()
    if common.json {
      return try session.printJSON(["digest": .init("\(wanted)"), "bytes": .init(content.count)])
    }
    session.note("Wrote \(Numbers.grouped(content.count)) bytes to \(output.shown).")
  }

  private func list(_ session: Session) async throws {
    let found = try await session.ask(name, reading) { AttachmentsRequest($0) }.attachments
    if common.json { return try session.printJSON(each: found, ShownAttachment.codec) }
    var table = Table(
      [.init(title: "SIZE", isRight: true), .init(title: "DIGEST")], style: session.style,
      width: nil)
    for attachment in found {
      table.append([.init(Numbers.size(attachment.size)), .init("\(attachment.digest)")])
    }
    try session.print(&table)
  }
}
