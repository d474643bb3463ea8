import EditLogFormat
public import EditModel

extension StoreWriter {
  /// Stores the bytes of an attachment in the folder of a document, once. When it returns, they are on
  /// stable storage: an edit that names them comes after them. They are removed with the document.
  ///
  /// O(size), in which no edit is taken.
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
    try checkPoison()
    guard let number = numbers[document], let state = states[number] else { return nil }
    try checkFree(state)
    guard content.count <= AttachmentLimits.sizeMax,
      let digest = AttachmentFile.digest(of: content)
    else {
      throw .refused(
        path: root.path,
        what: "an attachment has at most \(AttachmentLimits.sizeMax) bytes")
    }
    let attachment = StoredAttachment(digest: digest, size: content.count)
    var flushes = FlushWatch()
    do throws(LogError) {
      let isNew = try Self.noSpace(root.path) { () throws(LogError) in
        let directory = try documentsDirectory.writable(number)
        try directory.makeFolder(&flushes)
        let folder = AttachmentFolder(directory, store: id, document: number)
        guard try folder.digests().filter({ $0 != digest }).count < AttachmentLimits.countMax
        else {
          throw LogError.refused(
            path: directory.path,
            what: "a document has at most \(AttachmentLimits.countMax) attachments")
        }
        return try folder.add(content, digest, &flushes)
      }
      return (attachment, isNew)
    } catch {
      guard flushes.hasFailed else { throw error }
      return try poisoning { () throws(LogError) in throw error }
    }
  }
}
