import EditLogFormat
public import EditModel
import Synchronization

/// The result of a check of a document's files.
public struct DocumentCheck: Sendable {
  /// The checkpoints that were removed: a sentence for each, with its file.
  public var removed: [String] = []
  /// Why the document is refused from now on: its entries and its hash chain do not agree.
  public var failure: LogError?
}

/// Checks the sealed part of a document against its hash chain, and each checkpoint against the
/// state that the edits give. Bad checkpoints are removed, and valid ones may be used.
struct CheckWork: JobWork {
  let history: History
  let comparing: any CheckpointComparing
  /// The attachments of the document that are in the file `attachments`.
  let listed: Set<AttachmentDigest>
  let found = Found()

  /// The result; nil before the check ran, or if it was stopped.
  final class Found: Sendable {
    let result = Mutex<(check: DocumentCheck, good: [CheckpointPlace: ChainHead])?>(nil)
    let unlisted = Mutex<[StoredAttachment]>([])
  }

  func run(_ job: StoreJob, _ flushes: inout FlushWatch) throws(LogError) -> WrittenFile? {
    if let directory = history.sealed?.directory {
      let folder = AttachmentFolder(directory, store: history.store, document: history.number)
      let unlisted = try folder.unlisted(listed)
      found.unlisted.withLock { $0 = unlisted }
    }
    var check = DocumentCheck()
    var good: [CheckpointPlace: ChainHead] = [:]
    do throws(LogError) {
      let isWhole = try history.check(while: { _ in !job.isCancelled }) != nil
      guard isWhole, let verdict = try compared(job) else { return nil }
      for bad in verdict.bad {
        try history.checkpointFolder(bad.place.series)?.remove(bad.place.sequence)
        check.removed.append("\(bad.file) was removed: \(bad.what)")
      }
      good = verdict.good
    } catch {
      guard case .damaged = error else { throw error }
      check.failure = error
    }
    found.result.withLock { $0 = (check, good) }
    return nil
  }

  private func compared(_ job: StoreJob) throws(LogError) -> CheckpointVerdict? {
    guard try history.hasCheckpoints else { return CheckpointVerdict() }
    return try history.checkpointVerdict(comparing, while: { !job.isCancelled })
  }

  var unlistedAttachments: [StoredAttachment] { found.unlisted.withLock { $0 } }

  func finish(_ writer: StoreWriter, _ state: DocumentState) {
    guard let (check, good) = found.result.withLock({ $0 }) else { return }
    state.isChecked = true
    state.checkpoints.merge(good) { $1 }
    state.failure = state.failure ?? check.failure
  }
}

extension StoreJob {
  /// The result of a check; nil for another job, and for a check that was stopped or did not run.
  public var check: DocumentCheck? {
    (work as? CheckWork)?.found.result.withLock { $0?.check }
  }
}

extension StoreWriter {
  /// Documents whose files at the time of opening agree with their hash chains: see `prepareCheck`.
  public var checkedCount: Int { states.values.count { $0.isChecked } }

  /// Prepares to check a document's segments and checkpoints, to find what another program wrote to
  /// them before the store was opened. Nil if there is no such document, or it was checked already.
  ///
  /// Once the job is finished, a document whose entries do not agree with its chain is refused:
  /// `history` and `append` throw. Until then, only the checkpoints that this writer wrote are
  /// used.
  ///
  /// - Throws: `LogError.refused` if a job of the document is under way; as `history`.
  public func prepareCheck(
    _ document: DocumentID, _ comparing: any CheckpointComparing
  ) throws(LogError) -> StoreJob? {
    try checkPoison()
    guard let state = try state(of: document), !state.isChecked else { return nil }
    try checkFree(state)
    let sealed = try sealedPart(of: state)
    let history = History(
      document: state.id, number: state.number, store: id, sealed: sealed, unsealed: EntryList(),
      salts: [:], damage: [], head: nil)
    let work = CheckWork(
      history: history, comparing: comparing, listed: listedAttachments(of: state.number))
    return start(work, state)
  }
}
