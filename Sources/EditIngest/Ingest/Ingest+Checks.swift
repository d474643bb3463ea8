import EditLog
import Logging
import NIOCore

/// Checks the files of each document once after the start, one document after the other, while nothing
/// else is to be done. Files that are sealed later are not checked: they are read back when they are
/// written.
extension Ingest {
  /// The pause after a check, as a multiple of the check's time: the disk is free for others most of the
  /// time.
  private static let pauseFactor: Int64 = 3

  /// Logs the findings of a check. A document that cannot be read is refused from then on.
  func noteCheck(of done: CurrentJob) {
    pauseChecks(after: NIODeadline.now() - done.start)
    guard let check = done.job.check else {
      // It was cancelled, for a seal.
      return scheduler.add(.check, done.document)
    }
    for removed in check.removed { logger.warning("\(removed)") }
    guard let failure = check.failure else {
      // The last run may have ended before it stored the checkpoint or the projections.
      scheduler.add(.checkpoint, done.document)
      return scheduler.add(.projections, done.document)
    }
    logger.error("a document cannot be read, and is refused from now on: \(failure)")
    documents[done.document] = nil
  }

  private func pauseChecks(after length: TimeAmount) {
    scheduler.areChecksPaused = true
    after(length * Self.pauseFactor) { ingest in
      ingest.scheduler.areChecksPaused = false
      ingest.startJob()
    }
  }
}
