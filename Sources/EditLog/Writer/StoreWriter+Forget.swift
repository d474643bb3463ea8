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
    guard let (number, neighbours) = try checkForgetting(document) else { return nil }
    for neighbour in neighbours { try checkFree(neighbour) }
    try Self.noSpace(root.path) { () throws(LogError) in
      try confirm()
      for neighbour in neighbours { try sealEntries(of: neighbour) }
      if journalDocuments.contains(number) { try roll(isKept: false) }
    }
    guard var (receipt, removal) = try beginForgetting(document) else { return nil }
    while try continueForgetting(&removal) {}
    try releaseJournals()
    (receipt.removed, receipt.sealedDocumentCount) = (removal.removed, neighbours.count)
    return receipt
  }

  // MARK: In steps

  /// Prepares to forget a document: from here on, new entries go to a journal that has none of it.
  ///
  /// - Returns: The documents that have to be sealed before `beginForgetting`: they keep journals
  ///   with entries of this one. Nil if there is no document of this name.
  /// - Throws: as `forget`.
  package func documentsToSeal(
    beforeForgetting document: DocumentID
  ) throws(LogError) -> [DocumentID]? {
    guard let (number, neighbours) = try checkForgetting(document) else { return nil }
    try Self.noSpace(root.path) { () throws(LogError) in
      try confirm()
      if journalDocuments.contains(number) { try roll(isKept: false) }
    }
    return neighbours.map(\.id)
  }

  /// True while a document keeps a journal with entries of `document`. O(journals).
  package func isForgettingBlocked(of document: DocumentID) -> Bool {
    guard let number = numbers[document],
      let last = oldJournals.lastIndex(where: { $0.documents.contains(number) })
    else { return false }
    return oldJournals[...last].contains { old in
      old.pending.contains { $0 != number && states[$0] != nil }
    }
  }

  /// The number of a document that can be forgotten, and the other documents that have to be sealed first.
  /// Nil if there is no document of this name.
  private func checkForgetting(
    _ document: DocumentID
  ) throws(LogError) -> (number: UInt64, neighbours: [DocumentState])? {
    try checkPoison()
    guard let number = numbers[document], let state = states[number] else { return nil }
    try checkFree(state)
    let neighbours = neighbours(of: number)
    for neighbour in neighbours {
      guard let failure = neighbour.failure else { continue }
      throw .refused(
        path: "document \(number)",
        what: "its entries share a journal with a document that cannot be sealed: \(failure)")
    }
    return (number, neighbours)
  }

  /// The other documents because of which journals with entries of document `number` cannot be removed.
  private func neighbours(of number: UInt64) -> [DocumentState] {
    var neighbours: Set<UInt64> = []
    if journalDocuments.contains(number) {
      for old in oldJournals { neighbours.formUnion(old.pending) }
      neighbours.formUnion(pending)
    } else if let last = oldJournals.lastIndex(where: { $0.documents.contains(number) }) {
      for old in oldJournals[...last] { neighbours.formUnion(old.pending) }
    }
    return neighbours.subtracting([number]).sorted().compactMap { states[$0] }
  }

  /// Forgets a document, durably: no reader shows it any more. `continueForgetting` removes its files.
  ///
  /// - Returns: A receipt without the removed files. Nil if there is no document of this name, or another
  ///   one still has to be sealed.
  /// - Throws: as `forget`.
  package func beginForgetting(
    _ document: DocumentID
  ) throws(LogError) -> (receipt: ForgetReceipt, removal: DocumentRemoval)? {
    try checkPoison()
    guard let number = numbers[document], let state = states[number],
      !journalDocuments.contains(number), !isForgettingBlocked(of: document)
    else { return nil }
    try checkFree(state)
    var receipt = ForgetReceipt(document: document, number: number)
    if state.failure == nil, (try? self.state(of: document)) != nil {
      receipt.editCount = state.lastSequence
      receipt.eventCount = state.lastIndex - min(state.lastIndex, state.lastSequence)
    }
    try Self.noSpace(root.path) { () throws(LogError) in
      try confirm()
      try note(forget: number, isDone: false)
    }
    var removal = DocumentRemoval(of: number)
    // Once it is forgotten, whatever tidies the journals removes them.
    removal.removed.journals = oldJournals.filter { $0.documents.contains(number) }.map(\.number)
    drop(state)
    return (receipt, removal)
  }

  /// Does the next step of removing a forgotten document: it overwrites and removes one file. Returns
  /// true if there is another step.
  ///
  /// - Throws: as `forget` after the record.
  package func continueForgetting(_ removal: inout DocumentRemoval) throws(LogError) -> Bool {
    let hasNext = try poisoning { () throws(LogError) in try removeNext(&removal) }
    guard !hasNext else { return true }
    guard !forgetting.contains(removal.number) else {
      throw .refused(
        path: "document \(removal.number)",
        what: "it is forgotten, but a journal with its entries has to stay for another document")
    }
    return false
  }

  /// Completes the removal of documents that a crash interrupted.
  func finishForgetting() throws(LogError) {
    for number in forgetting.sorted() {
      do throws(LogError) {
        var removal = DocumentRemoval(of: number)
        while try removeNext(&removal) {}
        try releaseJournals()
      } catch {
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

  /// Removes the next file with entries of a forgotten document. It is idempotent. If a journal must
  /// stay because of another document, the record stays too. Returns false when nothing is left to do.
  private func removeNext(_ removal: inout DocumentRemoval) throws(LogError) -> Bool {
    let number = removal.number
    func isIn(_ old: OldJournal) -> Bool { old.documents.contains(number) }
    switch removal.step {
    case .folder:
      try documentsDirectory.makeFolder(number)
      let folder = try documentsDirectory.writable(number)
      try folder.removeOlder(erases: true)
      removal.step = .files(folder)
    case .files(let folder):
      if let name = try folder.names().first {
        removal.removed.size += try folder.erase(name)
        removal.removed.fileCount += 1
      } else {
        try folder.sync()
        removal.step = .journals
      }
    case .journals where oldJournals.contains(where: isIn):
      guard oldJournals.first?.pending.isEmpty == true else { return false }
      try releaseJournals(countMax: 1)
    case .journals:
      let erasure = QuarantineErasure(quarantine, store: id, document: number)
      try erasure.run(&removal.removed)
      removal.step = .catalog
    case .catalog:
      try eraseFromAttachmentList(number)
      try eraseFromCatalog(number)
      try note(forget: number, isDone: true)
      forgetting.remove(number)
      unpin(number)
      return false
    }
    return true
  }

  /// Renames an old journal, so that no reader sees it change, then overwrites and removes it.
  func eraseJournal(_ number: UInt64) throws(LogError) {
    let temporary = StoreLayout.name(of: number, .temporary)
    try journals.rename(StoreLayout.name(of: number, .journal), to: temporary, in: journals)
    try poisoning { () throws(LogError) in try journals.sync() }
    try poisoning { () throws(LogError) in _ = try journals.erase(temporary) }
  }
}
