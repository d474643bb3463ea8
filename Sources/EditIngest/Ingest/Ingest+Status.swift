import EditLog
import EditModel
package import EditProtocol
import EditQueries
import EditorSync
import Logging

extension Ingest {
  /// Logs the findings of recovery.
  func reportRecovery() {
    let report = writer.recovery
    if report.tornBytes > 0 {
      logger.notice(
        "the last run ended during a write: \(report.tornBytes) unconfirmed bytes are in quarantine"
      )
    }
    for step in report.madeAnew { logger.error("\(step.file): \(step.what)") }
    for damage in report.damages { logger.error("the journal is damaged: \(damage)") }
    // The log contains no document names, as they may be private.
    let damaged = report.documents.values.reduce(0) { $0 + $1.count }
    if damaged > 0 {
      logger.error("histories lack entries in \(damaged) places; `editlog verify` lists them")
    }
    for failure in report.failures.values { logger.error("a history cannot be read: \(failure)") }
    let open = writer.losses.count { $0.acceptedTime == nil }
    if open > 0 {
      logger.notice(
        "losses that are not accepted: \(open); `editlog status` lists them, `editlog repair --accept-loss` accepts them"
      )
    }
    // Begins the jobs of an idle store even if no request ever comes.
    drain()
  }

  /// The part of `status` that only a running daemon has.
  var daemonStatus: DaemonStatus {
    let minute = meters.minute
    return DaemonStatus(
      started: meters.started, unsealedCount: writer.unsealedCount,
      inMemoryCount: documents.count, checkedCount: writer.checkedCount,
      shortage: upkeep.space.shown, refusedSpools: desk.refusedSpools,
      clients: desk.connectedClients, lastMinuteCount: Int(clamping: minute.count),
      lastMinuteLag: Int(clamping: minute.longest), lastSeal: meters.lastSeal)
  }

  /// True if a connected editor has the document open.
  func isOpen(_ document: DocumentID) -> Bool {
    desk.editor(of: document) != nil
  }

  /// Notes that the client of a connection has described itself.
  package func noteConnection(_ number: Int, of client: ClientIdentity) {
    desk.setClient(client, ofConnection: number)
  }

  /// Notes the end of a connection whose client has described itself.
  package func noteEnd(ofConnection number: Int) {
    desk.setClient(nil, ofConnection: number)
  }
}
