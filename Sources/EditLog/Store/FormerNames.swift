public import EditModel

extension Store {
  /// The present names of the documents that had this name before, in the order of the documents'
  /// numbers. A document that has the name now is not one of them. A document whose events cannot be
  /// read is left out.
  ///
  /// Reads the footers of all segments: O(segments of the store).
  ///
  /// - Throws: `LogError.io`.
  public func documents(formerlyNamed name: DocumentID) throws(LogError) -> [DocumentID] {
    let documents = try documentNumbers().sorted { $0.value < $1.value }.map(\.key)
    let found = try documents.concurrentMap { (document) throws(LogError) in
      if document == name { return false }
      return try self.had(name, document)
    }
    return zip(documents, found).compactMap { $1 ? $0 : nil }
  }

  /// True if a document had this name before.
  private func had(_ name: DocumentID, _ document: DocumentID) throws(LogError) -> Bool {
    do throws(LogError) {
      let events = try history(of: document)?.events() ?? []
      return events.contains {
        if case .renamed(let former) = $0.kind { former.canonical == name } else { false }
      }
    } catch {
      if case .io = error { throw error }
      return false
    }
  }
}
