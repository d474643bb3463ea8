import EditLog
import EditModel
import EditProtocol

/// The attachments that wait to be stored, by document. A job stores one at a time.
struct AttachmentQueue {
  typealias Stored = (attachment: StoredAttachment, isNew: Bool)

  /// The bytes of one, and its caller.
  struct Waiting {
    let content: [UInt8]
    let caller: CheckedContinuation<Result<Stored, ProtocolError>, Never>
  }

  private var waiting: [DocumentID: ArraySlice<Waiting>] = [:]
  /// The caller of the job that runs.
  private var running: Waiting?

  /// Adds an attachment of a document.
  mutating func add(_ attachment: Waiting, to document: DocumentID) {
    waiting[document, default: []].append(attachment)
  }

  /// Takes the next attachment of a document, which a job is to store. Returns nil if there is none.
  mutating func begin(_ document: DocumentID) -> [UInt8]? {
    running = waiting[document]?.popFirst()
    if waiting[document]?.isEmpty == true { waiting[document] = nil }
    return running?.content
  }

  /// True if the bytes of one are taken, and its caller waits for the end of a job.
  var isRunning: Bool { running != nil }

  /// The documents with attachments that wait.
  var documents: some Collection<DocumentID> { waiting.keys }

  /// True if another attachment of a document waits.
  func isWaiting(_ document: DocumentID) -> Bool { waiting[document] != nil }

  /// Resumes the caller of the attachment that was taken last.
  mutating func end(_ result: Result<Stored, ProtocolError>) {
    running.take()?.caller.resume(returning: result)
  }

  /// Resumes the callers of all attachments that wait for a job.
  mutating func refuseWaiting(_ error: ProtocolError) {
    let all = waiting.values.flatMap(\.self)
    waiting = [:]
    for attachment in all { attachment.caller.resume(returning: .failure(error)) }
  }

  /// Renames documents; `names` has the new name for each old one.
  mutating func rename(_ names: [DocumentID: DocumentID]) {
    guard waiting.keys.contains(where: { names[$0] != nil }) else { return }
    waiting = Dictionary(
      waiting.map { (names[$0.key] ?? $0.key, $0.value) }, uniquingKeysWith: { $0 + $1 })
  }
}
