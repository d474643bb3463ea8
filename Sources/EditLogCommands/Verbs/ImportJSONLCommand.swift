import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Glibc
import NIOCore

struct ImportJSONLCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "jsonl",
    abstract: "Import a whole history, as `export --format jsonl` writes it.",
    discussion: withExamples(
      """
      Each line is an entry of the history: an edit or an event, as `log --json` prints it. All of them are \
      kept as they are: numbers, times, authors, origins, sessions, saves, marks and undos, so that \
      `export --format jsonl` writes the same bytes again. The document must be new, and the file must \
      begin with the first entry of its history. The contents of attachments are not in it: `attach` stores \
      those of a file, and inserts it once more, which `undo` takes back.

      If a line is not right, or the import fails, the document is removed. A history of up to \
      \(Numbers.grouped(ImportRequest.entryCountMax)) entries and \(partSizeMax >> 20) MB is logged as a \
      whole or not at all. If an import of a larger one is killed, a part of it stays: remove it with \
      `editlog forget`.
      """))

  static let examples = [
    Example(
      "editlog export essay --format jsonl | editlog import jsonl - --document copy",
      "a copy of a history, with all that was recorded"),
    Example(
      "editlog import jsonl backup/essay.jsonl", "the same from a file, as the document essay"),
    Example(
      "zstdcat essay.jsonl.zst | editlog import jsonl - --document essay",
      "a history from a packed file"),
  ]

  static var jsonLines: [JSONLine] { [ImportedHistory.jsonLine] }

  @Argument(help: "The file; - is standard input.", completion: .file()) var file: String
  @Option(
    help: ArgumentHelp(
      "The document to create. (default: the file's name without .jsonl)", valueName: "name"))
  var document: String?
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  /// The size of the lines of a part, in bytes. A longer line is a part of its own.
  private static let partSizeMax = 4 << 20

  func validate() throws {
    guard name != nil else {
      throw ValidationError(
        "--document is needed to import standard input, or a file without a name.")
    }
  }

  /// The name of the document: that of the file, without its folders and its ending, if none is given. Nil if there is
  /// none.
  private var name: String? {
    if let document { return document }
    guard file != "-", let last = file.split(separator: "/").last else { return nil }
    let name = last.hasSuffix(".jsonl") ? last.dropLast(6) : last
    return name.isEmpty ? nil : String(name)
  }

  func run(in session: Session) async throws {
    let start = SystemTime.monotonicNanoseconds
    let target = try await session.targetForImport(name ?? file)
    guard !target.exists else {
      throw CommandError.data(
        """
        \(target.document.argument.shown) has a history already; name another document with --document, \
        or remove this one with `editlog forget`
        """)
    }
    let descriptor = try InputFile.open(file)
    defer { if file != "-" { close(descriptor) } }
    var importer = EntryImporter(into: target.document, session)
    do {
      try await send(descriptor, &importer)
    } catch { throw await importer.removing(after: error) }
    session.noteImport(
      importer.tally, into: target.document, nanoseconds: SystemTime.monotonicNanoseconds - start)
    if common.json { try session.printImport(importer.tally, into: target.document) }
  }

  private func send(_ descriptor: Int32, _ importer: inout EntryImporter) async throws {
    var info = stat()
    let fileSize = fstat(descriptor, &info) == 0 ? Int(info.st_size) : 0
    let name = file == "-" ? "standard input" : file.shown
    var lines = LineReader(
      descriptor: descriptor, sizeMax: AppendCommand.lineSizeMax, name: name)
    var (number, size, sizeBefore) = (0, 0, 0)
    while let bytes = try await lines.next() {
      number += 1
      if number == 1, let tool = Self.unpacker(bytes) {
        throw CommandError.data(
          "\(name) is packed; unpack it: `\(tool) FILE | editlog import jsonl - --document NAME`")
      }
      if bytes.readableBytesView.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      let entry: HistoryEntry
      do { entry = try Self.entry(bytes, line: number) } catch {
        throw CommandError(exitCode: error.exitCode, "\(name): \(error.message)")
      }
      if size + bytes.readableBytes > Self.partSizeMax || importer.isFull {
        sizeBefore += size
        size = 0
        try await importer.send(Double(sizeBefore) / Double(max(fileSize, sizeBefore, 1)))
      }
      size += bytes.readableBytes
      importer.add(entry, line: number)
    }
    try await importer.send(1)
    importer.end()
    guard number > 0 else { throw CommandError.data("\(name) has no entries") }
  }

  /// The entry of a line, all of which is kept.
  private static func entry(
    _ bytes: ByteBuffer, line: Int
  ) throws(CommandError) -> HistoryEntry {
    guard case .entry(let entry) = try AppendLine(bytes, line: line) else {
      throw .data(
        "line \(line): an entry of a history has \"v\":1; `editlog append` reads single edits")
    }
    let written = entry.json.serialized()
    guard !written.elementsEqual(bytes.readableBytesView) else { return entry }
    // Written by another program, by a newer version, or damaged.
    guard let given = try? JSON.parse(frame: bytes, limits: JSON.Limits()),
      let name = lostMember(of: given, in: entry.json)
    else { return entry }
    throw .data(
      "line \(line): the entry has no member \(Excerpt.line(name.shown, width: 60)), so it would be lost"
    )
  }

  /// The name of a member, at any depth, that another value does not have; nil if there is none.
  private static func lostMember(of given: JSON, in kept: JSON) -> String? {
    switch (given, kept) {
    case (.object(let given), .object(let kept)):
      for member in given.members where member.value != .null {
        guard let value = kept[member.name] else { return member.name }
        if let name = lostMember(of: member.value, in: value) { return name }
      }
    case (.array(let given), .array(let kept)):
      for (given, kept) in zip(given, kept) {
        if let name = lostMember(of: given, in: kept) { return name }
      }
    default: break
    }
    return nil
  }

  /// The program that unpacks a file which begins with these bytes; nil if it is not packed.
  private static func unpacker(_ bytes: ByteBuffer) -> String? {
    let start = bytes.readableBytesView.prefix(4)
    if start.starts(with: [0x1F, 0x8B]) { return "zcat" }
    if start.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return "zstdcat" }
    return nil
  }
}
