import EditLogFormat
package import EditModel

extension History {
  /// What the writer was given for the edits that editors were asked to make in the document. Nil if there
  /// is none, or if it is not valid: then no editor was asked.
  ///
  /// A file that cannot be read is an error: without it, a request that is sent again would be logged
  /// twice.
  package var asked: [UInt8]? {
    get throws(LogError) {
      guard let directory = sealed?.directory else { return nil }
      let found = try directory.read(StoreLayout.asked) { file throws(LogError) -> [UInt8]? in
        let size = try file.size()
        guard size <= AskedFile.frontSize + AskedFile.contentSizeMax else { return nil }
        return AskedFile.decode(try file.read(size, at: 0), store: store, document: number)
      }
      return found.content ?? nil
    }
  }
}

extension StoreWriter {
  /// Keeps what editors are asked for in a document, durably, until it is replaced or removed, or the
  /// document is forgotten. It is in the document's folder, and no part of the history. O(size).
  ///
  /// `content` has at most `AskedFile.contentSizeMax` bytes; nil removes it, which is not flushed.
  ///
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
