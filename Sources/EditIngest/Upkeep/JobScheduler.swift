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

/// Chooses the next job from the waiting jobs, the running one, the phase, and whether the store is at
/// rest. It does no I/O: `Ingest` prepares, runs and finishes the jobs.
struct JobScheduler {
  /// Requests wait while a document has more than this multiple of `sealAfter` unsealed entries: these
  /// are in memory, and in journals that the next start reads.
  private static let backlogMax = 16
  /// From this multiple of `sealAfter` on, the requests of a document are delayed.
  private static let backlogPaced = 2.0
  /// The longest delay after a batch.
  private static let pauseMax = 250_000_000.0

  private var queue = JobQueue()
  /// The running job.
  private(set) var current: CurrentJob?
  /// The kind of the job that ended last.
  private var lastKind: JobQueue.Kind?
  /// The number of unsealed entries of each document, without those of the running seal job.
  private var unsealed: [DocumentID: Int]
  /// The documents because of whose unsealed entries requests wait.
  private var behind: Set<DocumentID> = []
  /// The newest journal that was not written to any more when seals were last added.
  private var newestOldJournal: UInt64?
  /// Nanoseconds in which the last seal job sealed an entry.
  private var sealTime = 1000.0
  /// Documents with entries that the last run left in the journals.
  private var leftovers: Set<DocumentID>

  /// True if nothing was written for `IngestOptions.idleMilliseconds`.
  var isAtRest = false
  /// True during the pause after a check: no check begins.
  var areChecksPaused = false
  /// True for a while after a job found the disk full: no job begins but those whose clients wait.
  var isBackingOff = false

  /// The scheduler of a store that was just opened, with the number of unsealed entries of each
  /// document.
  init(documents: [DocumentID], unsealed: [DocumentID: Int]) {
    (self.unsealed, leftovers) = (unsealed, Set(unsealed.keys))
    for document in documents {
      queue.add(.check, document)
      queue.add(.compaction, document)
    }
  }

  /// Adds a job, unless it is waiting already.
  mutating func add(_ kind: JobQueue.Kind, _ document: DocumentID) { queue.add(kind, document) }

  /// Counts entries that were written to the journal. Adds a seal job if the document has at least
  /// `sealAfter` unsealed entries.
  ///
  /// - Returns: The time for which the document's next requests must wait. With it, edits that come
  ///   faster than they can be sealed are slowed to that speed, and not stopped.
  mutating func noteAppended(
    _ count: Int, to document: DocumentID, sealAfter: Int
  ) -> TimeAmount? {
    let backlog = unsealed[document, default: 0] + count
    unsealed[document] = backlog
    if backlog >= sealAfter { addSeal(of: document) }
    if backlog / Self.backlogMax >= sealAfter { behind.insert(document) }
    let paced = Double(sealAfter) * Self.backlogPaced
    guard Double(backlog) > paced else { return nil }
    // With twice the backlog from which requests are delayed, they come as fast as they are sealed.
    let excess = min((Double(backlog) - paced) / paced, 4)
    return .nanoseconds(Int64(min(Double(count) * sealTime * excess, Self.pauseMax)))
  }

  /// Adds seal jobs for documents with at least `count` unsealed entries. If a job fails, the document is
  /// tried again after `count` more entries. O(documents with unsealed entries).
  mutating func addSeals(from count: Int) {
    for (document, entries) in unsealed where entries >= count { addSeal(of: document) }
  }

  /// Adds seal jobs for documents with entries in old journals, because one entry keeps a whole journal.
  /// O(documents with unsealed entries).
  mutating func addSeals(inOldJournals documents: [DocumentID]) {
    for document in documents where unsealed[document] != nil { addSeal(of: document) }
  }

  /// True if there is an old journal that no earlier call has seen. O(1), so that it can be
  /// asked after each batch.
  mutating func hasNewOldJournal(_ newest: UInt64?) -> Bool {
    defer { newestOldJournal = newest ?? newestOldJournal }
    return newest != nil && newest != newestOldJournal
  }

  /// Adds seal jobs for documents, even if one failed before.
  mutating func addSeals(of documents: [DocumentID]) { documents.forEach { addSeal(of: $0) } }

  /// True while a seal job runs or waits.
  var isSealing: Bool { current?.kind == .seal || queue.isWaiting(.seal) }

  private mutating func addSeal(of document: DocumentID) {
    queue.add(.seal, document)
    cancel([.compaction, .check, .projections])
  }

  /// Adds seal jobs for the entries that the last run left in the journals.
  mutating func addLeftovers() {
    for document in leftovers { queue.add(.seal, document) }
    leftovers = []
  }

