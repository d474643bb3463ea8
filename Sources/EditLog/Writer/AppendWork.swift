import EditLogFormat
public import EditModel
import Synchronization

/// Writes entries into a segment, after the unsealed entries of their document, without writing
/// them to a journal: a large entry is written once, on a thread other than the writer's.
struct AppendWork: JobWork {
  /// Seals the unsealed entries.
  let seal: SealWork
  let entries: [HistoryEntry]
  /// The end of the history before the entries.
  let end: HistoryEnd
  let random: any RandomBytes
  private let done = Done()

  /// The end of the history with the entries, once they are written, and whether the writer has
  /// adopted it.
  private final class Done: Sendable {
    let end = Mutex<HistoryEnd?>(nil)
    let isTakenOver = Mutex(false)
  }

  init(
    _ entries: [HistoryEntry], at end: HistoryEnd, after seal: SealWork, random: any RandomBytes
  ) {
    (self.entries, self.end, self.seal, self.random) = (entries, end, seal, random)
  }

  func run(_ job: StoreJob, _ flushes: inout FlushWatch) throws(LogError) -> WrittenFile? {
    let end = endOfEntries()
    var seal = seal
    seal.added = entries
    (seal.lastIndex, seal.lastSequence) = (end.lastIndex, end.lastSequence)
    seal.head = end.chain.head
    seal.part.append(end.part)
    let file = try seal.run(job, &flushes)
    done.end.withLock { $0 = end }
    return file
  }

  private func endOfEntries() -> HistoryEnd {
    var end = end
    for entry in entries {
      _ = end.openLink(random)
      end.add(entry)
    }
    return end
  }

  func finish(_ writer: StoreWriter, _ state: DocumentState) {
    guard let end = done.end.withLock({ $0 }) else { return }
    seal.finish(writer, state)
    state.take(end)
    writer.admit(state)
    done.isTakenOver.withLock { $0 = true }
  }

  /// The receipt for the last entry; nil before the entry is durable.
  var receipt: AppendReceipt? {
    guard done.isTakenOver.withLock({ $0 }) else { return nil }
    return done.end.withLock { $0?.receipt(for: seal.folder.id) }
  }
}

extension StoreWriter {
  /// Prepares a job that appends entries to a document, so that large entries do not delay appends
  /// to other documents. Creates the document if there is none of this name.
  ///
  /// `StoreJob.run` writes the entries. They are durable, and part of the histories that the writer
  /// returns, if the job has a receipt after `finish`, even if `finish` throws: it may
  /// fail in work after the append. Until then nothing else can be appended to the document.
  ///
  /// - Throws: `LogError.refused` if a job of the document is under way; otherwise as `append`.
  public func prepareAppend(
    _ entries: [HistoryEntry], to document: DocumentID
  ) throws(LogError) -> StoreJob {
    try checkPoison()
    precondition(!entries.isEmpty)
    try confirm()
    for case .event(let event) in entries {
      try allowName(size: event.kind.formerName?.name.utf8.count ?? 0)
    }
    let state: DocumentState
    if let known = try writableState(of: document) {
      try checkFree(known)
      state = known
    } else {
      state = try newState(of: document, number: nextNumber)
      try reserveNumber(nextNumber)
      nextNumber += 1
    }
    let work = AppendWork(
      entries, at: try end(of: state), after: try sealWork(of: state), random: random)
    arriving[document] = state
    return start(work, state)
  }

  /// Registers a document under its name and number.
  func admit(_ state: DocumentState) {
    numbers[state.id] = state.number
    states[state.number] = state
  }
}

extension StoreJob {
  /// The receipt for the last entry that the job has appended; nil if it appends none, or has not
  /// succeeded.
  public var receipt: AppendReceipt? { (work as? AppendWork)?.receipt }
}
