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
  /// - Throws: `LogError.damaged` if the file has changed, or is missing although the attachment was
  ///   acknowledged.
  public func attachment(
    _ digest: AttachmentDigest, of document: DocumentID
  ) throws(LogError) -> [UInt8]? {
    guard let number = try documentNumbers()[document] else { return nil }
    if let content = try attachmentFolder(of: document)?.content(of: digest) { return content }
    guard try listedAttachments()[number]?[digest] != nil else { return nil }
    throw AttachmentFolder.missing(digest, of: number)
  }

  /// Checks the bytes of all attachments of a document: those in `listed` must be there.
  func checkAttachments(
    of document: DocumentID, _ number: UInt64, _ listed: [AttachmentDigest: Int],
    _ report: inout VerificationReport
  ) throws(LogError) {
    let folder = try attachmentFolder(of: document)
    let stored = try folder?.digests() ?? []
    for digest in stored {
      let problem = try folder?.problem(ofContent: digest, size: listed[digest])
      if let problem { report.note(document, problem) }
    }
    for (digest, _) in listed.inOrder where !stored.contains(digest) {
      report.note(document, AttachmentFolder.missing(digest, of: number))
    }
  }
}
