import EditLogFormat
public import EditModel

extension StoreWriter {
  /// Prepares to move a document's entries from the journal into a segment, the first
  /// `Options.sealCountMax` if there are more; nil if it has none. Confirms the last batch.
  /// O(entries / 512) beside that.
  ///
  /// - Returns: The job; `StoreJob.unsealedCount` is the number of entries that it leaves.
  /// - Throws: `LogError.refused` if a job of the document is under way; as `append`.
  public func prepareSeal(_ document: DocumentID) throws(LogError) -> StoreJob? {
    try checkPoison()
    guard let state = try state(of: document) else { return nil }
    try checkFree(state)
    try confirm()
    return try prepareSeal(of: state, countMax: options.sealCountMax)
  }

  /// True if sealing a document takes about a millisecond: it is small, and no job of it is under way.
  package func isQuickToSeal(_ document: DocumentID) -> Bool {
    guard let number = numbers[document], let state = states[number], state.isLoaded,
      state.job == nil, state.failure == nil, state.damages.isEmpty,
      state.unsealed.count <= 64, state.unsealed.size <= 16 << 10
    else { return false }
    let segments = catalogFile?.catalog.documents[number]?.segments ?? []
    return segments.count < 2 && segments.last?.size ?? 0 <= 64 << 10
  }

  /// Moves a document's entries from the journal into a segment. Journals without unsealed entries
  /// are removed.
  ///
  /// The segment is written under a temporary name, flushed, read back and compared before it is
  /// renamed. So a reader finds each entry in exactly one of the two places at every moment.
  ///
  /// - Throws: `LogError.noSpace`, `LogError.damaged` if the last segment or the new one cannot be
  ///   read back, `LogError.io`: then the entries are in the journal as before; `LogError.refused`
  ///   if a job of the document is under way; `LogError.poisoned`.
  public func seal(_ document: DocumentID) throws(LogError) {
    try checkPoison()
    guard let state = try state(of: document) else { return }
    try confirm()
    try Self.noSpace(root.path) { () throws(LogError) in
      try sealEntries(of: state)
      try tidyJournals()
    }
  }

  /// Seals all documents, except those that cannot be written to, and starts a new journal.
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

  /// Confirms the last batch, and unlocks the store as soon as no job is left. The writer must not
  /// be used after this.
  public func close() throws(LogError) {
    try confirm()
    assert(invariantViolation() == nil, invariantViolation() ?? "")
    // Returns the numbers that were reserved but not given.
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

  private func prepareSeal(
    of state: DocumentState, countMax: Int = .max
  ) throws(LogError) -> StoreJob? {
    guard !state.unsealed.isEmpty || !state.damages.isEmpty else { return nil }
    let work = try sealWork(of: state)
    return start(work.prefix(countMax: countMax) ?? work, state)
  }

  /// The work of sealing the entries of a document that are unsealed now.
  func sealWork(of state: DocumentState) throws(LogError) -> SealWork {
    let chain = try chain(of: state)
    state.unsealed.closeChunk()
    return SealWork(
      folder: folder(of: state), options: options, entries: state.unsealed,
      lastIndex: state.lastIndex, lastSequence: state.lastSequence, head: chain.head,
      part: state.part, damages: state.damages, journal: journal.number,
      expected: expectation(of: state))
  }

  // MARK: Journals

  /// Starts a new journal if the current one has grown and holds nothing unsealed, and removes
  /// old ones.
  func tidyJournals() throws(LogError) {
    if pending.isEmpty, journal.end >= options.journalSizeMin { try roll(isKept: false) }
    try releaseJournals()
  }

  /// Does the next step of tidying journals, so that appends can come between two steps. Returns true if
  /// there is another.
  ///
  /// - Throws: as `finish`.
  package func tidyNextJournal() throws(LogError) -> Bool {
    try checkPoison()
    return try Self.noSpace(root.path) { () throws(LogError) in
      if pending.isEmpty, journal.end >= options.journalSizeMin {
        try roll(isKept: false)
      } else {
        try releaseJournals(countMax: 1)
      }
      return oldJournals.first?.pending.isEmpty == true
    }
  }

  /// Continues in a new journal, the next one or journal `number`. Its edits may have selections if
  /// `hasSelections`.
  func roll(
    isKept: Bool, to number: UInt64? = nil, hasSelections: Bool = false
  ) throws(LogError) {
    let number = number ?? journal.number + 1
    let temporary = StoreLayout.name(of: number, .temporary)
    let next: JournalFile
    do {
      try journals.removeIfPresent(temporary)
      next = try JournalFile(
        number: number, in: journals, store: id, place: journal.place,
        reserveStep: options.journalReserveStep, hasSelections: hasSelections)
    } catch {
      // A file without its name does not count. With a name that is not durable, its state is
      // unknown.
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

  /// Removes the oldest journals, `countMax` at most, up to the first that has unsealed entries: one by
  /// one and durably, so that a crash leaves no gap in their numbers.
  func releaseJournals(countMax: Int = .max) throws(LogError) {
    let count = oldJournals.prefix(countMax).prefix { $0.pending.isEmpty }.count
    // Before they are removed, the catalog has what is sealed, and the mark does not expect these
    // journals any more.
    if count > 0 { try writeDurableMark(oldestJournal: oldJournal(at: count)) }
    for oldest in oldJournals.prefix(count) {
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

  /// Removes a journal or moves it to quarantine. If it has entries of a forgotten document, it is
  /// overwritten first.
  private func release(_ journal: OldJournal, _ name: String) throws(LogError) {
    if journal.isKept {
      let aside = try Quarantine.freeName(journal.number, .journal, in: quarantine)
      try journals.rename(name, to: aside, in: quarantine)
      recovery.quarantined.append(aside)
      try poisoning { () throws(LogError) in try quarantine.sync() }
    } else if journal.documents.isDisjoint(with: forgetting) {
      if removedJournals.count < 4, let file = try? journals.open(name, .read) {
        removedJournals.append(file)
      }
      try journals.remove(name)
    } else {
      try eraseJournal(journal.number)
    }
  }
}
