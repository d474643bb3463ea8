import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import EditQueries
import Rendering

struct AttachCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "attach",
    abstract: "Put a file into a document as an attachment.",
    discussion: withExamples(
      """
      Stores the bytes of the file once, beside the document's history, and inserts the character \
      U+FFFC with the attribute "attachment": a map of "digest", the SHA-256 of the bytes, "bytes", \
      their number, "name", "type", "columns" and "rows". Without --type and --size, the bytes tell the type, \
      if they are of a well-known one, and the size of a PNG, JPEG, GIF or WebP: at most \
      \(MediaFormat.columnsMax) columns and \(MediaFormat.rowsMax) rows. `render` keeps that many cells \
      free for it, and draws a frame with its name. `attachment` lists attachments and writes their bytes to a file. `forget` removes them with the document. A file \
      has at most 16 MiB.
      """))

  static let examples = [
    Example("editlog attach essay plan.png", "a picture at the end, of its own size"),
    Example(
      "editlog attach essay plan.png --offset 120 --size 40x12",
      "a picture inside the text, drawn 40 cells wide and 12 rows high"),
  ]

  static var jsonLines: [JSONLine] { [.init("the attachment", AttachedFile.codec)] }

  @Argument(help: "The document.", completion: .documents) var name: String
  @Argument(help: "The file; - is standard input.", completion: .file()) var file: String
  @Option(
    help: ArgumentHelp("Where to insert it, in UTF-16 units. (default: the end)", valueName: "n"))
  var offset: Int?
  @Option(
    help: ArgumentHelp(
      "The kind of the bytes, such as image/png. (default: what they say)", valueName: "type"))
  var type: String?
  @Option(
    help: ArgumentHelp(
      "The size in cells of a terminal. (default: a picture's own, else 1x1)",
      valueName: "columnsxrows"))
  var size: String?
  @OptionGroup var author: AuthorOption
  @OptionGroup var atRest: AtRestOption
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func validate() throws {
    guard (0...EditAction.textLengthMax).contains(offset ?? 0) else {
      throw ValidationError("--offset takes a number from 0 to \(EditAction.textLengthMax).")
    }
    guard size == nil || cells != nil else {
      throw ValidationError(
        """
        --size takes COLUMNSxROWS, such as 40x12: 1 to \(Attachment.columnsMax) columns and 1 to \
        \(Attachment.rowsMax) rows.
        """)
    }
  }

  /// The size in cells.
  private var cells: (columns: Int, rows: Int)? {
    let numbers = (size ?? "").split(separator: "x", omittingEmptySubsequences: false)
      .map { Int($0) ?? 0 }
    guard numbers.count == 2, (1...Attachment.columnsMax).contains(numbers[0]),
      (1...Attachment.rowsMax).contains(numbers[1])
    else { return nil }
    return (numbers[0], numbers[1])
  }

  func run(in session: Session) async throws {
    let bytes = try InputFile.verbatim(file, sizeMax: AttachRequest.sizeMax)
    try await session.introduce(as: "attach", by: author)
    let state = try await session.ask(name, reading) {
      StateRequest($0, VersionPart(at: .latest, limit: 1))
    }
    let place = offset ?? state.length
    guard place <= state.length else {
      throw CommandError.usage(
        "--offset \(place) is after the text, which has \(state.length) UTF-16 units")
    }
    // The bytes are on the disk before an edit names them.
    let stored = try await session.perform(name) { AttachRequest($0, bytes) }
    let action = try EditAction(
      range: UTF16Range(place..<place), replacement: UTF16Text(units: [0xFFFC]),
      // The paragraph's attributes stay.
      attributes: .merge([
        AttributeRun(length: 1, attributes: attributes(of: stored))
      ]))
    let result = try await session.whenAtRest(atRest) {
      try await session.perform(name) {
        AppendRequest(
          document: $0, base: state.sequence, author: author.name, origin: .program,
          atRest: atRest.waits, edits: [AppendEdit(action: action)])
      }
    }
    if common.json {
      return try session.printJSON(
        AttachedFile(
          digest: stored.attachment.digest, size: stored.attachment.size, isNew: stored.isNew,
          offset: place, sequence: result.sequence), AttachedFile.codec)
    }
    let sequence = session.style.paint("\(result.sequence)", .sequence)
    try session.output.writeLine(
      "attached \(stored.attachment.digest) at \(place); now at version \(sequence)")
  }

  private func attributes(of stored: AttachAnswer) -> AttributeSet {
    Attachment(
      digest: stored.attachment.digest, byteCount: stored.attachment.size,
      name: file == "-"
        ? nil
        : String(
          decoding: file.utf8.split(separator: UInt8(ascii: "/")).last ?? "".utf8[...],
          as: UTF8.self),
      type: type ?? stored.attachment.type, columns: cells?.columns ?? stored.columns ?? 1,
      rows: cells?.rows ?? stored.rows ?? 1
    ).attributes
  }
}

/// A file that is in a text.
struct AttachedFile: Hashable, Sendable {
  var digest: AttachmentDigest
  /// Bytes.
  var size: Int
  /// False if the store had its bytes.
  var isNew: Bool
  /// The unit that stands for it.
  var offset: Int
  /// The version with it.
  var sequence: SequenceNumber

  static let codec = Codec<Self>(
    { AttachedFile(digest: $0, size: $1, isNew: $2, offset: $3, sequence: $4) },
    .required("digest", \.digest, .attachment), .required("bytes", \.size, .count),
    .required("new", \.isNew, .bool), .required("offset", \.offset, .length),
    .required("sequence", \.sequence, .unsigned))
}
