import EditLogFormat
package import EditModel

extension History {
  /// What the writer was given for the edits that editors were asked to make in the document. Nil if there
  /// is none, or if it is not valid: then no editor was asked.
  package var asked: [UInt8]? {
    guard let directory = sealed?.directory,
      let file = try? directory.open(StoreLayout.asked, .read), let size = try? file.size(),
      size <= AskedFile.frontSize + AskedFile.contentSizeMax,
      let bytes = try? file.read(size, at: 0)
    else { return nil }
    return AskedFile.decode(bytes, store: store, document: number)
  }
}

extension StoreWriter {
  /// Keeps what editors are asked for in a document, durably, until it is replaced or removed, or the
  /// document is forgotten. It is in the document's folder, and no part of the history. O(size).
  ///
  /// - Parameter content: At most `AskedFile.contentSizeMax` bytes; nil to remove it, which is not flushed.
  /// - Throws: `LogError.refused` if there is no document of this name, or the content is too long;
  ///   `LogError.noSpace`, `LogError.io`. A failed flush ends the writer.
  package func keepAsked(_ content: [UInt8]?, of document: DocumentID) throws(LogError) {
    try checkPoison()
    guard let number = numbers[document] else {
      throw .refused(path: document.name, what: "no document has this name")
    }
    let directory = try documentsDirectory.writable(number)
    guard let content else { return try removeAsked(in: directory) }
    guard content.count <= AskedFile.contentSizeMax else {
      throw .refused(path: document.name, what: "the edits are too long to ask an editor for them")
    }
    let bytes = AskedFile.encode(content, store: id, document: number)
    var flushes = FlushWatch()
    do throws(LogError) {
      try Self.noSpace(root.path) { () throws(LogError) in
        try directory.makeFolder(&flushes)
        do throws(LogError) {
          try directory.replace(StoreLayout.asked, with: bytes, &flushes)
        } catch {
          // A job that begins removes what was left of files that were being written.
          guard error.isMissing else { throw error }
          try directory.replace(StoreLayout.asked, with: bytes, &flushes)
        }
      }
    } catch {
      guard flushes.hasFailed else { throw error }
      return try poisoning { () throws(LogError) in throw error }
    }
  }

  private func removeAsked(in directory: DocumentDirectory) throws(LogError) {
    do { try directory.remove(StoreLayout.asked) } catch {
      guard error.isMissing else { throw error }
    }
  }
}
