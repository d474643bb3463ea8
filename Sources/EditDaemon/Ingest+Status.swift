import EditJSON
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
        "the last run ended within a write: \(report.tornBytes) bytes that were not confirmed are in quarantine"
      )
    }
    for step in report.madeAnew { logger.error("\(step.file): \(step.what)") }
    for damage in report.damages { logger.error("the journal is damaged: \(damage)") }
    // A document's name may tell what it is about: logs have its number of damages only.
    let damaged = report.documents.values.reduce(0) { $0 + $1.count }
    if damaged > 0 {
      logger.error("histories lack entries in \(damaged) places; editlog verify shows where")
    }
    for failure in report.failures.values { logger.error("a history cannot be read: \(failure)") }
    let open = writer.losses.count { $0.acceptedTime == nil }
    if open > 0 {
      logger.notice(
        "losses that are not accepted: \(open); editlog status shows them, editlog repair --accept-loss accepts them"
      )
    }
    // Nothing may ever be asked: what is to be done at rest begins by itself.
    drain()
  }

  /// The state of the daemon.
  var daemonStatus: DaemonStatus {
    DaemonStatus(
      started: started, unsealedCount: writer.unsealedCounts.values.reduce(0, +),
      inMemoryCount: documents.count, checkedCount: writer.checkedCount,
      shortage: shownShortage)
  }
}
