import EditLogFormat
public import EditModel

extension StoreWriter {
  /// Prepares to move a document's entries from the journal into a segment; nil if it has
  /// none. Confirms the last batch; the rest of the time it takes does not depend on how many
  /// entries there are.
  ///
  /// - Throws: `LogError.refused` if a job of the document is under way; as `append`.
  public func prepareSeal(_ document: DocumentID) throws(LogError) -> StoreJob? {
    try checkPoison()
    guard let state = try state(of: document) else { return nil }
    try checkFree(state)
    try confirm()
    return try prepareSeal(of: state)
  }

  /// Moves a document's entries from the journal into a segment. Journals none of whose entries
  /// is unsealed are removed.
  ///
  /// The segment is written beside, flushed, read back and compared before it gets its name; so
  /// at each moment a reader finds each entry in one of the two places and knows in which.
  ///
  /// - Throws: `LogError.noSpace`, `LogError.damaged` if the last segment or what was written
  ///   does not read back, `LogError.io`: then the entries are in the journal as before;
  ///   `LogError.refused` if a job of the document is under way; `LogError.poisoned`.
  public func seal(_ document: DocumentID) throws(LogError) {
    try checkPoison()
    guard let state = try state(of: document) else { return }
    try confirm()
    try Self.noSpace(root.path) { () throws(LogError) in
      try sealEntries(of: state)
      try tidyJournals()
    }
  }

  /// Seals all documents but those that cannot be written to, and starts a new journal.
  ///
  /// - Throws: as `seal`; what was sealed before stays sealed.
  public func sealAll() throws(LogError) {
    try checkPoison()
    try confirm()
    try Self.noSpace(root.path) { () throws(LogError) in
      for number in states.keys.sorted() {
        guard let state = states[number], state.failure == nil else { continue }
        try sealEntries(of: state)
      }
      if journal.end > options.journalSizeMin { try roll(isKept: false) }
      try releaseJournals()
    }
  }

  /// Confirms the last batch and lets the store go, as soon as no job is left. The writer is not
  /// to be used any more.
  public func close() throws(LogError) {
    try confirm()
    // Numbers that were reserved and not given.
    documentLimit = min(documentLimit, nextNumber - 1)
    try noteDurable()
    try poisoning { () throws(LogError) in try journal.giveBackReserve() }
    end()
  }

  // MARK: One document

  /// Seals a document, from the first part to the last.
  func sealEntries(of state: DocumentState) throws(LogError) {
    try checkFree(state)
    guard let job = try prepareSeal(of: state) else { return }
    job.run()
    try complete(job)
  }

  private func prepareSeal(of state: DocumentState) throws(LogError) -> StoreJob? {
    guard !state.unsealed.isEmpty || !state.damages.isEmpty else { return nil }
    return start(try sealWork(of: state), state)
  }

  /// The sealing of the entries of a document that are unsealed now.
  func sealWork(of state: DocumentState) throws(LogError) -> SealWork {
    let chain = try chain(of: state)
    state.unsealed.closeChunk()
    return SealWork(
      folder: folder(of: state), options: options, entries: state.unsealed,
      lastIndex: state.lastIndex, lastSequence: state.lastSequence, head: chain.head,
      part: state.part, damages: state.damages, journal: journal.number,
      expected: catalogFile?.catalog.documents[state.number])
  }

  // MARK: Journals

  /// Starts a new journal if the current one has grown and holds nothing unsealed, and removes
  /// old ones.
  func tidyJournals() throws(LogError) {
    if pending.isEmpty, journal.end >= options.journalSizeMin { try roll(isKept: false) }
    try releaseJournals()
  }

  /// Continues in a new journal, the next one or journal `number`.
  func roll(isKept: Bool, to number: UInt64? = nil) throws(LogError) {
    let number = number ?? journal.number + 1
    let temporary = StoreLayout.name(of: number, .temporary)
    let next: JournalFile
    do {
      try journals.removeIfPresent(temporary)
      next = try JournalFile(
        number: number, in: journals, store: id, place: journal.place,
        reserveStep: options.journalReserveStep)
    } catch {
      // Without its name the file is nothing. With a name that is not durable, its state is unknown.
      let name = StoreLayout.name(of: number, .journal)
      guard error.isNoRoom, (try? journals.hasFile(name)) == false,
        (try? journals.removeIfPresent(temporary)) != nil
      else {
        return try poisoning { () throws(LogError) in throw error }
      }
      throw .noSpace(path: root.path)
    }
    oldJournals.append(
      OldJournal(
        number: journal.number, pending: pending, documents: journalDocuments, isKept: isKept))
    (journal, pending, journalDocuments) = (next, [], [])
    try noteDurable()
  }

  /// Removes the oldest journals as far as nothing in them is unsealed. One by one and durably,
  /// so that no crash leaves a hole in their row.
  func releaseJournals() throws(LogError) {
    let count = oldJournals.prefix { $0.pending.isEmpty }.count
    // What is sealed is in the catalog, and the mark expects these journals no more, before they go.
    if count > 0 { try writeDurableMark(oldestJournal: oldJournal(at: count)) }
    while let oldest = oldJournals.first, oldest.pending.isEmpty {
      let name = StoreLayout.name(of: oldest.number, .journal)
      do throws(LogError) {
        try release(oldest, name)
      } catch {
        // Another process removed it. But the missing file may be the folder it was to move to.
        guard error.isMissing, try !journals.names().contains(name) else { throw error }
      }
      try poisoning { () throws(LogError) in try journals.sync() }
      oldJournals.removeFirst()
    }
  }

  /// The number of the journal at `position` among the old ones, or of the one written to.
  private func oldJournal(at position: Int) -> UInt64 {
    position < oldJournals.count ? oldJournals[position].number : journal.number
  }

  /// Removes a journal, or puts it into the quarantine, or overwrites it first if a document
  /// that is to be forgotten has something in it.
  private func release(_ journal: OldJournal, _ name: String) throws(LogError) {
    if journal.isKept {
      let aside = try Quarantine.freeName(journal.number, .journal, in: quarantine)
      try journals.rename(name, to: aside, in: quarantine)
      recovery.quarantined.append(aside)
      try poisoning { () throws(LogError) in try quarantine.sync() }
    } else if journal.documents.isDisjoint(with: forgetting) {
      try journals.remove(name)
    } else {
      try eraseJournal(journal.number)
    }
  }
}
