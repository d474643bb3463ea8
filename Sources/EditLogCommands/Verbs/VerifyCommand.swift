import ArgumentParser
import EditModel
import EditProtocol

struct VerifyCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check every byte of the store, and say what is not as it was written.",
    discussion: """
      Reads only; a daemon may go on meanwhile. Exit status: 0 sound; 1 torn: a write was cut \
      short before it was acknowledged, and nothing acknowledged is missing; 2 damaged, and \
      repaired or repairable by `editlog repair`, or a file is there that is no part of a store: \
      no edit is known to be missing; 3 damaged, and something is \
      missing, or a head is not confirmed; 4 not permitted to read it; 78 a file was written by a \
      newer version. Files in the folder quarantine are reported until they are removed.

      A HEAD is written DOCUMENT@SEQUENCE:HEX, as `append`, `verify --json` and `status --heads` \
      print it. Kept elsewhere, it proves that the history up to that edit is still what it was: \
      not shortened, not rewritten, not an older copy.
      """)

  @Option(
    help: ArgumentHelp(
      "Prove that the history still confirms this head; may be given again.", valueName: "head"))
  var head: [String] = []
  @Option(
    help: ArgumentHelp(
      "Read heads from a file, a head a line, or the lines `append` printed; may be given again.",
      valueName: "file"), completion: .file())
  var heads: [String] = []
  @Flag(name: .shortAndLong, help: "Print nothing; the exit status tells.") var quiet = false
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { !common.json && !quiet }

  func run(in session: Session) async throws {
    let result: JSONObject
    do {
      var params: JSONObject = [:]
      let heads = try allHeads()
      if !heads.isEmpty { params["heads"] = .array(heads.map { JSON("\($0)") }) }
      result = try await session.backend.call("editlog/verify", .object(params)).asObject()
    } catch let error as ProtocolError {
      throw Self.ending(error)
    }
    let status = try Self.status(result)
    if quiet {
    } else if common.json {
      try session.printJSON(result)
    } else {
      try print(result, status, session)
    }
    if status != 0 { throw ExitCode(status) }
  }

  /// What ends a check that cannot be made.
  static func ending(_ error: ProtocolError) -> any Error {
    switch error.code {
    case .notPermitted: CommandError(exitCode: 4, error.message)
    case .damagedLog: CommandError(exitCode: 3, error.message)
    default: error
    }
  }

  /// The exit status: that of the worst finding.
  static func status(_ result: JSONObject) throws(ShapeError) -> Int32 {
    let worst = Finding.status(of: try Finding.all(in: result))
    let isSound = try result.read("sound") { (json) throws(ShapeError) in try json.asBool() }
    return worst ?? (isSound ? 0 : 3)
  }

  private func allHeads() throws -> [AcknowledgedHead] {
    let named = try head.map { text in
      guard let head = AcknowledgedHead(text) else { throw Self.noHead(text) }
      return head
    }
    return try heads.reduce(named) { found, path in
      let more = try Self.heads(inLines: try InputFile.read(path), of: path)
      // Who asks for a proof is not to be told "sound" without one.
      guard !more.isEmpty else { throw CommandError.usage("there is no head in \(path.shown)") }
      return found + more
    }
  }

  /// The heads in the lines of a file: plain ones, and those in lines of JSON.
  static func heads(inLines bytes: [UInt8], of path: String) throws -> [AcknowledgedHead] {
    try bytes.split(separator: 0x0A).compactMap { line in
      var text = String(decoding: line, as: UTF8.self)
      if text.hasPrefix("{") {
        guard let json = try? JSON.parse(Array(line)) else { throw noHead(text) }
        guard let head = try json.asObject().stringIfPresent("head") else { return nil }
        text = head
      }
      if text.allSatisfy(\.isWhitespace) { return nil }
      guard let head = AcknowledgedHead(text) else { throw noHead(text) }
      return head
    }
  }

  private static func noHead(_ text: String) -> CommandError {
    .usage("a head is written DOCUMENT@SEQUENCE:HEX, not \(Excerpt.line(text, width: 80))")
  }

  private func print(_ result: JSONObject, _ status: Int32, _ session: Session) throws {
    for finding in try Finding.all(in: result) {
      try session.output.writeLine(finding.lines(session.style))
    }
    let verdicts: [Int32: (String, Style.Role)] = [
      0: ("sound", .good), 1: ("torn, nothing acknowledged is missing", .warning),
      2: ("damaged and repaired or repairable; no edit is known to be missing", .warning),
      4: ("not all of it may be read", .bad),
    ]
    let (verdict, role) = verdicts[status] ?? ("damaged", .bad)
    let counts = try ["blocks", "batches", "documents", "edits", "events"].compactMap { name in
      try result.integerIfPresent(name).map { count in
        count == 1
          ? "1 \(name.dropLast(name == "batches" ? 2 : 1))" : "\(Numbers.grouped(count)) \(name)"
      }
    }
    let line = session.style.paint(verdict, role)
    let tail = counts.isEmpty ? "" : ": " + counts.joined(separator: ", ") + " checked"
    try session.output.writeLine(line + tail)
    if let confirmed = try result.integerIfPresent("confirmed"), confirmed > 0 {
      try session.output.writeLine("heads confirmed: \(Numbers.grouped(confirmed))")
    }
  }
}
