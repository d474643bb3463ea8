import EditJSON
import EditModel
import EditProtocol
import Synchronization

/// Sends the edits of an import to a new document, in batches that do not wait for one another, and
/// counts the acknowledged edits.
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

  /// A batch is sent when it reaches this number of edits, or of UTF-16 units.
  static let batchEdits = 512
  private static let batchUnits = 1 << 18
  private let batchEdits: Int

  /// An importer into `document`, which must not exist yet.
  init(
    into document: DocumentID, author: String? = nil, batchEdits: Int = batchEdits,
    _ session: Session
  ) async throws {
    self.batchEdits = batchEdits
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
    pending += edits
    pendingUnits += edits.reduce(0) { $0 + $1.action.newLength }
    guard pending.count >= batchEdits || pendingUnits >= Self.batchUnits else { return }
    try await send()
    progress.show(done, edits: acknowledged.sequence.withLock { $0 })
  }

  /// Waits until everything is logged.
  func finish() async throws {
    try await send()
    try await appender.flush()
    await appender.close()
    progress.end()
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

extension Session {
  /// The document to import into.
  ///
  /// - Throws: `CommandError` (65) if it has a history already: an import starts from the empty
  ///   text.
  func documentForImport(_ argument: String) async throws -> DocumentID {
    let (document, exists) = try await documentForWriting(argument)
    guard !exists else {
      throw CommandError.data(
        """
        \(document.argument.shown) has a history already; an import needs a new document, so name \
        another with --document; if an import was interrupted, `editlog forget` removes its part
        """
      )
    }
    return document
  }

  /// Prints the counts and the rate of an import, and in JSON what was repaired, if anything was.
  func noteImport(
    _ tally: EditImporter.Tally, into document: DocumentID, nanoseconds: Int64, asJSON: Bool,
    repairs: [String] = []
  ) throws {
    let seconds = max(Double(nanoseconds), 1) / 1e9
    let rate = Numbers.decimal(Double(tally.edits) / seconds, 0)
    note(
      """
      Imported \(Numbers.grouped(tally.edits)) edit\(tally.edits == 1 ? "" : "s") in \
      \(Numbers.grouped(tally.transactions)) transaction\(tally.transactions == 1 ? "" : "s") into \
      \(document.argument.shown) in \
      \(Numbers.decimal(seconds, 2)) s, \(rate) edits/s.
      """)
    guard asJSON else { return }
    var line: JSONObject = [
      "document": JSON(document.name), "edits": JSON(tally.edits),
      "transactions": JSON(tally.transactions),
    ]
    if !repairs.isEmpty { line["repairs"] = .array(repairs.map { JSON($0) }) }
    try printJSON(.object(line))
  }
}
