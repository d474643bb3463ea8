import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import EditQueries

struct AttachmentCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "attachment",
    abstract: "List the attachments of a document, or write one to a file.",
    discussion: withExamples(
      """
      Without --digest, prints the SHA-256 and the size of each attachment whose bytes are stored, and \
      its type, its name and its place in the newest version, if that names it: a row for each place. \
      With it, writes the \
      bytes of that one, which are checked against the digest, to --output or to standard output. \
      The first digits of a digest are enough if no other attachment of the document has them. \
      `attach` puts attachments in.
      """))

  static let examples = [
    Example("editlog attachment essay", "the attachments of a document"),
    Example("editlog attachment essay --digest 5f2a --output plan.png", "the bytes of one of them"),
  ]

  static var jsonLines: [JSONLine] {
    [
      .init("an attachment", ShownAttachment.codec),
      .init("with --digest, the file that was written", WrittenAttachment.codec),
    ]
  }

  @Argument(help: "The document.", completion: .documents) var name: String
  @Option(
    help: ArgumentHelp(
      "The attachment to write: its SHA-256, or the first digits of it. (default: list all)",
      valueName: "digest"))
  var digest: String?
  @Option(
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
    let wanted = try await find(digest.lowercased(), session)
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
      return try session.printJSON(
        WrittenAttachment(digest: wanted, size: content.count), WrittenAttachment.codec)
    }
    session.note("Wrote \(Numbers.grouped(content.count)) bytes to \(output.shown).")
  }

  /// The digest that these digits name.
  ///
  /// - Throws: `CommandError` (64) if they are not the first digits of exactly one attachment.
  private func find(_ digits: String, _ session: Session) async throws -> AttachmentDigest {
    if let digest = AttachmentDigest(digits) { return digest }
    guard (1..<64).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isHexadecimal) else {
      throw CommandError.usage(
        """
        --digest takes a SHA-256 in 64 hexadecimal digits, or the first of them; found \
        \(Excerpt.name(digits, width: 70))
        """)
    }
    let found = try await session.ask(name, reading) { AttachmentsRequest($0) }.attachments
      .filter { "\($0.digest)".hasPrefix(digits) }
    guard let first = found.first else {
      throw CommandError.usage(
        """
        no attachment of \(name.shown) begins with \(digits); `editlog attachment NAME` lists them
        """)
    }
    guard found.count == 1 else {
      throw CommandError.usage(
        """
        \(found.count) attachments of \(name.shown) begin with \(digits), such as \(first.digest) and \
        \(found[1].digest); give more digits
        """)
    }
    return first.digest
  }

  private func list(_ session: Session) async throws {
    let found = try await session.ask(name, reading) { AttachmentsRequest($0) }.attachments
    if common.json { return try session.printJSON(each: found, ShownAttachment.codec) }
    guard !found.isEmpty else {
      return session.note("No bytes of attachments are stored for \(name.shown).")
    }
    var table = session.table(
      [
        .init(title: "SIZE", isRight: true), .init(title: "TYPE", rank: 1, cutWidth: 12),
        .init(title: "NAME", cutWidth: 12), .init(title: "AT", isRight: true),
        // Its first digits name an attachment.
        .init(title: "DIGEST", cutWidth: 12),
      ])
    for attachment in found {
      let places: [ShownAttachment.Place?] =
        attachment.places.isEmpty ? [nil] : attachment.places
      for place in places {
        table.append([
          .init(Numbers.size(attachment.size)),
          .init(place?.type.map { Excerpt.name($0, width: 24) } ?? ""),
          .init(place?.name.map { Excerpt.name($0, width: 32) } ?? ""),
          .init(place.map { "\($0.offset)" } ?? ""), .init("\(attachment.digest)"),
        ])
      }
    }
    try session.print(&table)
    for attachment in found where attachment.placeCount > attachment.places.count {
      session.note(
        """
        \(attachment.digest) has \(Numbers.grouped(attachment.placeCount)) places; the first \
        \(Numbers.grouped(attachment.places.count)) are shown
        """)
    }
  }
}

/// The bytes of an attachment, in a file.
struct WrittenAttachment: Hashable, Sendable {
  var digest: AttachmentDigest
  /// Bytes.
  var size: Int

  static let codec = Codec<Self>(
    { WrittenAttachment(digest: $0, size: $1) },
    .required("digest", \.digest, .attachment), .required("bytes", \.size, .count))
}

extension UInt8 {
  /// True for a digit, or a letter from a to f.
  fileprivate var isHexadecimal: Bool {
    (0x30...0x39).contains(self) || (0x61...0x66).contains(self)
  }
}
