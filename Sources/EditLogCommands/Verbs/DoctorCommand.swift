import ArgumentParser
import EditClient
import EditModel
import EditProtocol

struct DoctorCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check that everything is in place to record edits, and say what to do.",
    discussion: withExamples(
      """
      One line for each check: store, daemon, names (files with several histories), settings (of editlogd), unit (of systemd), linger \
      (services without a login), editor (editlog on PATH), project (editlog-project beside editlog), \
      shells and manual (whether the completions and the man pages are of this version), zsh (whether it \
      looks for completions there), editors \
      (whether their configuration starts `editlog lsp`), spool (where editors keep edits that they \
      cannot send), waiting (such edits), disk, inotify (the limits of watched files). Changes \
      nothing, but a socket unit may start the daemon. A daemon, or a program that a check runs, is waited \
      for 2 s at most.

      Exit status: 0 there is no problem, though there may be warnings; 1 there is one.
      """))

  static let examples = [
    Example("editlog doctor", "what is in place, and what to do about the rest"),
    Example("editlog doctor --json", "the same for a program"),
  ]

  static var jsonLines: [JSONLine] { [.init("a check", DoctorFinding.codec)] }

  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  /// How long a daemon is waited for, and how long one that sends nothing.
  private static let (patience, silenceMax) = (Duration.seconds(2), Duration.milliseconds(1_500))

  func openBackend() async throws -> any Backend {
    let silence = SilenceLimits(silenceMax: min(Self.silenceMax, common.waiting.timeout.duration))
    return LateBackend(
      common.location(), DaemonTerms(silence: silence, store: NamedStore()), limit: Self.patience)
  }

  func run(in session: Session) async throws {
    try await run(in: session, machine: DoctorMachine())
  }

  func run(in session: Session, machine: DoctorMachine) async throws {
    let status: Result<StatusAnswer, ProtocolError>
    do {
      status = .success(try await session.backend.ask(StatusRequest()))
    } catch { status = .failure(ProtocolError(any: error)) }
    var documents: [DocumentID]?
    if case .success = status {
      // If they cannot be listed, a finding says so.
      documents = try? await session.backend.ask(DocumentsRequest()).documents.map(\.document)
    }
    let location = Location(
      socket: common.socket, store: common.store, machine.environment)
    let doctor = Doctor(machine: machine, location: location, status: status, documents: documents)
    let findings = await doctor.findings
    for finding in findings {
      if common.json {
        try session.printJSON(finding, DoctorFinding.codec)
      } else {
        try print(finding, session)
      }
    }
    if findings.contains(where: { $0.state == .problem }) { throw ExitCode(1) }
  }

  private func print(_ finding: DoctorFinding, _ session: Session) throws {
    let roles: [DoctorFinding.State: Style.Role] = [
      .ok: .good, .warning: .warning, .problem: .bad,
    ]
    func padded(_ word: String, _ width: Int) -> String {
      word + String(repeating: " ", count: max(0, width - word.count))
    }
    let state = session.style.paint(
      padded(finding.state.rawValue, 9), roles[finding.state] ?? .plain)
    let text = [finding.what, finding.remedy].compactMap(\.self).joined(separator: "; ")
    let line = Excerpt.line(text, width: nil)
    let indent = String(repeating: " ", count: 18)
    // A remedy is wrapped, not cut.
    let lines = session.width.map { line.wrapped(to: max(12, $0 - indent.count)) } ?? [line]
    try session.output.writeLine(
      state + padded(finding.check, 9) + lines.joined(separator: "\n" + indent))
  }
}
