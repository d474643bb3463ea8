import EditLogFormat
public import EditModel
import Synchronization

/// Stores the bytes of an attachment in the folder of its document, once, durably.
struct AttachWork: JobWork {
  private let folder: DocumentFolder
  private let content: [UInt8]
  /// The attachments of the document that are in the file `attachments`.
  private let listed: Set<AttachmentDigest>
  private let done = Done()

  /// The attachment, and whether it is new, once it is on stable storage; and the attachments to list.
  private final class Done: Sendable {
    let stored = Mutex<(attachment: StoredAttachment, isNew: Bool)?>(nil)
    let unlisted = Mutex<[StoredAttachment]>([])
  }

  init(_ content: [UInt8], in folder: DocumentFolder, listed: Set<AttachmentDigest>) {
    (self.content, self.folder, self.listed) = (content, folder, listed)
  }

  func run(_ job: StoreJob, _ flushes: inout FlushWatch) throws(LogError) -> WrittenFile? {
    guard let digest = AttachmentFile.digest(of: content) else {
      throw .refused(path: folder.id.name, what: "the attachment has no digest")
    }
    let directory = try folder.open()
    try directory.makeFolder(&flushes)
    let attachments = AttachmentFolder(directory, store: folder.store, document: folder.number)
    guard try attachments.digests().filter({ $0 != digest }).count < AttachmentLimits.countMax
    else {
      throw .refused(
        path: directory.path,
        what: "a document has at most \(AttachmentLimits.countMax) attachments")
    }
    let isNew = try attachments.add(content, digest, &flushes)
    let attachment = StoredAttachment(digest: digest, size: content.count)
    let unlisted = try attachments.unlisted(listed)
    done.unlisted.withLock { $0 = unlisted }
    done.stored.withLock { $0 = (attachment, isNew) }
    return nil
  }

  var unlistedAttachments: [StoredAttachment] { done.unlisted.withLock { $0 } }

  var stored: (attachment: StoredAttachment, isNew: Bool)? { done.stored.withLock { $0 } }
}

extension StoreWriter {
  /// Stores the bytes of an attachment in the folder of a document, once. When it returns, they are on
  /// stable storage: an edit that names them comes after them. They are removed with the document.
  ///
  /// O(size), in which no edit is taken; `prepareAttach` does the work on another thread.
  ///
  /// - Parameters:
  ///   - content: The bytes, at most `AttachmentLimits.sizeMax`.
  ///   - document: The document, which has an entry.
  /// - Returns: The attachment, and whether it is new. Nil if there is no document of this name.
  /// - Throws: `LogError.refused` if a job of the document is under way, or a limit is exceeded. A failed
  ///   flush ends the writer.
  public func attach(
    _ content: [UInt8], to document: DocumentID
  ) throws(LogError) -> (attachment: StoredAttachment, isNew: Bool)? {
    guard let job = try prepareAttach(content, to: document) else { return nil }
    job.run()
    try finishWork(job)
    return job.attachment
  }

  /// Prepares a job that stores the bytes of an attachment of a document, so that edits are taken
  /// meanwhile.
  ///
  /// `StoreJob.run` writes and flushes them. They are on stable storage, and may be acknowledged, when
  /// `finish` has returned.
  ///
  /// - Parameters:
  ///   - content: The bytes, at most `AttachmentLimits.sizeMax`.
  ///   - document: The document, which has an entry.
  /// - Returns: The job; nil if there is no document of this name.
  /// - Throws: `LogError.refused` if a job of the document is under way, or there are too many bytes;
  ///   `LogError.poisoned`.
  public func prepareAttach(
    _ content: [UInt8], to document: DocumentID
  ) throws(LogError) -> StoreJob? {
    try checkPoison()
    guard let number = numbers[document], let state = states[number] else { return nil }
    try checkFree(state)
    guard content.count <= AttachmentLimits.sizeMax else {
      throw .refused(
        path: root.path,
        what: "an attachment has at most \(AttachmentLimits.sizeMax) bytes")
    }
    return start(
      AttachWork(content, in: folder(of: state), listed: listedAttachments(of: number)), state)
  }
}

extension StoreJob {
  /// The attachment that the job has stored, and whether it is new; nil if it stores none, or has not
  /// succeeded.
  public var attachment: (attachment: StoredAttachment, isNew: Bool)? {
    (work as? AttachWork)?.stored
  }
}
