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

  /// With many documents in old journals, a batch and the rest after it look only at its own documents.
  @Test func `a batch costs the same with 100,000 documents in old journals`() {
    let old = (0..<100_000).map { document("old \($0)") }
    let unsealed = Dictionary(uniqueKeysWithValues: old.map { ($0, 20) })
    var scheduler = JobScheduler(documents: old, unsealed: unsealed)
    let isNew = scheduler.hasNewOldJournal(1)
    #expect(isNew)
    scheduler.addSealsOfAppended(from: 100)
    let before = scheduler.lookCount
    for count in 1...50 {
      _ = scheduler.noteAppended(2, to: a, sealAfter: 400)
      let isNewAgain = scheduler.hasNewOldJournal(1)
      #expect(!isNewAgain)
      scheduler.addSealsOfAppended(from: 100)
      #expect(scheduler.lookCount - before == count)
    }
    #expect(kinds(scheduler) == [.seal])
    let next = scheduler.next(in: .running, awaitsIdle: false)
    #expect(next?.document == a)
  }

  /// Documents that were looked at are found again when they reach the count, under their names of now,
  /// and a lower count is compared with all.
  @Test(arguments: UInt64(0)..<8)
  func `seals are added as if all documents were looked at`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var counts: [DocumentID: Int] = [a: 7, b: 3]
    var scheduler = JobScheduler(documents: [], unsealed: counts)
    for round in 0..<300 {
      let name = document("\(random.next() % 12)")
      switch random.next() % 6 {
      case 0..<3:
        let count = Int(random.next() % 9)
        counts[name, default: 0] += count
        _ = scheduler.noteAppended(count, to: name, sealAfter: 1_000)
      case 3:
        counts[name] = nil
        scheduler.forget(name)
      case 4:
        let new = document("new \(round)")
        if let count = counts.removeValue(forKey: name) {
          counts[new] = count
          scheduler.rename([name: new])
        }
      default:
        let bound = [5, 10, 10, 20].randomElement(using: &random) ?? 10
        scheduler.addSealsOfAppended(from: bound)
        var found: Set<DocumentID> = []
        while let next = scheduler.next(in: .running, awaitsIdle: false) {
          found.insert(next.document)
          scheduler.noteSealing(of: next.document)
        }
        #expect(
          found == Set(counts.filter { $0.value >= bound }.keys), "round \(round), seed \(seed)")
        for document in found { counts[document] = nil }
      }
    }
  }
}
