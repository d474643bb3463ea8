import EditLog
import EditModel
import EditProtocol
import EditQueries
import Logging

extension Ingest {
  /// What recovery found, into the daemon's log.
  func reportRecovery() {
    let report = writer.recovery
    if report.tornBytes > 0 {
      logger.notice(
        "the last run ended within a write: \(report.tornBytes) bytes that nobody was told of are in quarantine")
    }
    for damage in report.damages { logger.error("the journal is damaged: \(damage)") }
    // A document's name may tell what it is about: logs have its number of damages only.
    let damaged = report.documents.values.reduce(0) { $0 + $1.count }
    if damaged > 0 {
      logger.error("histories lack entries in \(damaged) places; editlog verify shows where")
    }
    for failure in report.failures.values { logger.error("a history cannot be read: \(failure)") }
  }

  /// How the daemon and its store are.
  func status() throws(ProtocolError) -> JSON {
    let status: StoreStatus
    let summaries: [DocumentSummary]
    do {
      (status, summaries) = (try writer.status(), try writer.allDocuments())
    } catch {
      throw ProtocolError(error)
    }
    return [
      "version": JSON(EditLogVersion.current), "store": JSON("\(status.store)"),
      "path": JSON(options.store), "daemon": true, "started": JSON(started.rfc3339),
      "documents": JSON(summaries.count),
      "edits": JSON(summaries.reduce(0) { $0 + $1.lastSequence }),
      "unsealed": JSON(writer.unsealedCounts.values.reduce(0, +)),
      "bytes": JSON(summaries.reduce(0) { $0 + $1.sealedSize }),
      "journalBytes": JSON(status.journals.values.reduce(0, +)),
      "damage": .array(status.damages.map { JSON("\($0)") }),
      "quarantine": JSON(status.quarantine.count),
    ]
  }
}
