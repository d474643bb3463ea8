import EditLog
import EditModel

/// The documents that are being forgotten: those that wait for seals of others, and those whose files are
/// being removed.
struct Forgettings {
  private var documents: [DocumentID: Int] = [:]
  private var waiting: [CheckedContinuation<LogError?, Never>] = []
  private var removingCount = 0

  /// True from the request to forget a document until its answer.
  func contains(_ document: DocumentID) -> Bool { documents[document] != nil }

  /// Records a request to forget a document.
  mutating func add(_ document: DocumentID) { documents[document, default: 0] += 1 }

  /// Records the answer to a request to forget a document.
  mutating func remove(_ document: DocumentID) {
    let count = documents[document] ?? 1
    documents[document] = count > 1 ? count - 1 : nil
  }

  /// True while files of a forgotten document are being removed.
  var isRemoving: Bool { removingCount > 0 }

  /// Records that a document is forgotten, and its files are to be removed.
  mutating func began() { removingCount += 1 }

  /// Records that the files of one are removed, or cannot be.
  mutating func ended() { removingCount -= 1 }

  /// Nil, or what is wrong: each beginning has one end, because both are in one function.
  func invariantViolation() -> String? {
    removingCount < 0 || documents.values.contains { $0 < 1 }
      ? "more documents were forgotten than began to be" : nil
  }

  /// Adds a caller that waits for the end of the next seal job.
  mutating func wait(_ caller: CheckedContinuation<LogError?, Never>) { waiting.append(caller) }

  /// Resumes all callers that wait, because a seal job has ended, with its error if it failed.
  mutating func sealed(_ error: LogError? = nil) {
    for caller in waiting { caller.resume(returning: error) }
    waiting = []
  }
}
