import EditJSON
import EditModel
import EditProtocol

/// Sends the entries of a history to a new document, in parts, and counts its edits.
struct EntryImporter {
  private let document: DocumentID
  private let session: Session
  private let progress: ProgressBar
  private let unit: String
  /// The entries that are not sent yet, and their lines.
  private var (entries, lines): ([HistoryEntry], [Int]) = ([], [])
  /// The number of entries that are logged.
  private var sentCount = 0
  /// The edits and transactions that were added.
  private(set) var tally = EditImporter.Tally()

  /// An importer into a document that does not exist. `unit` is what is counted for the entries' places.
  init(into document: DocumentID, _ session: Session, unit: String = "line") {
    (self.document, self.session, self.unit) = (document, session, unit)
    progress = ProgressBar(session)
  }

  /// True if a part has as many entries as it may have.
  var isFull: Bool { entries.count == ImportRequest.entryCountMax }

  /// Adds an entry, which is on this line of the file (or in this version), to the next part.
  mutating func add(_ entry: HistoryEntry, line: Int) {
    entries.append(entry)
    lines.append(line)
    guard case .edit(let edit) = entry else { return }
    tally.edits += 1
    if edit.transaction == edit.sequence { tally.transactions += 1 }
  }

  /// Sends the part. Returns when it is durable. `done` is the part of the file that was read, 0 to 1.
  ///
  /// - Throws: `CommandError` that names the line of an entry that does not fit.
  mutating func send(_ done: Double) async throws {
    guard !entries.isEmpty else { return }
    do {
      let answer = try await session.backend.perform(
        ImportRequest(document, entries: entries, entriesBefore: sentCount))
      progress.show(done, edits: answer.sequence)
    } catch let error as ProtocolError { throw described(error) }
    sentCount += entries.count
    (entries, lines) = ([], [])
  }

  /// Ends the display of progress.
  func end() { progress.end() }

  /// The error of a part, with the line of the entry that it names.
  private func described(_ error: ProtocolError) -> any Error {
    guard let json = error.details["index"], case .integer(let number) = json,
      let index = Int(exactly: number), lines.indices.contains(index)
    else { return error }
    let member = "params.entries[\(index)]: "
    let message = error.message
    let fault = message.hasPrefix(member) ? message.dropFirst(member.count) : message[...]
    return CommandError.data("\(unit) \(lines[index]): \(fault)")
  }

  /// Removes the document, if a part of it is logged, and returns the error with the outcome.
  func removing(after error: any Error) async -> any Error {
    progress.end()
    guard sentCount > 0, let error = error as? CommandError else { return error }
    var outcome = "the document was removed"
    do {
      _ = try await session.backend.perform(ForgetRequest(.name(document), upTo: tally.edits))
    } catch { outcome = "the document could not be removed: \(error)" }
    return CommandError(exitCode: error.exitCode, "\(error.message); \(outcome)")
  }
}
