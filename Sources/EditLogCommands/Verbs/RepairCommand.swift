import ArgumentParser
import EditModel
import EditProtocol

struct RepairCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Write anew what has changed and can be rebuilt.",
    discussion: """
      Segments are rebuilt from their parity, names and the store's format file from their copies; \
      what a segment was goes to the folder quarantine first. Opening the store also puts aside \
      what a crash or damage left in journals. The daemon does it where one runs, and takes no \
      edits meanwhile; to do it on the files, stop the daemon and give --store.

      What is lost for good stays known: each answer warns of it, until you accept it with \
      --accept-loss. A document of which segments are missing then goes on after its last edit \
      that can be read; what follows the gap goes to quarantine. The catalog records it.

      Exit status: 0 nothing to do; 1 only a write that was cut short was put aside; 2 \
      repaired; 3 something is left that cannot be repaired: `editlog verify` says what; 4 not \
      permitted. With --dry-run, what it would be.
      """)

  @Flag(help: "Say what would be done, and change nothing.") var dryRun = false
  @Flag(help: "Accept what is known to be lost, and record that.") var acceptLoss = false
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func validate() throws {
    guard !dryRun || !acceptLoss else {
      throw ValidationError("--accept-loss changes the store: give it without --dry-run")
    }
  }

  func run(in session: Session) async throws {
    do {
      let result = try await session.backend.call(
        "editlog/repair", ["dryRun": .bool(dryRun), "acceptLoss": .bool(acceptLoss)]
      ).asObject()
      // What is left, only a check of every byte knows.
      let checked =
        dryRun ? try await session.backend.call("editlog/verify", [:]).asObject() : result
      let outcome = try RepairOutcome(result, left: try Finding.all(in: checked))
      if common.json {
        var line = result
        if line["findings"] == nil { line["findings"] = checked["findings"] }
        try session.printJSON(line)
      } else {
        try outcome.print(session)
      }
      if outcome.status != 0 { throw ExitCode(outcome.status) }
    } catch let error as ProtocolError {
      throw VerifyCommand.ending(error)
    }
  }
}

/// What was mended, or would be, and what is left.
private struct RepairOutcome {
  private let isDryRun: Bool
  private let done: [String]
  /// Losses that were accepted just now.
  private let accepted: [String]
  private let tornBytes: Int64
  /// Ends of journals that would be put aside.
  private let tornCount: Int
  private let putAsideCount: Int
  /// The findings that cannot be repaired. Files in quarantine are not among them: they belong to
  /// no history.
  private let left: [Finding]
  private let hasQuarantine: Bool

  init(_ result: JSONObject, left: [Finding]) throws {
    isDryRun = try result.boolIfPresent("dryRun") ?? false
    func lines(_ member: String, of object: JSONObject) throws -> [String] {
      guard object[member] != nil else { return [] }
      return try object.array(member) { (json) throws(ShapeError) in
        let object = try json.asObject()
        let file = try object.string("file").shown
        return "\(file): \(Excerpt.line(try object.string("what"), width: nil))"
      }
    }
    accepted = try lines("accepted", of: result).map { $0 + " (accepted)" }
    var done = try lines("opening", of: result) + lines("repairs", of: result)
    var (tornBytes, putAside): (Int64, [String]) = (0, [])
    if result["recovery"] != nil {
      let recovery = try result.read("recovery") { (json) throws(ShapeError) in
        try json.asObject()
      }
      tornBytes = try recovery.integerIfPresent("tornBytes") ?? 0
      putAside = try recovery.array("quarantined") { (json) throws(ShapeError) in
        try json.asString().description
      }
      done = putAside.map { "quarantine/\($0.shown): put aside" } + done
      done = try lines("madeAnew", of: recovery) + done
    }
    (self.done, self.tornBytes) = (done, tornBytes)
    putAsideCount = putAside.count
    tornCount = left.count { $0.kind == "torn" && $0.place.hasPrefix("journal/") }
    let serious = left.filter { $0.status >= 3 }
    self.left = serious.filter { !$0.place.hasPrefix("quarantine/") }
    hasQuarantine = self.left.count < serious.count
  }

  var status: Int32 {
    if let status = Finding.status(of: left) { return status }
    if done.isEmpty { return 0 }
    let isTornAlone =
      isDryRun ? done.count == tornCount : done.count == putAsideCount && tornBytes > 0
    return isTornAlone ? 1 : 2
  }

  func print(_ session: Session) throws {
    for line in done + accepted { try session.output.writeLine(line) }
    for finding in left { try session.output.writeLine(finding.lines(session.style)) }
    let verdict: (String, Style.Role) =
      switch (left.isEmpty, done.isEmpty && accepted.isEmpty) {
      case (false, _): ("something is left that cannot be repaired", .bad)
      case (true, true): ("nothing to do", .good)
      case (true, false) where isDryRun: ("this would be done", .good)
      case (true, false) where hasQuarantine: ("done; what was put aside is in quarantine", .good)
      case (true, false): ("done, and nothing is left", .good)
      }
    try session.output.writeLine(session.style.paint(verdict.0, verdict.1))
  }
}
