import EditLog
import EditModel
import NIOCore

/// A job that runs on the job thread.
struct CurrentJob {
  var kind: JobQueue.Kind
  var document: DocumentID
  let job: StoreJob
  let start = NIODeadline.now()
}

/// Decides which job comes next: from what is to be done, what is under way, and whether clients are
/// waiting. It touches no file: `Ingest` prepares, runs and finishes the jobs.
struct JobScheduler {
  /// Documents of which so many times `sealAfter` entries wait are sealed before more is taken: what
  /// is not sealed is in memory, and in journals that a restart would read.
  private static let backlogMax = 16

  private var queue = JobQueue()
  /// The job under way.
  private(set) var current: CurrentJob?
  /// The kind of the job that ended last.
  private var lastKind: JobQueue.Kind?
  /// Entries of each document that are in the journal alone, and that no seal job is to take.
  private var unsealed: [DocumentID: Int]
  /// Documents with entries that the last run has left in the journals.
  private var leftovers: Set<DocumentID>

  /// True while nothing was written for a moment.
  var isAtRest = false
  /// True while no check is begun, because the last one is to be followed by a pause.
  var areChecksPaused = false
  /// True while no job is begun, because there was no room for the last.
  var isBackingOff = false

  /// Documents of a store that was just opened, and how many entries of them are in the journals.
  init(documents: [DocumentID], unsealed: [DocumentID: Int]) {
    (self.unsealed, leftovers) = (unsealed, Set(unsealed.keys))
    for document in documents {
      queue.add(.check, document)
      queue.add(.compaction, document)
    }
  }

  /// Adds a job, once.
  mutating func add(_ kind: JobQueue.Kind, _ document: DocumentID) { queue.add(kind, document) }

  /// Counts entries that were written to the journal.
  mutating func noteAppended(_ count: Int, to document: DocumentID) {
    unsealed[document, default: 0] += count
  }

  /// Lets the documents be sealed that have at least `count` entries in the journal alone, and those
  /// in old journals, which one edit would keep. One that cannot be sealed is tried again when it has
  /// as many more.
  mutating func addSeals(from count: Int, inOldJournals: [DocumentID]) {
    for (document, entries) in unsealed where entries >= count { queue.add(.seal, document) }
    for document in inOldJournals where unsealed[document] != nil { queue.add(.seal, document) }
    if queue.isWaiting(.seal) { cancel([.compaction, .check]) }
  }

  /// Lets what the last run has left in the journals be sealed.
  mutating func addLeftovers() {
    for document in leftovers { queue.add(.seal, document) }
    leftovers = []
  }

  /// True if requests have to wait until a document is sealed.
  func isBehind(sealAfter: Int) -> Bool {
    current?.kind == .seal && unsealed.values.contains { $0 / Self.backlogMax >= sealAfter }
  }

  /// Takes out the most urgent job, if none is under way.
  ///
  /// - Parameter awaitsIdle: True if a caller waits until there is no job.
  mutating func next(
    in phase: Ingest.Phase, awaitsIdle: Bool
  ) -> (kind: JobQueue.Kind, document: DocumentID)? {
    guard current == nil else { return nil }
    return queue.next(of: kinds(in: phase, awaitsIdle: awaitsIdle))
  }

  /// The kinds of jobs that may be begun, the most urgent first.
  private func kinds(in phase: Ingest.Phase, awaitsIdle: Bool) -> [JobQueue.Kind] {
    switch phase {
    case .closed: return []
    case .sealing: return [.seal, .checkpoint]
    // Long work that has begun is always finished.
    case .closing: return [.append]
    case .running where awaitsIdle || isBackingOff: return [.append]
    case .running: break
    }
    // By turns, so that steady large edits do not keep the journals from being sealed.
    let first: [JobQueue.Kind] = lastKind == .append ? [.seal, .append] : [.append, .seal]
    if !isAtRest { return first + [.checkpoint] }
    return first + [.checkpoint] + (areChecksPaused ? [] : [.check]) + [.compaction]
  }

  /// A job is about to be prepared that takes the entries of a document out of the journal.
  mutating func noteSealing(of document: DocumentID) { unsealed[document] = nil }

  /// A job was begun.
  mutating func begin(_ kind: JobQueue.Kind, _ document: DocumentID, _ job: StoreJob) {
    current = CurrentJob(kind: kind, document: document, job: job)
  }

  /// The job under way has ended, or is given up.
  mutating func end() -> CurrentJob? {
    defer { current = nil }
    lastKind = current?.kind ?? lastKind
    return current
  }

  /// Asks the job under way to stop if it is one of these. It is tried again later.
  func cancel(_ kinds: Set<JobQueue.Kind>) {
    if let current, kinds.contains(current.kind) { current.job.cancel() }
  }

  /// Forgets the entries of a document that is no more.
  mutating func forget(_ document: DocumentID) { unsealed[document] = nil }

  /// Renames documents; `names` has the new name for each old one. O(jobs).
  mutating func rename(_ names: [DocumentID: DocumentID]) {
    let counts = names.keys.map { ($0, unsealed.removeValue(forKey: $0)) }
    for (old, count) in counts { names[old].map { unsealed[$0] = count } }
    leftovers = Set(leftovers.map { names[$0] ?? $0 })
    queue.rename(names)
    if let document = current?.document, let new = names[document] { current?.document = new }
  }
}
