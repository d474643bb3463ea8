import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import EditSpool

struct StatusCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of the daemon and its store, or of a document.",
    discussion: withExamples(
      """
      With a document: its newest version, whether an editor has it open, and the steps that \
      `undo` and `redo` would take back and bring back.

      An `editlog watch` that is connected is listed with the numbers of files that it skips, and why.

      `doctor` also checks what is around the daemon and its store, and says what to do.
      """))

  static var jsonLines: [JSONLine] {
    [
      .init("the store and the daemon", StatusReport.codec),
      .init("a document", DocumentStatusAnswer.codec),
    ]
  }

  static let examples = [
    Example("editlog status", "the state of the daemon and its store"),
    Example("editlog status essay", "the newest version, and what can be undone and redone"),
    Example("editlog status --heads > heads", "the heads, for `verify --heads` at a later time"),
    Example("editlog status --watch", "again each second"),
  ]

  @Argument(help: "The document. (default: the daemon and its store)", completion: .documents)
  var name: String?
  @Flag(help: "Print only the head of each history, one per line, as `verify --heads` reads it.")
  var heads = false
  @Flag(help: "Show it again each second until Ctrl-C; needs a terminal.")
  var watch = false
  @Flag(help: "Print numbers as Prometheus reads them, in its text format.")
  var metrics = false
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func validate() throws {
    guard !(watch && metrics), !(watch || metrics) || !(heads || common.json) else {
      throw ValidationError("Give --watch or --metrics alone, without --heads and --json.")
    }
    guard name == nil || !(heads || watch || metrics) else {
      throw ValidationError("--heads, --watch and --metrics exclude a document.")
    }
    guard name != nil || !reading.isVerified else {
      throw ValidationError("--verified and --head need a document.")
    }
  }

  func openBackend() async throws -> any Backend {
    watch ? LateBackend(common.location(), common.terms.quiet) : try await common.open()
  }

  func run(in session: Session) async throws {
    if watch { return try await watch(session) }
    if let name { return try await showDocument(name, session) }
    let status = try await session.backend.ask(
      StatusRequest(hasHeads: heads, hasMetrics: metrics))
    let spools = Self.spools(session)
    if metrics { return try session.output.write(Self.metrics(status, spools)) }
    if common.json {
      return try session.printJSON(
        StatusReport(status: status, spools: spools, free: DiskSpace.free(at: status.path)),
        StatusReport.codec)
    }
    if let heads = status.heads {
      for head in heads { try session.output.writeLine("\(head)") }
      return
    }
    try session.output.write(Self.text(status, spools, session))
  }

  /// The status for people.
  ///
  /// - Parameter rate: The edits of the last second; nil if it is not known.
  static func text(
    _ status: StatusAnswer, _ spools: [WaitingSpool], _ session: Session, rate: UInt64? = nil
  ) -> String {
    var table = session.table(
      [.init(isRight: true), .init(isWrapped: true)], hasHeader: false)
    for (label, value) in rows(status, session) + rateRow(rate) {
      table.append([.init(label + ":", .header), .init(value)])
    }
    table.append([.init("damage:", .header), verdict(status)])
    var lines = warnings(status, session)
    lines += table.takeLines().split(separator: "\n").map(String.init)
    lines += (status.daemon?.clients ?? []).map(line)
    lines += spools.map { line($0, status, session) }
    return lines.map { $0 + "\n" }.joined()
  }

  /// What needs attention. It comes first.
  private static func warnings(_ status: StatusAnswer, _ session: Session) -> [String] {
    var lines: [String] = []
    if let shortage = status.daemon?.shortage {
      lines.append("no space: " + Excerpt.line(shortage.message, width: nil))
    }
    lines += status.damage.map { "damage: " + Excerpt.line($0, width: nil) }
    lines = lines.map { session.style.paint($0, .bad) }
    lines += (status.daemon?.refusedSpools ?? []).map { session.style.paint(line($0), .warning) }
    return lines
  }

  private static func line(_ client: ConnectedClient) -> String {
    let (identity, count) = (client.identity, client.openCount)
    let author = identity.author.map { ", author \(Excerpt.name($0, width: 40))" } ?? ""
    let open = count == 0 ? "" : ", \(Numbers.grouped(count)) open"
    let reasons = identity.skipped.reasons.map { "\(Numbers.grouped($0.count)) \($0.reason.words)" }
    let skipped = reasons.isEmpty ? "" : "; files skipped: " + reasons.joined(separator: ", ")
    return "connected: \(identity.client.shown)\(author)\(open)\(skipped)"
  }

  private static func rateRow(_ rate: UInt64?) -> [(String, String)] {
    rate.map { [("edits per second", Numbers.grouped($0))] } ?? []
  }

  private static func rows(_ status: StatusAnswer, _ session: Session) -> [(String, String)] {
    var rows = [("version", Excerpt.line(status.version, width: nil))]
    if let daemon = status.daemon {
      rows += [("daemon", "yes"), ("started", session.localTime(daemon.started))]
    }
    rows += [
      ("path", status.path.shown), ("store", Excerpt.line(status.store, width: nil)),
      ("documents", Numbers.grouped(status.documentCount)),
      ("edits", Numbers.grouped(status.editCount)),
      ("sealed", Numbers.size(status.sealedSize)),
      ("journal", Numbers.size(status.journalSize)),
      ("accepted losses", Numbers.grouped(status.acceptedLossCount)),
      ("quarantined", Numbers.grouped(status.quarantinedCount)),
    ]
    if let free = DiskSpace.free(at: status.path) {
      rows.append(("free on the disk", Numbers.size(free)))
    }
    if let daemon = status.daemon {
      rows += [
        ("last minute", lastMinute(daemon)),
        ("last seal", daemon.lastSeal.map(session.localTime) ?? "none since the start"),
        ("unsealed entries", Numbers.grouped(daemon.unsealedCount)),
        ("documents in memory", Numbers.grouped(daemon.inMemoryCount)),
        ("checked", Numbers.grouped(daemon.checkedCount)),
      ]
    }
    return rows
  }

  /// What was logged in the last minute, and the time that clients waited for it.
  private static func lastMinute(_ daemon: DaemonStatus) -> String {
    let count = daemon.lastMinuteCount
    guard count > 0 else { return "nothing logged" }
    let rate = count < 600 ? "\(Double(count * 10 / 60) / 10)" : Numbers.grouped(count / 60)
    return "\(Numbers.grouped(count)) logged, \(rate) a second;"
      + " acknowledged within \(Numbers.duration(Int64(daemon.lastMinuteLag)))"
  }

  /// The known damage, found without reading every byte.
  private static func verdict(_ status: StatusAnswer) -> Table.Cell {
    if !status.damage.isEmpty { return .init("found; see `editlog verify`", .bad) }
    return status.quarantinedCount > 0
      ? .init("there are files in quarantine; see `editlog verify`", .warning)
      : .init("none known; `editlog verify` reads every byte", .good)
  }
}

/// The state of a store, and what its programs left on this machine.
struct StatusReport: Hashable, Sendable {
  var status: StatusAnswer
  /// Edits that the daemon has not received.
  var spools: [WaitingSpool]
  /// Bytes that are free on the store's disk; nil if it cannot be read.
  var free: Int64?

  static let codec = Codec<Self>(
    { StatusReport(status: $0, spools: $1, free: $2) }, .group(\.status, StatusAnswer.codec),
    .required("spools", \.spools, .array(WaitingSpool.codec)),
    .optional("freeBytes", \.free, .natural))
}
