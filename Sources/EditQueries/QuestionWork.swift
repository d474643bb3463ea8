package import EditProtocol
import Synchronization

/// The work on one answer: it can be cancelled from any thread, gives way to other work, and reports its
/// progress.
///
/// Work that reads a history calls `pass` again and again. The comparison of two texts itself does not,
/// because its cost is bounded.
package final class QuestionWork: Sendable {
  /// Called with the done part of the work in percent: ascending, at most ten times a second, and not
  /// in the first tenth. Called on the thread that makes the answer.
  package typealias Report = @Sendable (_ percent: Int) -> Void

  /// Called on the thread that makes the answer, which may wait in it while others work. False ends the
  /// work, as if it were cancelled.
  package typealias GiveWay = @Sendable () -> Bool

  private struct Progress {
    var percent = -1
    var nextTime: ContinuousClock.Instant
  }

  private let cancelled = Atomic(false)
  private let progress: Mutex<Progress>
  private let pause: Duration
  private let giveWay: GiveWay?
  private let report: Report?

  /// Work that was not cancelled yet. `pause` is the least time between two reports, and before the
  /// first.
  package init(
    pause: Duration = .milliseconds(100), report: Report? = nil, giveWay: GiveWay? = nil
  ) {
    (self.pause, self.giveWay, self.report) = (pause, giveWay, report)
    progress = Mutex(Progress(nextTime: ContinuousClock.now + pause))
  }

  /// Ends the work soon, with the error `requestCancelled`.
  package func cancel() { cancelled.store(true, ordering: .relaxed) }

  /// Work that gives way as this does, but is not cancelled with it, and reports nothing.
  package var withoutCancelling: QuestionWork { QuestionWork(giveWay: giveWay) }

  /// Work that gives way as this does and is cancelled with it, but reports nothing.
  var withoutProgress: QuestionWork { QuestionWork(giveWay: { !self.isOver }) }

  package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Gives way to other work if its time is over. True if the work is to end.
  package var isOver: Bool {
    if isCancelled { return true }
    guard let giveWay else { return false }
    // It may have been cancelled while others worked.
    return !giveWay() || isCancelled
  }

  /// Reports that `done` of the work is done, 0 to 1.
  ///
  /// - Throws: `ProtocolError`: `requestCancelled`.
  package func pass(_ done: Double) throws(ProtocolError) {
    if isOver { throw .requestCancelled }
    guard let report else { return }
    let percent = progress.withLock { progress -> Int? in
      let percent = Int(min(max(done, 0), 1) * 100)
      guard percent > progress.percent, ContinuousClock.now >= progress.nextTime else { return nil }
      progress = Progress(percent: percent, nextTime: ContinuousClock.now + pause)
      return percent
    }
    if let percent { report(percent) }
  }
}

extension QuestionWork {
  /// As `pass`, but false if the work was cancelled.
  func goesOn(_ done: Double) -> Bool {
    do { try pass(done) } catch { return false }
    return true
  }
}

/// Ends a fold or a replay when the work is cancelled, and passes a part of the work now and then.
struct FoldProgress {
  private let work: QuestionWork?
  /// The part of the work that the fold is.
  private let share: ClosedRange<Double>
  private let edits: ClosedRange<UInt64>
  private var last: UInt64

  /// The number of edits after which a part of the work is passed: about 10 µs, or much more if they are
  /// long.
  private static let editCount: UInt64 = 64

  /// The fold of these edits.
  init(_ work: QuestionWork?, _ edits: ClosedRange<UInt64>, share: ClosedRange<Double>) {
    (self.work, self.edits, self.share) = (work, edits, share)
    last = edits.lowerBound
  }

  /// Notes that the entries up to the edit `place` were read. Most calls do nothing.
  ///
  /// - Throws: `ProtocolError`: `requestCancelled`.
  mutating func note(_ place: UInt64) throws(ProtocolError) {
    // The links are checked before the entries are replayed.
    if place < last { last = place }
    guard place - last >= Self.editCount, let work else { return }
    last = place
    let done = place - min(place, edits.lowerBound)
    let part = Double(done) / Double(max(1, edits.upperBound - edits.lowerBound))
    try work.pass(share.lowerBound + part * (share.upperBound - share.lowerBound))
  }
}
