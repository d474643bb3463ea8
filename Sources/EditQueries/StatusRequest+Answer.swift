import EditLog
import EditModel
package import EditProtocol

extension StatusRequest: Question {
  /// Reads only headers, footers and journals.
  package func answer(_ engine: QueryEngine) async throws(ProtocolError) -> StatusAnswer {
    let source = engine.source
    let status = try await source.status()
    let summaries = try await source.documents(openingUpTo: .max).sorted {
      $0.document.name.precedesExactly($1.document.name)
    }
    let losses = try await source.losses()
    let attachments = try await source.attachmentLosses(of: nil)
    var heads: [AcknowledgedHead]?
    if hasHeads {
      heads = []
      for summary in summaries where summary.problem == nil {
        guard let history = try await source.history(of: summary.document) else { continue }
        do {
          let head = try AcknowledgedHead(summary.document, history.lastSequence, history.head)
          if let head { heads?.append(head) }
        } catch { throw ProtocolError(error).about(summary.document) }
      }
    }
    return StatusAnswer(
      version: EditLogVersion.current, store: "\(status.store)", path: source.path,
      documentCount: summaries.count, editCount: summaries.reduce(0) { $0 + $1.lastSequence },
      sealedSize: summaries.reduce(0) { $0 + $1.sealedSize },
      journalSize: status.journals.values.reduce(0, +),
      damage: Self.damage(losses, status, summaries)
        + attachments.map { "\($0.document.shown): \($0.problem)" },
      acceptedLossCount: losses.count { $0.acceptedTime != nil },
      quarantinedCount: status.quarantine.count, heads: heads,
      daemon: await source.daemonStatus())
  }

  /// A line for each known damage that is not accepted.
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
          \(name): \(damage.missing) after edit \(damage.after) cannot be read, from \
          \(damage.file(quarantined: status.quarantine.keys))
          """)
      }
    }
    return lines
  }
}

extension AcknowledgedHead {
  /// A head of the log. Never nil: 32 bytes have 64 digits.
  init?(_ document: DocumentID, _ sequence: SequenceNumber, _ head: ChainHead) {
    self.init(document: document, sequence: sequence, head: "\(head)")
  }
}
