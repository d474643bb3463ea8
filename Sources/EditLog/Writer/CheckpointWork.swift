import EditLogFormat
public import EditModel
import Synchronization

/// Takes the states that are to become checkpoints of a document. It belongs to the thread that
/// runs the job.
public final class CheckpointSink {
  /// The history to which the states belong.
  public let history: History
  let directory: DocumentDirectory
  private let folder: CheckpointFolder
  fileprivate var flushes = FlushWatch()
  private let level: Int
  private let job: StoreJob
  /// The state that was stored last; the next one is compressed against it.
  private var last: CheckpointFile.Content?
  private let written: WrittenCheckpoints

  init(
    _ history: History, _ directory: DocumentDirectory, _ folder: CheckpointFolder, level: Int,
    _ job: StoreJob, _ written: WrittenCheckpoints
  ) {
    (self.directory, self.written) = (directory, written)
    (self.history, self.folder, self.level, self.job) = (history, folder, level, job)
  }

  /// True if the job is asked to stop.
  public var isCancelled: Bool { job.isCancelled }

  /// Stores the state after an edit, with the head of the history that led to it. The bytes of the
  /// state are opaque here. An existing checkpoint is replaced. A state that would expand to more
  /// than readers accept from a small file is not stored: see the article FileFormat.
  ///
  /// - Throws: `LogError.refused` if the history has no such edit; the error of reading it or of
  ///   writing the file.
  public func store(_ state: [UInt8], at sequence: SequenceNumber) throws(LogError) {
    guard let head = try history.head(at: sequence) else {
      throw .refused(path: history.document.name, what: "it has no edit \(sequence)")
    }
    let base = try base(for: sequence)
    let content = CheckpointFile.Content(
      sequence: sequence, depth: base.map { $0.depth + 1 } ?? 0, bytes: state)
    try makeFolder()
    guard try folder.write(content, against: base, head: head, level: level) else { return }
    last = content
    written.note(content)
  }

  /// Removes all checkpoints of the series, because the states have another meaning now.
  ///
  /// - Throws: `LogError.io`, before anything is removed, if the history could not read one of them.
  public func removeAll() throws(LogError) {
    if let obstacle = history.checkpointCache(folder.series).obstacle { throw obstacle }
    last = nil
    for sequence in try folder.sequences().reversed() { try folder.remove(sequence) }
  }

  func makeFolder() throws(LogError) { try directory.makeFolder(&flushes) }

  /// The newest checkpoint before the edit `sequence`; nil if its depth is the maximum.
  private func base(for sequence: SequenceNumber) throws(LogError) -> CheckpointFile.Content? {
    if last.map({ $0.sequence >= sequence }) ?? true {
      last = nil
      for candidate in try folder.sequences().reversed() where candidate < sequence {
        last = try folder.content(at: candidate)
        if last != nil { break }
      }
    }
    return last.flatMap { $0.depth < CheckpointFile.depthMax ? $0 : nil }
  }
}

/// The digests of the states that a job stored.
final class WrittenCheckpoints: Sendable {
  private let digests = Mutex<[SequenceNumber: ChainHead]>([:])

  func note(_ content: CheckpointFile.Content) {
    let digest = CheckpointTrust.digest(of: content.bytes)
    digests.withLock { $0[content.sequence] = digest }
  }

  var all: [SequenceNumber: ChainHead] { digests.withLock { $0 } }
}

/// Stores checkpoints, removes bad ones, and thins out old ones.
struct CheckpointWork: JobWork {
  let folder: DocumentFolder
  let options: StoreWriter.Options
  let snapshot: HistorySnapshot
  let series: CheckpointSeries
  let build: @Sendable (CheckpointSink) throws(LogError) -> Void
  private let written = WrittenCheckpoints()

  init(
    folder: DocumentFolder, options: StoreWriter.Options, snapshot: HistorySnapshot,
    series: CheckpointSeries, build: @escaping @Sendable (CheckpointSink) throws(LogError) -> Void
  ) {
    (self.folder, self.options, self.snapshot) = (folder, options, snapshot)
    (self.series, self.build) = (series, build)
  }

  func run(_ job: StoreJob, _ flushes: inout FlushWatch) throws(LogError) -> WrittenFile? {
    let history = try snapshot.history()
    let directory = try folder.open()
    let checkpoints = CheckpointFolder(
      series, in: directory, store: folder.store, document: folder.number)
    try checkpoints.removeBad(through: history.lastSequence, head: history.head)
    let sink = CheckpointSink(
      history, directory, checkpoints, level: options.level, job, written)
    do { try build(sink) } catch {
      flushes.add(sink.flushes)
      throw error
    }
    let all = try checkpoints.removeBad(through: history.lastSequence)
    var size = 0
    for first in StoreLayout.numbers(.segment, in: try directory.names()) {
      size += try directory.open(StoreLayout.name(of: first, .segment), .read).size()
    }
    try checkpoints.thin(all, to: max(2 * size, options.checkpointSizeMin))
    return nil
  }

  func finish(_ writer: StoreWriter, _ state: DocumentState) {
    for (sequence, digest) in written.all {
      state.checkpoints[CheckpointPlace(series, sequence)] = digest
    }
  }
}

extension StoreWriter {
  /// Prepares to store checkpoints of one series of a document's history as it is now. `build` makes
  /// the states and passes them on. Bad checkpoints of the series are removed, and also old ones, if
  /// all together are larger than twice the history. Nil if there is no such document.
  ///
  /// Checkpoints after edits whose number is a multiple of `History.linkSize` are the cheapest to
  /// verify. Checkpoints are not flushed, so a crash may lose some.
  ///
  /// - Throws: `LogError.refused` if a job of the document is under way; the error for which the
  ///   document cannot be written to. The job itself fails if the history cannot be read.
  public func prepareCheckpoints(
    _ document: DocumentID, of series: CheckpointSeries = .states,
    _ build: @escaping @Sendable (CheckpointSink) throws(LogError) -> Void
  ) throws(LogError) -> StoreJob? {
    try checkPoison()
    guard let state = try state(of: document) else { return nil }
    try checkFree(state)
    let work = CheckpointWork(
      folder: folder(of: state), options: options, snapshot: snapshot(of: state), series: series,
      build: build)
    return start(work, state)
  }

  /// Stores the state after an edit as a checkpoint.
  ///
  /// - Throws: `LogError.refused` if the document has no such edit or has a job under way;
  ///   `LogError.noSpace`, `LogError.damaged`, `LogError.io`, `LogError.poisoned`.
  public func writeCheckpoint(
    _ document: DocumentID, at sequence: SequenceNumber, _ bytes: [UInt8]
  ) throws(LogError) {
    let job = try prepareCheckpoints(document) { sink throws(LogError) in
      try sink.store(bytes, at: sequence)
    }
    guard let job else { throw .refused(path: document.name, what: "it has no edit \(sequence)") }
    job.run()
    try finish(job)
  }

  /// The edits after which a document has checkpoints of a series, ascending.
  public func checkpoints(
    of document: DocumentID, _ series: CheckpointSeries = .states
  ) throws(LogError) -> [SequenceNumber] {
    guard let state = try state(of: document),
      let directory = try documentsDirectory.document(state.number)
    else { return [] }
    return StoreLayout.numbers(series.layout, in: try directory.names())
  }
}
