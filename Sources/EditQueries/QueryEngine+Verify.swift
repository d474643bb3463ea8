import EditLog
import EditModel
import EditProtocol

extension QueryEngine {
  /// What a check of every byte finds. `kind` is `damaged` where bytes that were once whole have
  /// changed or are missing, `torn` where a write was cut short that nobody was told of.
  func verify() async throws(ProtocolError) -> JSON {
    let report = try await source.verify()
    let damages = report.damages.sorted { $0.key.name < $1.key.name }
      .flatMap { document, damages in damages.map { Self.finding($0, document) } }
    let findings =
      report.problems.map(Self.finding) + damages + report.quarantined.map(Self.finding)
    var heads: JSONObject = [:]
    for (document, head) in report.heads.sorted(by: { $0.key.name < $1.key.name }) {
      heads[document.name] = JSON(head.description)
    }
    return [
      "sound": .bool(
        report.problems.isEmpty && report.damages.isEmpty
          && report.quarantined.allSatisfy { $0.hasSuffix(".torn") }),
      "documents": JSON(report.documentCount), "edits": JSON(report.editCount),
      "events": JSON(report.eventCount), "badCheckpoints": JSON(report.badCheckpoints),
      "findings": .array(findings), "heads": .object(heads),
    ]
  }

  private static func finding(_ problem: VerificationReport.Problem) -> JSON {
    var finding: JSONObject = ["kind": "damaged"]
    finding["document"] = problem.document.map { JSON($0.name) }
    if case .damaged(let file, let offset, let what) = problem.error {
      (finding["file"], finding["offset"], finding["what"]) = (JSON(file), JSON(offset), JSON(what))
    } else {
      (finding["file"], finding["what"]) = (
        JSON(problem.document?.name ?? "store"), JSON("\(problem.error)")
      )
    }
    return .object(finding)
  }

  private static func finding(_ damage: HistoryDamage, _ document: DocumentID) -> JSON {
    [
      "kind": "damaged", "document": JSON(document.name), "file": JSON("journal \(damage.journal)"),
      "what": JSON(
        """
        after edit \(damage.after) of \(document), \(damage.lostEntries) entries are lost and \
        \(damage.unreachableEntries) behind them are kept in quarantine
        """),
    ]
  }

  /// What was put aside: a write that nobody had been told of, or a file that was damaged.
  private static func finding(_ quarantined: String) -> JSON {
    guard quarantined.hasSuffix(".torn") else {
      return [
        "kind": "damaged", "file": JSON("quarantine/\(quarantined)"),
        "what": "a damaged file was put aside whole; what it alone held is not in any history",
      ]
    }
    return [
      "kind": "torn", "file": JSON("quarantine/\(quarantined)"),
      "what": "a write that was cut short, and that nobody was told of, was put aside",
    ]
  }
}