  /// True if jobs wait that begin only at rest.
  var awaitsRest: Bool {
    !isAtRest
      && (!leftovers.isEmpty || Self.kindsAtRest.contains { queue.isWaiting($0) })
  }

  /// The kinds of jobs that begin only at rest.
  private static let kindsAtRest = [JobQueue.Kind.check, .projections, .compaction]

  /// True if requests must wait until a document is sealed.
  var isBehind: Bool {
    current?.kind == .seal && !behind.isEmpty
  }

  /// Removes and returns the most urgent job. Returns nil if a job runs.
  ///
  /// - Parameter awaitsIdle: True if a caller waits until no job runs.
  mutating func next(
    in phase: IngestPhase, awaitsIdle: Bool
  ) -> (kind: JobQueue.Kind, document: DocumentID)? {
    guard current == nil else { return nil }
    return queue.next(of: kinds(in: phase, awaitsIdle: awaitsIdle))
  }

  /// The kinds of jobs that may be begun, the most urgent first.
  private func kinds(in phase: IngestPhase, awaitsIdle: Bool) -> [JobQueue.Kind] {
    switch phase {
    case .closed: return []
    case .sealing: return [.seal, .checkpoint]
    // Long work that has begun is always finished.
    case .closing: return [.append]
    case .running where awaitsIdle: return [.append]
    case .running where isBackingOff: return [.append, .attach]
    case .running: break
    }
    // They alternate, so that steady large edits and attachments do not delay seals for ever.
    let isSealDue = lastKind == .append || lastKind == .attach
    let first: [JobQueue.Kind] =
      isSealDue ? [.seal, .append, .attach] : [.append, .attach, .seal]
    if !isAtRest { return first + [.checkpoint] }
    return first + [.checkpoint] + (areChecksPaused ? [] : [.check, .projections]) + [.compaction]
  }

  /// Records that the next job seals the entries of a document, except the last `restCount`.
  mutating func noteSealing(of document: DocumentID, leaving restCount: Int = 0) {
    unsealed[document] = restCount > 0 ? restCount : nil
    behind.remove(document)
  }

  /// Records that a job has begun.
  mutating func begin(_ kind: JobQueue.Kind, _ document: DocumentID, _ job: StoreJob) {
    current = CurrentJob(kind: kind, document: document, job: job)
  }

  /// True if a job of this kind waits for a document or changes its files.
  func has(_ kind: JobQueue.Kind, _ document: DocumentID) -> Bool {
    queue.contains(kind, document)
      || current.map { ($0.kind, $0.document) == (kind, document) } == true
  }

  /// Nil, or what is wrong: no request waits for a document that has nothing to seal, because
  /// `noteSealing` and `forget` clear both.
  func invariantViolation() -> String? {
    if behind.contains(where: { unsealed[$0] == nil }) {
      return "requests wait for a document that has nothing to seal"
    }
    return queue.invariantViolation()
  }

  /// Records that the running job has ended, or is abandoned. Returns it.
  mutating func end() -> CurrentJob? {
    guard let done = current else { return nil }
    current = nil
    lastKind = done.kind
    // A small job's time is that of its flushes.
    if done.job.sealedCount >= 4096 {
      let time = (NIODeadline.now() - done.start).nanoseconds
      sealTime = Double(time) / Double(done.job.sealedCount)
    }
    return done
  }

  /// Cancels the running job if it is of one of these kinds. It is tried again later.
  func cancel(_ kinds: Set<JobQueue.Kind>) {
    if let current, kinds.contains(current.kind) { current.job.cancel() }
  }

  /// Forgets the entries of a removed document.
  mutating func forget(_ document: DocumentID) {
    unsealed[document] = nil
    behind.remove(document)
  }

  /// Renames documents; `names` has the new name for each old one. O(names), or O(jobs) if one of them
  /// waits for a job.
  mutating func rename(_ names: [DocumentID: DocumentID]) {
    let counts = names.keys.map { ($0, unsealed.removeValue(forKey: $0)) }
    for (old, count) in counts { names[old].map { unsealed[$0] = count } }
    leftovers.rename(names)
    behind.rename(names)
    queue.rename(names)
    if let document = current?.document, let new = names[document] { current?.document = new }
  }
}

extension Set<DocumentID> {
  /// Replaces the old names, all at once, by the new ones.
  fileprivate mutating func rename(_ names: [DocumentID: DocumentID]) {
    let old = names.filter { remove($0.key) != nil }
    formUnion(old.values)
  }
}
