import EditLog
import EditModel
import EditProtocol

extension QueryEngine {
  /// How the store is: what it holds, how large it is, what is known to be damaged without
  /// reading more than headers, footers and journals; with `heads` also where each history ends.
  func status(_ params: JSON) async throws(ProtocolError) -> JSON {
    let status = try await source.status()
    let summaries = try await source.documents(openingUpTo: .max)
    let losses = try await source.losses()
    var result: JSONObject = [
      "version": JSON(EditLogVersion.current), "store": JSON("\(status.store)"),
      "path": JSON(source.path), "documents": JSON(summaries.count),
      "edits": JSON(summaries.reduce(0) { $0 + $1.lastSequence }),
      "sealedBytes": JSON(summaries.reduce(0) { $0 + $1.sealedSize }),
      "journalBytes": JSON(status.journals.values.reduce(0, +)),
      "damage": .array(Self.damage(losses, status, summaries).map { JSON($0) }),
      "acceptedLosses": JSON(losses.count { $0.acceptedTime != nil }),
      "quarantined": JSON(status.quarantine.count),
    ]
    if try params.flag("heads") {
      var heads: [JSON] = []
      for summary in summaries where summary.problem == nil {
        guard let history = try await source.history(of: summary.document) else { continue }
        do {
          heads.append(Self.head(summary.document, history.lastSequence, try history.head))
        } catch { throw ProtocolError(error).about(summary.document) }
      }
      result["heads"] = .array(heads)
    }
    return .object(result)
  }

  /// A line for each damage that is known and not accepted.
  private static func damage(
    _ losses: [StoreLoss], _ status: StoreStatus, _ summaries: [DocumentSummary]
  ) -> [String] {
    var lines = losses.filter { $0.acceptedTime == nil }.map { "\($0)" }
    for summary in summaries {
      let name = summary.document.shown
      if let problem = summary.problem { lines.append("\(name): \(problem)") }
      for damage in summary.damage where !damage.isAccepted {
        lines.append(
          """
          \(name): \(damage.missing) after edit \(damage.after) cannot be read any more, from \
          \(damage.file(quarantined: status.quarantine.keys))
          """)
      }
    }
    return lines
  }

  /// A head in the form that `editlog/verify` takes.
  static func head(
    _ document: DocumentID, _ sequence: SequenceNumber, _ head: ChainHead
  ) -> JSON {
    JSON("\(document.shown)@\(sequence):\(head)")
  }
}
