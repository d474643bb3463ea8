import EditLogFormat
public import EditModel

extension StoreWriter {
  /// Removes a document from every file of the store: its texts, labels, attributes, authors,
  /// sessions and names. Nil if there is no document of this name.
  ///
  /// Other documents with entries in the same journals are sealed, so that the journals can be
  /// removed. Then a durable record marks the document as forgotten. From then on no reader shows
  /// it, and after a crash the next opening does the rest. Files are overwritten before they are
  /// removed. Disks and file systems that write elsewhere may keep old blocks, and blocks of files
  /// that were removed earlier may still hold their bytes.
  ///
  /// - Throws: `LogError.refused` if a job of this document, or of one that has to be sealed, is
  ///   under way, or if such a document cannot be written to; as `seal`. The document is then
  ///   unchanged. A failure after the record ends the writer, and the next opening of the store
  ///   does the rest.
  public func forget(_ document: DocumentID) throws(LogError) -> ForgetReceipt? {
    try checkPoison()
    guard let number = numbers[document], let state = states[number] else { return nil }
    try checkFree(state)
    var receipt = ForgetReceipt(document: document, number: number)
    if state.failure == nil, (try? self.state(of: document)) != nil {
      receipt.editCount = state.lastSequence
      receipt.eventCount = state.lastIndex - min(state.lastIndex, state.lastSequence)
    }
    try Self.noSpace(root.path) { () throws(LogError) in
      try confirm()
      receipt.sealedDocumentCount = try sealNeighbours(of: number)
      if journalDocuments.contains(number) { try roll(isKept: false) }
      try note(forget: number, isDone: false)
    }
    try poisoning { () throws(LogError) in
      drop(state)
      receipt.removed = try remove(number)
    }
    guard !forgetting.contains(number) else {
      throw .refused(
        path: "document \(number)",
        what: "it is forgotten, but a journal with its entries has to stay for another document")
    }
    return receipt
  }

  /// Completes the removal of documents that a crash interrupted.
  func finishForgetting() throws(LogError) {
    for number in forgetting.sorted() {
      do throws(LogError) { _ = try remove(number) } catch {
        // A file or folder that the store must not touch is in the way. The record stays, and hides
        // the document.
        guard case .refused = error else { throw error }
      }
      if forgetting.contains(number) {
        recovery.unfinishedForgets.append(number)
      } else {
        recovery.forgotten.append(number)
      }
    }
  }

  // MARK: Before the record

  /// Seals the other documents because of which journals with entries of document `number` cannot
  /// be removed. Returns how many.
  private func sealNeighbours(of number: UInt64) throws(LogError) -> Int {
    var neighbours: Set<UInt64> = []
    if journalDocuments.contains(number) {
      for old in oldJournals { neighbours.formUnion(old.pending) }
      neighbours.formUnion(pending)
    } else if let last = oldJournals.lastIndex(where: { $0.documents.contains(number) }) {
      for old in oldJournals[...last] { neighbours.formUnion(old.pending) }
    }
    let states = neighbours.subtracting([number]).sorted().compactMap { self.states[$0] }
    for state in states {
      try checkFree(state)
      guard let failure = state.failure else { continue }
      throw .refused(
        path: "document \(number)",
        what: "its entries share a journal with a document that cannot be sealed: \(failure)")
    }
    for state in states { try sealEntries(of: state) }
    return states.count
  }

  private func note(forget number: UInt64, isDone: Bool) throws(LogError) {
    var batch = JournalFile.emptyBatch()
    JournalRecord.write(forget: number, isDone: isDone, to: &batch)
    try write(&batch, kind: .records, recordCount: 1)
  }

  /// Removes the document from memory. The record is in the journal, which stays until everything
  /// is done.
  private func drop(_ state: DocumentState) {
    (states[state.number], numbers[state.id]) = (nil, nil)
    recovery.documents[state.id] = nil
    recovery.failures[state.id] = nil
    unpin(state.number)
    forgetting.insert(state.number)
    pending.insert(state.number)
  }

  private func unpin(_ number: UInt64) {
    pending.remove(number)
    for position in oldJournals.indices { oldJournals[position].pending.remove(number) }
  }

  // MARK: After the record

  /// Removes all files and entries of a forgotten document. It is idempotent. If a journal must
  /// stay because of another document, the record stays too.
  private func remove(_ number: UInt64) throws(LogError) -> ForgetReceipt.Removed {
    var removed = ForgetReceipt.Removed()
    try emptyFolder(number, &removed)
    removed.journals = oldJournals.filter { $0.documents.contains(number) }.map(\.number)
    try releaseJournals()
    guard !oldJournals.contains(where: { $0.documents.contains(number) }) else { return removed }
    let erasure = QuarantineErasure(quarantine, store: id, document: number)
    try erasure.run(&removed)
    try eraseFromCatalog(number)
    try note(forget: number, isDone: true)
    forgetting.remove(number)
    unpin(number)
    try releaseJournals()
    return removed
  }

  /// Empties a document's folder, but keeps the folder, so that its number is not given to another
  /// document.
  private func emptyFolder(
    _ number: UInt64, _ removed: inout ForgetReceipt.Removed
  ) throws(LogError) {
    try documentsDirectory.makeFolder(number)
    let folder = try documentsDirectory.writable(number)
    try folder.removeOlder(erases: true)
    for name in try folder.names() {
      removed.size += try folder.erase(name)
      removed.fileCount += 1
    }
    try folder.sync()
  }

  /// Renames an old journal, so that no reader sees it change, then overwrites and removes it.
  func eraseJournal(_ number: UInt64) throws(LogError) {
    let temporary = StoreLayout.name(of: number, .temporary)
    try journals.rename(StoreLayout.name(of: number, .journal), to: temporary, in: journals)
    try poisoning { () throws(LogError) in try journals.sync() }
    try poisoning { () throws(LogError) in _ = try journals.erase(temporary) }
  }
}
