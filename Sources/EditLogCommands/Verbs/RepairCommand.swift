import ArgumentParser
import EditModel
import EditProtocol

struct RepairCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Rebuild damaged files from parity and copies.",
    discussion: withExamples(
      """
      Segments are rebuilt from their parity, and names and the store's format file from their \
      copies. A damaged segment is first copied to the folder quarantine. Opening the store also \
      moves torn and damaged parts of journals to quarantine. If a daemon runs, it does the \
      repair, and accepts no edits meanwhile. To repair the files directly, stop the daemon and \
      give --store.

      Each answer warns of permanent losses until you accept them with --accept-loss. A document \
      that lacks segments then continues after its last readable edit, and what follows the gap \
      goes to quarantine. The catalog records the loss.

      Files in quarantine stay there. The output lists those that no history needs any more. \
      --remove-recovered compares their entries with the histories once more, and removes the \
      files whose entries are all there.

      Exit status: 0 nothing to do; 1 only torn writes were moved to quarantine; 2 repaired; 3 \
      some damage cannot be repaired, and `editlog verify` lists it; 4 not permitted. With \
      --dry-run, the status that the repair would have.
      """))

  static let examples = [
    Example("editlog repair --dry-run", "what a repair would do"),
    Example("editlog repair", "rebuild what can be rebuilt"),
    Example(
      "editlog repair --accept-loss",
      "go on without what is lost, once `verify` has listed it"),
  ]

  static var jsonLines: [JSONLine] { [.init("what was repaired", RepairAnswer.codec)] }

  @Flag(help: "Print what would be done, and change nothing.") var dryRun = false
  @Flag(help: "Accept the known losses, and record that.") var acceptLoss = false
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
    // Only a check of every byte finds the damage that the repair would not remove.
    plan.findings = try await backend.ask(VerifyRequest()).findings
    return RepairOutcome(plan)
  }
}

/// The repairs that were done, or would be done, and the damage that is left.
private struct RepairOutcome {
  let answer: RepairAnswer
  /// A line for each step that was done, or would be done.
  private let done: [String]
  /// A line for each loss that this run accepted.
  private let accepted: [String]
  /// Findings that cannot be repaired, without those about files in quarantine, which belong to no
  /// history.
  private let left: [Finding]
  /// Findings that no repair ends, and that are not damage: a person decides about them.
  private let undecided: [Finding]
  /// Files in quarantine that no history needs.
  private let handled: [Finding]
  private let hasQuarantine: Bool

  init(_ answer: RepairAnswer) {
    self.answer = answer
    func lines(_ steps: [RepairStep]?) -> [String] {
      (steps ?? []).map { "\($0.file.shown): \(Excerpt.line($0.what, width: nil))" }
    }
    accepted = lines(answer.accepted).map { $0 + " (accepted)" }
    let quarantined = answer.recovery?.quarantined ?? []
    done =
      lines(answer.recovery?.madeAnew)
      + quarantined.map { "quarantine/\($0.shown): moved to quarantine" }
      + lines(answer.opening) + lines(answer.repairs)
      + (answer.removed ?? []).map {
        "\($0.shown): removed; all entries in it are in the histories"
      }
    handled = (answer.findings ?? []).filter { $0.kind == .handled }
    undecided = (answer.findings ?? []).filter {
      [.repaired, .unknown].contains($0.kind) && !$0.file.hasPrefix("quarantine/")
    }
    let serious = (answer.findings ?? []).filter { $0.status >= 3 }
    left = serious.filter { !$0.file.hasPrefix("quarantine/") }
    hasQuarantine = left.count < serious.count
  }

  var status: Int32 {
    if let status = Finding.status(of: left) { return status }
    if done.isEmpty { return 0 }
    return isTornAlone ? 1 : 2
  }

  /// True if the only steps were to move torn writes to quarantine.
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
    for finding in left + undecided + handled {
      try session.output.writeLine(finding.lines(session.style))
    }
    let verdict: (String, Style.Role) =
      switch (left.isEmpty, done.isEmpty && accepted.isEmpty) {
      case (false, _): ("something is left that cannot be repaired", .bad)
      case (true, _) where !undecided.isEmpty:
        ("no repair is left to do; decide about the findings above", .warning)
      case (true, true): ("nothing to do", .good)
      case (true, false) where answer.isDryRun: ("this would be done", .good)
      case (true, false) where hasQuarantine: ("done; the files in quarantine stay there", .good)
      case (true, false): ("done, and nothing is left", .good)
      }
    try session.output.writeLine(session.style.paint(verdict.0, verdict.1))
  }
}
