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
    #expect(kinds(scheduler) == [.append, .seal, .checkpoint])
    #expect(kinds(scheduler, awaitsIdle: true) == [.append])
    #expect(kinds(scheduler, in: .closing(by: .distantFuture)) == [.append])
    #expect(kinds(scheduler, in: .sealing, awaitsIdle: true) == [.seal, .checkpoint])
    #expect(kinds(scheduler, in: .closed) == [])
    scheduler.isAtRest = true
    #expect(kinds(scheduler) == [.append, .seal, .checkpoint, .check, .compaction])
    scheduler.areChecksPaused = true
    #expect(kinds(scheduler) == [.append, .seal, .checkpoint, .compaction])
    scheduler.isBackingOff = true
    #expect(kinds(scheduler) == [.append])
  }

  @Test func documentsAreSealedByWhatTheJournalsHave() {
    var scheduler = JobScheduler(documents: [], unsealed: [a: 3])
    scheduler.noteAppended(2, to: a)
    scheduler.noteAppended(4, to: b)
    scheduler.addSeals(from: 6, inOldJournals: [])
    #expect(kinds(scheduler).isEmpty)
    scheduler.addSeals(from: 5, inOldJournals: [])
    let next = scheduler.next(in: .running, awaitsIdle: false)
    #expect(next?.kind == .seal && next?.document == a)
    scheduler.noteSealing(of: a)
    scheduler.rename([b: a])
    scheduler.addSeals(from: 5, inOldJournals: [a, b])
    #expect(scheduler.next(in: .running, awaitsIdle: false)?.document == a)
    scheduler.forget(a)
    scheduler.addSeals(from: 1, inOldJournals: [a])
    #expect(kinds(scheduler).isEmpty)
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
}
