import EditLogFormat
import EditModel
import Synchronization

/// Work on a document's files that takes long, in three parts: the writer prepares it, any thread
/// runs it, and the writer finishes it. Meanwhile the writer keeps working, on that document too.
///
/// One job of a document is under way at a time. Each prepared job must be finished; finishing a job
/// that was not run abandons it. The store stays locked while a job exists.
public final class StoreJob: Sendable {
  /// The number of the document.
  let document: UInt64
  let work: any JobWork
  /// The outcome; nil before the job ran.
  private let result = Mutex<Result<WrittenFile?, JobFailure>?>(nil)
  private let cancelled = Atomic(false)
  /// Keeps the store locked after the writer was closed, for as long as the job may write.
  private let lock: Mutex<(any File)?>
  /// Removed files to close.
  private let removed: Mutex<[any File]>

  init(_ work: any JobWork, of document: UInt64, lock: (any File)?, removed: [any File]) {
    (self.work, self.document) = (work, document)
    self.lock = Mutex(lock)
    self.removed = Mutex(removed)
  }

  /// Does the work, once, without touching the writer. `finish` reports the outcome.
  public func run() {
    removed.withLock { $0 = [] }
    var flushes = FlushWatch()
    let result: Result<WrittenFile?, JobFailure>
    do throws(LogError) {
      let file = try work.run(self, &flushes)
      try file?.prepare(&flushes)
      result = .success(file)
    } catch {
      result = .failure(JobFailure(error: error, isFlush: flushes.hasFailed))
    }
    self.result.withLock { $0 = result }
  }

  /// Releases the store's lock; the job writes nothing more.
  fileprivate func letGo() { lock.withLock { $0 = nil } }

  /// Asks a job that can wait, such as a compaction, to stop soon without a result.
  public func cancel() { cancelled.store(true, ordering: .relaxed) }
  /// True if the job was asked to stop.
  public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// The number of unsealed entries, when the job was prepared, that a job of `StoreWriter.prepareSeal`
  /// leaves unsealed; 0 for other jobs.
  public var unsealedCount: Int { (work as? SealWork)?.restCount ?? 0 }
  /// The number of entries that a job of `StoreWriter.prepareSeal` seals; 0 for other jobs.
  package var sealedCount: Int { (work as? SealWork)?.entries.count ?? 0 }

  /// True if the job ran and wrote a file.
  public var producedFile: Bool { (try? outcome?.get()) != nil }

  /// The file that waits for its name, if there is one. Nil before the job ran.
  var outcome: Result<WrittenFile?, JobFailure>? { result.withLock { $0 } }
}

/// The work of a job, and the work of the writer after it.
protocol JobWork: Sendable {
  /// Writes a file under a temporary name, flushes and checks it; or does work that needs no file.
  /// Called on any thread.
  func run(_ job: StoreJob, _ flushes: inout FlushWatch) throws(LogError) -> WrittenFile?
  /// Updates the writer after the work. A file has its name by then, durably. Called on the
  /// writer's thread.
  func finish(_ writer: StoreWriter, _ state: DocumentState)
  /// The attachments of the document that are on stable storage, and have to be listed.
  var unlistedAttachments: [StoredAttachment] { get }
}

extension JobWork {
  var unlistedAttachments: [StoredAttachment] { [] }
  func finish(_ writer: StoreWriter, _ state: DocumentState) {}
}

/// A file that is written, flushed and checked, and waits for its name. The file that it replaces
/// has not changed, because nothing else writes to the document's folder while its job is under
/// way.
struct WrittenFile: Sendable {
  var directory: DocumentDirectory
  var temporary: String
  var name: String
  /// The document's row in the catalog once the file has its name.
  var listing: CatalogDocument?

  /// Creates the folder that the rename needs.
  fileprivate func prepare(_ flushes: inout FlushWatch) throws(LogError) {
    try directory.prepare(renaming: temporary, to: name, &flushes)
  }
}

/// Why a job failed.
struct JobFailure: Error {
  var error: LogError
  /// True if a flush failed: the state of the disk is unknown then.
  var isFlush: Bool
}

extension StoreWriter {
  /// Moves the file that a job wrote into place, durably, and releases the data that it replaces.
  ///
  /// - Throws: the job's error, and then everything is as before it was prepared;
  ///   `LogError.noSpace`, `LogError.io`, `LogError.poisoned`. The file that the job wrote may be
  ///   in place even so: see `StoreJob.receipt`.
  public func finish(_ job: StoreJob) throws(LogError) {
    try finishWork(job)
    try Self.noSpace(root.path) { () throws(LogError) in try tidyJournals() }
  }

  /// As `finish`, but removes no journals: `tidyNextJournal` does.
  package func finishWork(_ job: StoreJob) throws(LogError) {
    try checkPoison()
    try Self.noSpace(root.path) { () throws(LogError) in try complete(job) }
  }

  /// Registers `work` as the document's only job.
  func start(_ work: any JobWork, _ state: DocumentState) -> StoreJob {
    let job = StoreJob(work, of: state.number, lock: lock, removed: removedJournals)
    removedJournals = []
    state.job = job
    return job
  }

  /// Refuses a second job of a document.
  func checkFree(_ state: DocumentState) throws(LogError) {
    guard state.job == nil else {
      throw .refused(
        path: state.id.name,
        what: "a job of this document is under way; try again when it has ended")
    }
  }

  /// Finishes a job, without removing journals.
  func complete(_ job: StoreJob) throws(LogError) {
    let coming = arriving.values.first { $0.job === job }
    guard let state = coming ?? states[job.document], state.job === job else {
      throw .refused(path: root.path, what: "it has no such job under way")
    }
    state.job = nil
    job.letGo()
    arriving[state.id] = nil
    guard let outcome = job.outcome else { return }
    let written = try written(outcome)
    if let file = written {
      try poisoning { () throws(LogError) in
        try checkLock()
        try file.directory.rename(file.temporary, to: file.name, in: file.directory)
        try file.directory.sync()
        try checkLock()
      }
    }
    job.work.finish(self, state)
    try list(job.work.unlistedAttachments, of: state.number)
    if let listing = written?.listing { noteSealed(state, listing) }
    assert(
      invariantViolation(of: [state.number]) == nil,
      invariantViolation(of: [state.number]) ?? "")
  }

  private func written(
    _ outcome: Result<WrittenFile?, JobFailure>
  ) throws(LogError) -> WrittenFile? {
    do throws(JobFailure) { return try outcome.get() } catch {
      let cause = error.error
      guard error.isFlush else { throw cause }
      return try poisoning { () throws(LogError) in throw cause }
    }
  }
}
