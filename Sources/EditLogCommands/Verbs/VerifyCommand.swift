import ArgumentParser
import EditJSON
import EditModel
import EditProtocol

struct VerifyCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check every byte of the store, and list the damage.",
    discussion: withExamples(
      """
      Reads only; a daemon may keep running. Exit status: 0 sound; 1 torn: a write was cut short \
      before it was acknowledged, and nothing acknowledged is missing; 2 damaged, and repaired or \
      repairable by `editlog repair`, or there is a file that does not belong to a store: no edit \
      is known to be missing; 3 damaged, and something is missing, or a head is not confirmed; 4 \
      not permitted to read it; 78 a file was written by a newer version. A file in the folder \
      quarantine is reported as handled if no history needs it; that does not change the exit \
      status.

      A HEAD is written DOCUMENT@SEQUENCE:HEX, as `append`, `verify --json` and `status --heads` \
      print it. A head that is kept elsewhere proves that the history up to this edit is \
      unchanged: not truncated, not rewritten, and not replaced by an older copy.
      """))

  static let examples = [
    Example("editlog verify", "check every byte"),
    Example("editlog verify --heads heads", "check that no edit is gone that `status --heads` had"),
    Example("editlog verify --quiet && echo sound", "the exit status alone, for a script"),
  ]

  static var jsonLines: [JSONLine] { [.init("the verdict", VerifyAnswer.codec)] }

  @Option(
    help: ArgumentHelp(
      "Check that the history confirms this head; may be given several times.", valueName: "head"))
  var head: [String] = []
  @Option(
    help: ArgumentHelp(
      """
      Read heads from a file: one per line, or lines printed by `append --json` or `status --heads \
      --json`; may be given several times.
      """,
      valueName: "file"), completion: .file())
  var heads: [String] = []
  @Flag(name: .shortAndLong, help: "Print nothing; only set the exit status.") var quiet = false
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { !common.json && !quiet }

  func run(in session: Session) async throws {
    let answer: VerifyAnswer
    do {
      answer = try await session.backend.ask(VerifyRequest(heads: try allHeads()))
    } catch let error as ProtocolError {
      throw Self.ending(error)
    }
    if quiet {
      let status = Self.status(answer)
      if status != 0 { throw ExitCode(status) }
    } else {
      try Self.report(answer, isJSON: common.json, session)
    }
  }

  /// Prints the findings and the verdict.
  ///
  /// - Throws: `ExitCode` if the status is not 0.
  static func report(_ answer: VerifyAnswer, isJSON: Bool, _ session: Session) throws {
    let status = status(answer)
    if isJSON {
      try session.printJSON(answer, VerifyAnswer.codec)
    } else {
      try print(answer, status, session)
    }
    if status != 0 { throw ExitCode(status) }
  }

  /// The error that ends a check or repair which cannot be done.
  static func ending(_ error: ProtocolError) -> any Error {
    switch error.code {
    case .notPermitted: CommandError(exitCode: 4, error.message)
    case .damagedLog: CommandError(exitCode: 3, error.message)
    default: error
    }
  }

  /// The exit status: that of the worst finding.
  static func status(_ answer: VerifyAnswer) -> Int32 {
    Finding.status(of: answer.findings) ?? (answer.isSound ? 0 : 3)
  }

  private func allHeads() throws -> [AcknowledgedHead] {
    let named = try head.map { text in
      guard let head = AcknowledgedHead(text) else { throw Self.noHead(text) }
      return head
    }
    return try heads.reduce(named) { found, path in
      let more = try Self.heads(inLines: try InputFile.read(path), of: path)
      // A file without heads would prove nothing, and the result would still be "sound".
      guard !more.isEmpty else { throw CommandError.usage("there is no head in \(path.shown)") }
      return found + more
    }
  }

  /// The heads in the lines of a file: plain heads, or JSON objects with `head` or `heads`.
  static func heads(inLines bytes: [UInt8], of path: String) throws -> [AcknowledgedHead] {
    try bytes.split(separator: 0x0A).flatMap { line -> [AcknowledgedHead] in
      var texts = [String(decoding: line, as: UTF8.self)]
      if texts[0].hasPrefix("{") {
        guard let json = try? JSON.parse(Array(line)) else { throw noHead(texts[0]) }
        let object = try json.asObject()
        texts = try [object.stringIfPresent("head")].compactMap(\.self)
        if object["heads"] != nil {
          texts += try object.array("heads") { (json) throws(ShapeError) in try json.asString() }
        }
      }
      return try texts.filter { !$0.allSatisfy(\.isWhitespace) }.map { text in
        guard let head = AcknowledgedHead(text) else { throw noHead(text) }
        return head
      }
    }
  }

  private static func noHead(_ text: String) -> CommandError {
    .usage("a head is written DOCUMENT@SEQUENCE:HEX, not \(Excerpt.line(text, width: 80))")
  }

  private static func print(
    _ answer: VerifyAnswer, _ status: Int32, _ session: Session
  ) throws {
    for finding in answer.findings {
      try session.output.writeLine(finding.lines(session.style))
    }
    let verdicts: [Int32: (String, Style.Role)] = [
      0: ("sound", .good), 1: ("torn, nothing acknowledged is missing", .warning),
      2: ("damaged and repaired or repairable; no edit is known to be missing", .warning),
      4: ("some files may not be read", .bad),
    ]
    let (verdict, role) = verdicts[status] ?? ("damaged", .bad)
    let counts = [
      ("document", UInt64(answer.documentCount)), ("edit", answer.editCount),
      ("event", answer.eventCount),
    ].map { $1 == 1 ? "1 \($0)" : "\(Numbers.grouped($1)) \($0)s" }
    let line = session.style.paint(verdict, role)
    try session.output.writeLine("\(line): \(counts.joined(separator: ", ")) checked")
    if answer.confirmedCount > 0 {
      try session.output.writeLine("heads confirmed: \(Numbers.grouped(answer.confirmedCount))")
    }
  }
}
