import ArgumentParser
import EditModel
import EditProtocol
import Glibc
import NIOCore

struct AppendCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "append",
    abstract: "Append edits, read as JSON Lines from standard input.",
    discussion: withExamples(
      """
      Each line is an edit, or an array of edits that are logged together as one transaction. \
      An edit, here in two lines:

        {"actions":["characters"],"location":0,"length":0,
         "changeInLength":5,"text":"hello","origin":"typing"}

      Location and length are the range before the edit, in UTF-16 units. "attributes" may be added: \
      one of "set" and "merge", with runs whose lengths add up to that of the text after the edit \
      {"merge":[{"length":5,"attributes":{"strong":true}}]}, or {"remove":["strong"]}; values are checked \
      as those of `style --set` are. So may "time" \
      (RFC 3339) and "author"; "composition", the same name for each step of a \
      composition, such as that of a Hangul syllable; and "selection", the carets and selected ranges \
      {"before":[{"location":…,"length":…}],"after":[…]}, at most 256 each, which `undo` gives back; \
      "reversed":true in a range says that its head, where the caret is, is at its start. \
      When the edits of a line are on disk, the answer \
      {"v":1,"line":…,"first":…,"sequence":…,"durable":true,"head":…} is printed; of the lines that \
      become durable together, the last has the head. Answers come in the order of the lines. A \
      line does not wait for the answers before it, but all lines wait for the first answer, unless --base is given, and for the answer to a line of 4 MiB or more. A \
      head that is kept elsewhere proves later that no edit was lost (`verify --head`). If a line \
      cannot be logged, the run ends with an error that names the line; the lines that were \
      answered stay logged. Others must not edit the document during the run. An editor that has the \
      document open is asked to make the edits in its text.

      A line may also be one that `log --json` prints: `editlog log --json a | editlog append b` \
      copies a history. Edits keep text, attributes, transaction, time, origin, author and selection; \
      marks are \
      made again after all edits; other events are answered with "skipped" and left out. Files \
      that `repro` writes have such lines too.
      """))

  static let examples = [
    Example(
      "editlog log --json essay | editlog append copy",
      "a copy of a history, with its times and authors"),
    Example(
      "editlog append greeting --author ann < edits.jsonl",
      "edits from a file; ann made those that name no author"),
  ]

  static var jsonLines: [JSONLine] {
    [.init("the answer to a line of the input", AppendedLine.codec)]
  }

  @Argument(help: "The document; the first edit creates it.", completion: .documents) var name:
    String
  @OptionGroup var author: DefaultAuthorOption
  @Option(
    help: """
      The expected version: the sequence number of the document's last edit. If the document is at \
      another version, nothing is logged and the exit status is 75. Needed after a loss.
      """)
  var base: SequenceNumber?
  @OptionGroup var atRest: AtRestOption
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  /// The maximum length of a line, in bytes.
  static let lineSizeMax = FrameDecoder.defaultFrameSizeMax

  func run(in session: Session) async throws {
    try await run(
      in: session, input: LineReader(descriptor: STDIN_FILENO, sizeMax: Self.lineSizeMax))
  }

  func run(in session: Session, input: LineReader) async throws {
    let document = try await session.documentForWriting(name).id
    var lines = Lines(input)
    let first = try await lines.next()
    // A copy of a history is of the authors of its edits.
    let isCopy =
      switch first?.line {
      case .entry, .head: author.name == nil
      case .edits, nil: false
      }
    if isCopy {
      try await session.introduce(as: "append", by: nil)
    } else {
      try await session.introduce(as: "append", author: author.name)
    }
    var appender = try await LineAppender(
      to: document, base: base, author: author.name, session, atRest)
    do {
      var next = first
      while let line = next {
        try await appender.add(line.line, line: line.number, size: line.size)
        next = try await lines.next()
      }
      try await appender.finish()
    } catch {
      // The lines before this one are still answered. If one of them was refused, that error is
      // thrown.
      throw await appender.close() ?? error
    }
    if let failure = await appender.close() { throw failure }
    guard appender.skippedCount > 0 else { return }
    let (count, events) = (appender.skippedCount, appender.skippedCount == 1 ? "event" : "events")
    session.note(
      "\(count) \(events) left out: only edits, and marks after edits of the same input, are made again"
    )
  }
}

/// The lines of the input of `append`, blank ones left out.
private struct Lines {
  private var input: LineReader
  private var count = 0

  init(_ input: LineReader) { self.input = input }

  /// The next line, its number and its size in bytes; nil at the end.
  ///
  /// - Throws: `CommandError` that names the line.
  mutating func next() async throws -> (line: AppendLine, number: Int, size: Int)? {
    while let bytes = try await read() {
      count += 1
      if bytes.readableBytesView.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
        continue
      }
      return (try AppendLine(bytes, line: count), count, bytes.readableBytes)
    }
    return nil
  }

  private mutating func read() async throws(CommandError) -> ByteBuffer? {
    do throws(CommandError) { return try await input.next() } catch {
      throw CommandError(exitCode: error.exitCode, "line \(count + 1): \(error.message)")
    }
  }
}
