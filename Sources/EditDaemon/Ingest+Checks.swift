import EditLog
import Logging
import NIOCore

/// The files of documents as the daemon finds them are checked once, one document after the other,
/// while nothing else is to be done. What is sealed later the daemon writes and reads back itself.
extension Ingest {
  /// The pause after a check, in lengths of it: a disk that others need is left alone most of the
  /// time.
  private static let pauseFactor: Int64 = 3

  /// Takes notice of what a check found.
  func noteCheck(of done: CurrentJob) {
    pauseChecks(after: NIODeadline.now() - done.start)
    guard let check = done.job.check else {
      // It was stopped, for a seal.
      return scheduler.add(.check, done.document)
    }
    for removed in check.removed { logger.warning("\(removed)") }
    guard let failure = check.failure else {
      // The last run may have ended before it stored one.
      return scheduler.add(.checkpoint, done.document)
    }
    logger.error("a document is refused from here on: \(failure)")
    documents[done.document] = nil
  }

  private func pauseChecks(after length: TimeAmount) {
    scheduler.areChecksPaused = true
    loop.scheduleTask(in: length * Self.pauseFactor) {
      self.assumeIsolated { ingest in
        ingest.scheduler.areChecksPaused = false
        ingest.startJob()
      }
    }
  }
}
