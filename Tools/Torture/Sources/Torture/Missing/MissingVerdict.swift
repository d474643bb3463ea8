import EditLog
import EditModel
import Replay
import TestSupport

/// Compares what a store shows with what its owner knows. The whole of it, an error, or a warning:
/// anything else is a loss that was not reported.
struct MissingVerdict {
  typealias Failure = StateCheck.Failure

  let known: KnownStore
  let silence: MissingSilence
  /// What was done, for messages.
  let context: String
  /// True right after what is lost was accepted: then less may be shown.
  var isAccepted = false
  /// True once anything of a document was not shown.
  private(set) var isShort = false
  /// True if something was said to be wrong.
  private(set) var isReported = false

  init(_ known: KnownStore, _ silence: MissingSilence, _ context: String) {
    (self.known, self.silence, self.context) = (known, silence, context)
  }

  func failure(_ what: String, _ detail: String) -> Failure {
    Failure(what: what, detail: "\(detail); \(context)")
  }

  // MARK: Files

  /// Reads the files as `editlog` does: each document, the list of them, and with `verify`.
  mutating func read(_ disk: SimulatedFileSystem) throws {
    let store: Store, losses: [StoreLoss]
    do throws(LogError) {
      store = try Store.open(at: "/store", fileSystem: disk)
      losses = try store.losses()
    } catch {
      isShort = true
      return try checkNamed(error)
    }
    for document in known.documents {
      try check(document, losses) { try store.history(of: $0) }
    }
    try checkAccepted(losses)
    isReported = losses.contains { $0.acceptedTime == nil }
    try checkList(isReported) { () throws(LogError) in try store.documents() }
    let report: VerificationReport
    do throws(LogError) { report = try store.verify(CheckpointComparison()) } catch {
      return try checkNamed(error)
    }
    let isFound =
      !report.problems.isEmpty || report.damages.values.joined().contains { !$0.isAccepted }
      || report.losses.contains { $0.acceptedTime == nil }
    isReported = isFound
    if isShort, !isFound, !silence.hidesLosses { throw failure("verify finds nothing", "") }
  }

  /// Reads through a writer, as the daemon does. The documents continue from what it shows.
  mutating func read(_ writer: StoreWriter) throws -> [[HistoryEntry]?] {
    var lists: [[HistoryEntry]?] = []
    for document in known.documents {
      lists.append(try check(document, writer.losses) { try writer.history(of: $0) })
    }
    try checkAccepted(writer.losses)
    let isReported = isAccepted || writer.losses.contains { $0.acceptedTime == nil }
    try checkList(isReported) { () throws(LogError) in try writer.documents() }
    return lists
  }

  // MARK: One document

  /// What a document reads as; nil if reading it is an error.
  @discardableResult
  private mutating func check(
    _ document: KnownDocument, _ losses: [StoreLoss], _ find: (DocumentID) throws -> History?
  ) throws -> [HistoryEntry]? {
    let history: History?
    let list: [HistoryEntry]
    do {
      history = try document.names.lazy.compactMap { try find($0) }.first
      list = try entries(history)
    } catch let error as LogError {
      isShort = true
      try checkNamed(error)
      return nil
    }
    let isReported =
      losses.contains { $0.acceptedTime == nil }
      || history?.damage.contains { !$0.isAccepted } == true
    let isWhole = list == document.entries || list == document.entries + document.perhaps
    if isWhole, !document.isShort || isReported || isAccepted {
      if let history, !document.isShort { try checkText(history, list, document) }
      isShort = isShort || document.isShort
      return list
    }
    let what = "\(list.count) of \(document.entries.count) entries of \(document.names[0])"
    guard isSubsequence(list, of: document.entries) else { throw failure("wrong entries", what) }
    guard isReported || isAccepted || silence.allows(list, of: document) else {
      throw failure("silently shorter", what + (document.isShort ? ", a loss forgotten" : ""))
    }
    isShort = isShort || isReported
    return list
  }

  private func checkText(
    _ history: History, _ list: [HistoryEntry], _ document: KnownDocument
  ) throws {
    guard try Replay(history).state(at: .latest) == MissingText.state(of: list) else {
      throw failure("a wrong text", "\(document.names[0])")
    }
    guard let kept = document.kept else { return }
    do throws(LogError) {
      guard try history.confirms(kept.head, at: kept.lastSequence) else {
        throw .refused(path: "", what: "")
      }
    } catch {
      // Without its footer a segment is read by its blocks, and cannot be compared.
      if case .damaged = error { return }
      throw failure("a head is not confirmed", "\(document.names[0])")
    }
  }

  private func isSubsequence(_ part: [HistoryEntry], of whole: [HistoryEntry]) -> Bool {
    var rest = whole[...]
    for entry in part {
      guard let place = rest.firstIndex(of: entry) else { return false }
      rest = rest[(place + 1)...]
    }
    return true
  }

  // MARK: The store

  /// Each document is in the list, with its last edit, or with what is wrong.
  private func checkList(
    _ isReported: Bool, _ documents: () throws(LogError) -> [DocumentSummary]
  ) throws {
    let summaries: [DocumentSummary]
    do throws(LogError) { summaries = try documents() } catch { return try checkNamed(error) }
    for document in known.documents where !isReported {
      let summary = summaries.first { document.names.contains($0.document) }
      let isSaid = summary?.problem != nil || summary?.damage.contains { !$0.isAccepted } == true
      let last = MissingText.lastSequence(of: document.entries)
      let lasts = [last, MissingText.lastSequence(of: document.perhaps)]
      guard !isSaid, !lasts.contains(summary?.lastSequence ?? 0) else { continue }
      let shown = document.entries.prefix { $0.place <= summary?.lastSequence ?? 0 }
      guard silence.allows(Array(shown), of: document) else {
        throw failure("the list of documents is short", "\(document.names[0])")
      }
    }
  }

  /// What was accepted stays listed.
  private func checkAccepted(_ losses: [StoreLoss]) throws {
    guard known.hasAccepted, losses.isEmpty, !silence.hidesLosses else { return }
    throw failure("an accepted loss is forgotten", "")
  }

  /// An error says what is damaged.
  func checkNamed(_ error: LogError) throws {
    switch error {
    case .damaged(let file, _, _) where !file.isEmpty: return
    case .noStore, .newerFormat, .refused: return
    default: throw failure("an error that does not name the damage", "\(error)")
    }
  }
}

extension HistoryEntry {
  /// The edit it is, or follows.
  fileprivate var place: SequenceNumber {
    switch self {
    case .edit(let edit): edit.sequence
    case .event(let event): event.after
    }
  }
}
