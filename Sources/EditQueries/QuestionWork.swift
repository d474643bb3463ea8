package import EditProtocol
import Synchronization

/// The work on one answer: it can be cancelled from any thread, and reports its progress.
///
/// Work that folds a history calls `pass` again and again. The check of a store or of a chain, a point
/// that counts undo steps, and the comparison of two versions do not: they are not cancelled.
package final class QuestionWork: Sendable {
  /// Called with the done part of the work in percent: ascending, at most ten times a second, and not
  /// in the first tenth. Called on the thread that makes the answer.
  package typealias Report = @Sendable (_ percent: Int) -> Void

  private struct Progress {
    var percent = -1
    var nextTime = ContinuousClock.now + QuestionWork.pause
  }

  private static var pause: Duration { .milliseconds(100) }

  private let cancelled = Atomic(false)
  private let progress = Mutex(Progress())
  private let report: Report?

  /// Work that was not cancelled yet.
  package init(report: Report? = nil) { self.report = report }

  /// Ends the work soon, with the error `requestCancelled`.
  package func cancel() { cancelled.store(true, ordering: .relaxed) }

  package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Reports that `done` of the work is done, 0 to 1.
  ///
  /// - Throws: `ProtocolError`: `requestCancelled`.
  package func pass(_ done: Double) throws(ProtocolError) {
    if isCancelled { throw .requestCancelled }
    guard let report else { return }
    let percent = progress.withLock { progress -> Int? in
      let percent = Int(min(max(done, 0), 1) * 100)
      guard percent > progress.percent, ContinuousClock.now >= progress.nextTime else { return nil }
      progress = Progress(percent: percent)
      return percent
    }
    if let percent { report(percent) }
  }
}

/// Counts the entries of a fold, and passes a part of the work now and then.
struct FoldProgress {
  private let work: QuestionWork?
  /// The part of the work that the fold is.
  private let share: ClosedRange<Double>
  private let edits: ClosedRange<UInt64>
  private var count = 0

  /// The number of entries after which the work is asked whether it goes on: about 100 µs.
  private static let entryCount = 512

  /// The fold of these edits.
  init(_ work: QuestionWork?, _ edits: ClosedRange<UInt64>, share: ClosedRange<Double>) {
    (self.work, self.edits, self.share) = (work, edits, share)
  }

  /// Notes an entry, before it is folded; `place` is the number of its edit.
  ///
  /// - Throws: `ProtocolError`: `requestCancelled`.
  mutating func note(_ place: UInt64) throws(ProtocolError) {
    count += 1
    guard count % Self.entryCount == 0, let work else { return }
    let done = place - min(place, edits.lowerBound)
    let part = Double(done) / Double(max(1, edits.upperBound - edits.lowerBound))
    try work.pass(share.lowerBound + part * (share.upperBound - share.lowerBound))
  }
}
