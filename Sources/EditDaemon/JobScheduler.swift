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

/// Decides which job comes next, from the jobs that wait, the one that runs, and whether clients wait.
/// It touches no file: `Ingest` prepares, runs and finishes the jobs.
struct JobScheduler {
  /// Requests wait while a document has this multiple of `sealAfter` unsealed entries. Unsealed
  /// entries are in memory, and in journals that a restart reads.
  private static let backlogMax = 16

  private var queue = JobQueue()
  /// The job under way.
  private(set) var current: CurrentJob?
  /// The kind of the job that ended last.
  private var lastKind: JobQueue.Kind?
  /// The number of entries of each document that are only in the journal, without those of the seal
  /// job that runs.
  private var unsealed: [DocumentID: Int]
  /// Documents with entries that the last run has left in the journals.
  private var leftovers: Set<DocumentID>

  /// True if nothing was written for `IngestOptions.idleMilliseconds`.
  var isAtRest = false
  /// True during the pause after a check: no check begins.
  var areChecksPaused = false
  /// True for a while after a job found the disk full: no job begins.
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

  /// Adds seal jobs for documents with at least `count` entries that are only in the journal, and for
  /// those in old journals: one entry keeps a whole journal. If a job fails, the document is tried
  /// again after `count` more entries.
  mutating func addSeals(from count: Int, inOldJournals: [DocumentID]) {
    for (document, entries) in unsealed where entries >= count { queue.add(.seal, document) }
    for document in inOldJournals where unsealed[document] != nil { queue.add(.seal, document) }
    if queue.isWaiting(.seal) { cancel([.compaction, .check]) }
  }

  /// Adds seal jobs for the entries that the last run left in the journals.
  mutating func addLeftovers() {
    for document in leftovers { queue.add(.seal, document) }
    leftovers = []
  }

  /// True if requests have to wait until a document is sealed.
  func isBehind(sealAfter: Int) -> Bool {
    current?.kind == .seal && unsealed.values.contains { $0 / Self.backlogMax >= sealAfter }
  }

  /// Removes and returns the most urgent job, if no job runs.
  ///
  /// - Parameter awaitsIdle: True if a caller waits until no job runs.
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
    // They take turns, so that steady large edits do not delay seals for ever.
    let first: [JobQueue.Kind] = lastKind == .append ? [.seal, .append] : [.append, .seal]
    if !isAtRest { return first + [.checkpoint] }
    return first + [.checkpoint] + (areChecksPaused ? [] : [.check]) + [.compaction]
  }

  /// A job is about to be prepared that seals the entries of a document.
  mutating func noteSealing(of document: DocumentID) { unsealed[document] = nil }

  /// A job has begun.
  mutating func begin(_ kind: JobQueue.Kind, _ document: DocumentID, _ job: StoreJob) {
    current = CurrentJob(kind: kind, document: document, job: job)
  }

  /// The job that runs has ended, or is given up. Returns it.
  mutating func end() -> CurrentJob? {
    defer { current = nil }
    lastKind = current?.kind ?? lastKind
    return current
  }

  /// Asks the job under way to stop if it is one of these. It is tried again later.
  func cancel(_ kinds: Set<JobQueue.Kind>) {
    if let current, kinds.contains(current.kind) { current.job.cancel() }
  }

  /// Forgets the entries of a removed document.
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
