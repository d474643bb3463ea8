import EditModel
import NIOCore
import TestSupport
import Testing

@testable import EditIngest

/// Which job comes next.
@Suite struct JobSchedulerTests {
  private let a = document("a")
  private let b = document("b")

  private func kinds(
    _ scheduler: JobScheduler, in phase: IngestPhase = .running, awaitsIdle: Bool = false
  ) -> [JobQueue.Kind] {
    var (scheduler, kinds) = (scheduler, [JobQueue.Kind]())
    while let next = scheduler.next(in: phase, awaitsIdle: awaitsIdle) { kinds.append(next.kind) }
    return kinds
  }

  @Test func thePhaseChoosesTheJobs() {
    var scheduler = JobScheduler(documents: [a], unsealed: [:])
    for kind in JobQueue.Kind.allCases { scheduler.add(kind, a) }
    #expect(kinds(scheduler) == [.append, .attach, .seal, .checkpoint])
    #expect(kinds(scheduler, awaitsIdle: true) == [.append])
    #expect(kinds(scheduler, in: .closing(by: .distantFuture)) == [.append])
    #expect(kinds(scheduler, in: .sealing, awaitsIdle: true) == [.seal, .checkpoint])
    #expect(kinds(scheduler, in: .closed) == [])
    scheduler.isAtRest = true
    #expect(
      kinds(scheduler)
        == [.append, .attach, .seal, .checkpoint, .check, .projections, .compaction])
    scheduler.areChecksPaused = true
    #expect(kinds(scheduler) == [.append, .attach, .seal, .checkpoint, .compaction])
    scheduler.isBackingOff = true
    #expect(kinds(scheduler) == [.append, .attach])
  }

  @Test func documentsAreSealedByWhatTheJournalsHave() {
    var scheduler = JobScheduler(documents: [], unsealed: [a: 3])
    _ = scheduler.noteAppended(2, to: a, sealAfter: 6)
    _ = scheduler.noteAppended(4, to: b, sealAfter: 6)
    scheduler.addSeals(from: 6)
    #expect(kinds(scheduler).isEmpty)
    scheduler.addSeals(from: 5)
    let next = scheduler.next(in: .running, awaitsIdle: false)
    #expect(next?.kind == .seal && next?.document == a)
    scheduler.noteSealing(of: a)
    scheduler.rename([b: a])
    scheduler.addSeals(from: 5)
    #expect(kinds(scheduler).isEmpty)
    scheduler.addSeals(inOldJournals: [a, b])
    #expect(scheduler.next(in: .running, awaitsIdle: false)?.document == a)
    scheduler.forget(a)
    scheduler.addSeals(from: 1)
    scheduler.addSeals(inOldJournals: [a])
    #expect(kinds(scheduler).isEmpty)
  }

  /// The longer the backlog, the longer the next requests wait. What a job leaves is counted.
  @Test func aLongBacklogDelaysItsDocument() {
    var scheduler = JobScheduler(documents: [], unsealed: [:])
    #expect(scheduler.noteAppended(200, to: a, sealAfter: 100) == nil)
    #expect(scheduler.noteAppended(100, to: a, sealAfter: 100) == .nanoseconds(50_000))
    #expect(scheduler.noteAppended(100, to: a, sealAfter: 100) == .nanoseconds(100_000))
    #expect(scheduler.noteAppended(1, to: b, sealAfter: 100) == nil)
    #expect(kinds(scheduler) == [.seal])
    scheduler.noteSealing(of: a, leaving: 300)
    #expect(scheduler.noteAppended(100, to: a, sealAfter: 100) == .nanoseconds(100_000))
    let long = scheduler.noteAppended(1 << 40, to: a, sealAfter: 100)
    #expect(long == .milliseconds(250))
  }

  @Test func aPauseEnds() {
    var pauses = Pauses()
    let now = NIODeadline.now()
    pauses.add(.milliseconds(5), of: a, at: now)
    pauses.add(.milliseconds(5), of: a, at: now)
    #expect(pauses.end(of: b, at: now) == nil)
    #expect(pauses.end(of: a, at: now) == now + .milliseconds(10))
    #expect(pauses.end(of: a, at: now + .milliseconds(10)) == nil)
    #expect(pauses.isEmpty)
  }

  /// What the last run has left is sealed once, under the names of now.
  @Test func leftoversAreSealedOnce() {
    var scheduler = JobScheduler(documents: [], unsealed: [a: 1])
    scheduler.rename([a: b])
    scheduler.addLeftovers()
    #expect(scheduler.next(in: .running, awaitsIdle: false)?.document == b)
    scheduler.addLeftovers()
    #expect(kinds(scheduler).isEmpty)
  }

  /// A job may wait for a forgotten document whose name another one gets.
  @Test func `a renamed document has one job of a kind`() {
    var queue = JobQueue()
    queue.add(.compaction, a)
    queue.add(.compaction, b)
    queue.rename([b: a])
    #expect(queue.invariantViolation() == nil)
    #expect(queue.next(of: [.compaction])?.document == a)
    #expect(queue.next(of: [.compaction]) == nil)
  }
}
