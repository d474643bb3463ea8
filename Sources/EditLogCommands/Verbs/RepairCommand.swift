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

      Files in quarantine stay there. The output lists those that no history needs any more. \
      --remove-recovered removes the files whose entries are all in the histories, after comparing \
      them once more.

      Exit status: 0 nothing to do; 1 only a write that was cut short was put aside; 2 \
      repaired; 3 something is left that cannot be repaired: `editlog verify` says what; 4 not \
      permitted. With --dry-run, what it would be.
      """)

  @Flag(help: "Say what would be done, and change nothing.") var dryRun = false
  @Flag(help: "Accept what is known to be lost, and record that.") var acceptLoss = false
  @Flag(help: "Remove quarantined files whose entries are all in the histories.")
  var removeRecovered = false
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func validate() throws {
    guard !dryRun || !acceptLoss else {
      throw ValidationError("--accept-loss changes the store: give it without --dry-run")
    }
    guard !dryRun || !removeRecovered else {
      throw ValidationError("--remove-recovered changes the store: give it without --dry-run")
    }
  }

  func run(in session: Session) async throws {
    do {
      let outcome = try await outcome(session.backend)
      if common.json {
        try session.printJSON(outcome.answer, RepairAnswer.codec)
      } else {
        try outcome.print(session)
      }
      if outcome.status != 0 { throw ExitCode(outcome.status) }
    } catch let error as ProtocolError {
      throw VerifyCommand.ending(error)
    }
  }

  private func outcome(_ backend: any Backend) async throws -> RepairOutcome {
    guard dryRun else {
      let request = RepairRequest(acceptsLoss: acceptLoss, removesRecovered: removeRecovered)
      return RepairOutcome(try await backend.perform(request))
    }
    var plan = try await backend.ask(RepairPlanRequest())
    // Only a check of every byte finds what would be left.
    plan.findings = try await backend.ask(VerifyRequest()).findings
    return RepairOutcome(plan)
  }
}

/// What was repaired, or would be, and what is left.
private struct RepairOutcome {
  let answer: RepairAnswer
  /// Lines about what was done, or would be.
  private let done: [String]
  /// Lines about losses that were accepted just now.
  private let accepted: [String]
  /// Findings that cannot be repaired. Files in quarantine belong to no history and are not among
  /// them.
  private let left: [Finding]
  /// Files in quarantine because of which no history lacks anything.
  private let handled: [Finding]
  private let hasQuarantine: Bool

  init(_ answer: RepairAnswer) {
    self.answer = answer
    func lines(_ steps: [RepairStep]?) -> [String] {
      (steps ?? []).map { "\($0.file.shown): \(Excerpt.line($0.what, width: nil))" }
    }
    accepted = lines(answer.accepted).map { $0 + " (accepted)" }
    let putAside = answer.recovery?.quarantined ?? []
    done =
      lines(answer.recovery?.madeAnew) + putAside.map { "quarantine/\($0.shown): put aside" }
      + lines(answer.opening) + lines(answer.repairs)
      + (answer.removed ?? []).map {
        "\($0.shown): removed; all entries in it are in the histories"
      }
    handled = (answer.findings ?? []).filter { $0.kind == .handled }
    let serious = (answer.findings ?? []).filter { $0.status >= 3 }
    left = serious.filter { !$0.file.hasPrefix("quarantine/") }
    hasQuarantine = left.count < serious.count
  }

  var status: Int32 {
    if let status = Finding.status(of: left) { return status }
    if done.isEmpty { return 0 }
    return isTornAlone ? 1 : 2
  }

  /// True if nothing was done but putting writes aside that were cut short.
  private var isTornAlone: Bool {
    guard !answer.isDryRun else {
      let torn = (answer.findings ?? []).count {
        $0.kind == .torn && $0.file.hasPrefix("journal/")
      }
      return done.count == torn
    }
    guard let recovery = answer.recovery else { return false }
    return done.count == recovery.quarantined.count && recovery.tornSize > 0
  }

  func print(_ session: Session) throws {
    for line in done + accepted { try session.output.writeLine(line) }
    for finding in left + handled { try session.output.writeLine(finding.lines(session.style)) }
    let verdict: (String, Style.Role) =
      switch (left.isEmpty, done.isEmpty && accepted.isEmpty) {
      case (false, _): ("something is left that cannot be repaired", .bad)
      case (true, true): ("nothing to do", .good)
      case (true, false) where answer.isDryRun: ("this would be done", .good)
      case (true, false) where hasQuarantine: ("done; what was put aside is in quarantine", .good)
      case (true, false): ("done, and nothing is left", .good)
      }
    try session.output.writeLine(session.style.paint(verdict.0, verdict.1))
  }
}
