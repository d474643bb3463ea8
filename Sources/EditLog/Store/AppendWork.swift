public import EditModel
import Synchronization

/// Writes entries into a segment at once, behind what is unsealed of their document. They are in
/// no journal: what is large is written once, and by another thread than the writer's.
struct AppendWork: JobWork {
  /// Seals what is unsealed.
  let seal: SealWork
  let entries: [HistoryEntry]
  /// Where the entries are added.
  let end: HistoryEnd
  let random: any RandomBytes
  private let done = Done()

  /// The end of the history with the entries, once they are written; and whether the writer has
  /// taken it over.
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
    var encoder = EntryEncoder()
    for entry in entries {
      _ = end.openLink(random)
      encoder.withBytes(of: entry) { end.add(entry, $0) }
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

  /// What tells of the last entry; nil before it is durable.
  var receipt: AppendReceipt? {
    guard done.isTakenOver.withLock({ $0 }) else { return nil }
    return done.end.withLock { $0?.receipt(for: seal.folder.id) }
  }
}

extension StoreWriter {
  /// Prepares to append entries to a document, for `StoreJob.run` to write: what is too large for
  /// others to wait for. A document that is not known comes into being.
  ///
  /// The entries are durable, and in the histories that the writer gives, once `finish` was called
  /// and the job has a receipt: also if `finish` throws, for what it does after that. Until then nothing else can be appended to the document.
  ///
  /// - Throws: `LogError.refused` where a job of the document is under way; as `append`.
  public func prepareAppend(
    _ entries: [HistoryEntry], to document: DocumentID
  ) throws(LogError) -> StoreJob {
    try checkPoison()
    precondition(!entries.isEmpty)
    try confirm()
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

  /// Takes a document among those there are.
  func admit(_ state: DocumentState) {
    numbers[state.id] = state.number
    states[state.number] = state
  }
}

extension StoreJob {
  /// What tells of the last entry that a job has appended; nil of another job, and of one that
  /// came to nothing.
  public var receipt: AppendReceipt? { (work as? AppendWork)?.receipt }
}
