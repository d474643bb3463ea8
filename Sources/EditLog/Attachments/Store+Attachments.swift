import EditLogFormat
public import EditModel

extension Store {
  private func attachmentFolder(
    of document: DocumentID
  ) throws(LogError) -> AttachmentFolder? {
    guard let number = try documentNumbers()[document],
      let directory = try documentsDirectory?.document(number)
    else { return nil }
    return AttachmentFolder(directory, store: id, document: number)
  }

  /// The attachments of a document, in the order of their digests. Without those whose files are
  /// damaged.
  ///
  /// - Parameter document: The document.
  /// - Returns: The attachments; none if there is no document of this name.
  /// - Throws: `LogError` if the folder cannot be read.
  public func attachments(of document: DocumentID) throws(LogError) -> [StoredAttachment] {
    guard let folder = try attachmentFolder(of: document) else { return [] }
    var found: [StoredAttachment] = []
    for digest in try folder.digests() {
      guard let size = try folder.size(of: digest) else { continue }
      found.append(StoredAttachment(digest: digest, size: size))
    }
    return found
  }

  /// The bytes of an attachment.
  ///
  /// - Parameters:
  ///   - digest: Their digest.
  ///   - document: The document.
  /// - Returns: The bytes, which have this digest; nil if the document has no such attachment.
  /// - Throws: `LogError.damaged` if the file has changed.
  public func attachment(
    _ digest: AttachmentDigest, of document: DocumentID
  ) throws(LogError) -> [UInt8]? {
    try attachmentFolder(of: document)?.content(of: digest)
  }

  /// Checks the bytes of all attachments of a document.
  func checkAttachments(
    of document: DocumentID, _ report: inout VerificationReport
  ) throws(LogError) {
    guard let folder = try attachmentFolder(of: document) else { return }
    for digest in try folder.digests() {
      do throws(LogError) { _ = try folder.content(of: digest) } catch {
        guard case .damaged = error else { throw error }
        report.note(document, error)
      }
    }
  }
}
