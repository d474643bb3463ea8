import EditJSON
import EditModel
import EditProtocol
import Synchronization

/// Sends the edits of an import to a new document, and counts the acknowledged edits.
///
/// An import that is not large is one request: all of it is logged, or nothing. A larger one is sent in
/// batches that do not wait for one another. If it is interrupted, the same import goes on after the
/// edits that are in the document.
///
/// Each request names the version it expects. So nothing is logged after a refused request, or
/// among the edits of another writer.
final class EditImporter {
  /// The edits and transactions that were sent.
  struct Tally: Hashable, Sendable {
    var edits: UInt64 = 0
    var transactions: UInt64 = 0
  }

  private let document: DocumentID
  private let author: String?
  private let appender: any EditAppender
  private let acknowledged: Acknowledged
  private let progress: ProgressBar
  private var pending: [AppendEdit] = []
  private var pendingUnits = 0
  private var base: SequenceNumber = 0
  private(set) var tally = Tally()
  /// The newest time so far; that of an edit without one is the present.
  private var newestTime = Timestamp(nanoseconds: .min)
  /// The edits with a time before that of an earlier edit.
  private var earlierCount = 0

  private var interrupted: InterruptedImport
  private let session: Session

  /// A batch is sent when it reaches a number of edits, or of UTF-16 units.
  private struct BatchSize {
    var edits: Int
    var units: Int

    /// Of batches that do not wait for one another.
    static let usual = BatchSize(edits: 512, units: 1 << 18)
    /// Up to this size, an import is one request.
    static let whole = BatchSize(edits: AppendRequest.editCountMax, units: 1 << 22)
  }
  /// The size of the next batch.
  private var batch: BatchSize
  private let later: BatchSize

  /// An importer into a document that does not exist yet, or has the first edits of the same import.
  ///
  /// - Parameters:
  ///   - target: The document.
  ///   - author: The author of edits without one.
  ///   - batchEdits: The number of edits of a request. If nil, all of an import that is not large.
  ///   - session: The run of the program.
  init(
    into target: ImportTarget, author: String? = nil, batchEdits: Int? = nil,
    _ session: Session
  ) async throws {
    let document = target.document
    later = BatchSize(edits: batchEdits ?? BatchSize.usual.edits, units: BatchSize.usual.units)
    batch = batchEdits == nil ? .whole : later
    interrupted = InterruptedImport(of: document, exists: target.exists, session)
    self.session = session
    let acknowledged = Acknowledged()
    (self.document, self.author, self.acknowledged) = (document, author, acknowledged)
    progress = ProgressBar(session)
    appender = try await session.appender { _, result in
      if case .success(let result) = result {
        acknowledged.sequence.withLock { $0 = result.sequence }
      }
    }
  }

  /// Adds the edits of a transaction. `progress` is the part of the import that is done, 0 to 1.
  func add(_ edits: [AppendEdit], progress done: Double) async throws {
    guard !edits.isEmpty else { return }
    tally.transactions += 1
    for edit in edits {
      let time = edit.time ?? Timestamp(nanoseconds: .max)
      if time < newestTime { earlierCount += 1 }
      newestTime = max(newestTime, time)
    }
    let new = try await interrupted.remaining(of: edits)
    tally.edits += UInt64(edits.count - new.count)
    guard !new.isEmpty else { return }
    let units = new.reduce(0) { $0 + $1.action.newLength }
    // A request of the whole import has at most this size; others end with the transaction after it.
    if isWhole, pending.count + new.count > batch.edits || pendingUnits + units > batch.units {
      try await send()
    }
    pending += new
    pendingUnits += units
    guard !isWhole, pending.count >= batch.edits || pendingUnits >= batch.units else { return }
    try await send()
    progress.show(done, edits: acknowledged.sequence.withLock { $0 })
  }

  /// True until the import is larger than one request.
  private var isWhole: Bool { batch.edits > later.edits && base == 0 }

  /// Waits until everything is logged.
  func finish() async throws {
    try interrupted.end(isComplete: pending.isEmpty && base == 0)
    try await send()
    if interrupted.count > 0 {
      session.note(
        "The first \(Numbers.grouped(interrupted.count)) edits were in the document already.")
    }
    try await appender.flush()
    await appender.close()
    progress.end()
    guard earlierCount > 0 else { return }
    session.note(
      """
      \(Numbers.grouped(earlierCount)) edit\(earlierCount == 1 ? " has a time" : "s have times") before that of an \
      edit before: the time of that one was logged, because times in a history never go back.
      """)
  }

  /// Ends the import early. Acknowledged edits stay. Returns `error` with their number added.
  func fail(_ error: any Error) async -> any Error {
    try? await appender.flush()
    await appender.close()
    progress.end()
    let ending = Ending(error)
    let logged = acknowledged.sequence.withLock { $0 }
    guard logged > 0, ending.text.hasPrefix("editlog: ") else { return error }
    return CommandError(
      exitCode: ending.exitCode,
      "\(ending.text.dropFirst("editlog: ".count)); the first \(logged) edits are in \(document.argument.shown)"
    )
  }

  private func send() async throws {
    guard !pending.isEmpty else { return }
    if base == 0 { base = interrupted.count }
    batch = later
    let request = AppendRequest(
      document: document, base: base, author: author, atRest: true, edits: pending)
    try await appender.append(request)
    base += SequenceNumber(pending.count)
    tally.edits += UInt64(pending.count)
    pending.removeAll(keepingCapacity: true)
    pendingUnits = 0
  }
}

/// The newest version that was acknowledged.
private final class Acknowledged: Sendable {
  let sequence = Mutex<SequenceNumber>(0)
}

/// The document of an import.
struct ImportTarget {
  let document: DocumentID
  /// True if it has a history.
  let exists: Bool
}

extension Session {
  /// The document to import into. If it has a history already, that must be the beginning of the import.
  func targetForImport(_ argument: String) async throws -> ImportTarget {
    let (document, exists) = try await documentForWriting(argument)
    return ImportTarget(document: document, exists: exists)
  }

  /// Notes the counts and the rate of an import.
  func noteImport(
    _ tally: EditImporter.Tally, into document: DocumentID, nanoseconds: Int64
  ) {
    let seconds = max(Double(nanoseconds), 1) / 1e9
    let rate = Numbers.decimal(Double(tally.edits) / seconds, 0)
    note(
      """
      Imported \(Numbers.grouped(tally.edits)) edit\(tally.edits == 1 ? "" : "s") in \
      \(Numbers.grouped(tally.transactions)) transaction\(tally.transactions == 1 ? "" : "s") into \
      \(document.argument.shown) in \
      \(Numbers.decimal(seconds, 2)) s, \(rate) edits/s.
      """)
  }

  /// Prints the counts of an import as JSON, what was repaired or left out, if anything was, and the
  /// paragraphs of the items of a model.
  func printImport(
    _ tally: EditImporter.Tally, into document: DocumentID, repairs: [String] = [],
    leftOut: [String] = [], items: [[ParagraphID]]? = nil
  ) throws {
    try printJSON(
      ImportedHistory(
        document: document, edits: tally.edits, transactions: tally.transactions,
        repairs: repairs, leftOut: leftOut, items: items), ImportedHistory.codec)
  }
}
