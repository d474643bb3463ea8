import ArgumentParser
import EditClient
import EditJSON
import EditModel
import EditProtocol

struct StatusCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the state of the daemon and its store.")

  @Flag(help: "Print only the head of each history, one per line, as `verify --heads` reads it.")
  var heads = false
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func run(in session: Session) async throws {
    let status = try await session.backend.ask(StatusRequest(hasHeads: heads))
    let spools = Self.spools(session)
    if common.json {
      var object = try StatusAnswer.codec.encode(status).asObject()
      object["spools"] = .array(spools.map(\.json))
      return try session.printJSON(.object(object))
    }
    if let heads = status.heads {
      for head in heads { try session.output.writeLine("\(head)") }
      return
    }
    var table = Table(
      [.init(isRight: true), .init()], style: session.style, hasHeader: false)
    for (label, value) in Self.rows(status, session) {
      table.append([.init(label + ":", .header), .init(value)])
    }
    table.append([.init("damage:", .header), Self.verdict(status)])
    try session.output.write(table.takeLines())
    for line in status.damage {
      try session.output.writeLine("  " + Excerpt.line(line, width: nil))
    }
    if let shortage = status.daemon?.shortage {
      let message = Excerpt.line(shortage.message, width: nil)
      try session.output.writeLine(session.style.paint("no space: \(message)", .bad))
    }
    for spool in spools { try session.output.writeLine(Self.line(spool, session)) }
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
    if let daemon = status.daemon {
      rows += [
        ("unsealed entries", Numbers.grouped(daemon.unsealedCount)),
        ("documents in memory", Numbers.grouped(daemon.inMemoryCount)),
        ("checked", Numbers.grouped(daemon.checkedCount)),
      ]
    }
    return rows
  }

  /// The known damage, found without reading every byte.
  private static func verdict(_ status: StatusAnswer) -> Table.Cell {
    if !status.damage.isEmpty { return .init("found; see `editlog verify`", .bad) }
    return status.quarantinedCount > 0
      ? .init("there are files in quarantine; see `editlog verify`", .warning)
      : .init("none known; `editlog verify` reads every byte", .good)
  }
}
