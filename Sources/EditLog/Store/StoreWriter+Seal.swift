public import EditModel

extension StoreWriter {
  /// Moves a document's entries from the journal into a segment. Journals none of whose entries
  /// is unsealed are removed.
  ///
  /// The segment is written beside, flushed, read back and compared before it gets its name; so
  /// at each moment a reader finds each entry in one of the two places and knows in which.
  ///
  /// - Throws: `LogError.noSpace`, `LogError.damaged` where the last segment or what was written
  ///   does not read back, `LogError.io`: then the entries are in the journal as before;
  ///   `LogError.poisoned`.
  public func seal(_ document: DocumentID) throws(LogError) {
    try checkPoison()
    guard let state = try state(of: document) else { return }
    try confirm()
    try Self.noSpace(root.path) { () throws(LogError) in
      try sealEntries(of: state)
      try rollIfSealed()
      try releaseJournals()
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

  /// Confirms the last batch and lets the store go. The writer is not to be used any more.
  public func close() throws(LogError) {
    try confirm()
    try poisoning { () throws(LogError) in try journal.giveBackReserve() }
    end()
  }

  // MARK: One document

  func sealEntries(of state: DocumentState) throws(LogError) {
    guard !state.unsealed.isEmpty || !state.damages.isEmpty else { return }
    let chain = try chain(of: state)
    let directory = try preparedDirectory(of: state)
    let sealed = try SealedPart(in: directory, store: id, document: state.number)
    let entries: [HistoryEntry]
    do { entries = try state.unsealed.entries() } catch {
      throw .damaged(file: journals.path, offset: error.offset, what: error.problem.rawValue)
    }
    let first = mergedFirst(sealed) ?? (sealed.lastSequence + 1)
    let temporary = StoreLayout.name(of: first, .temporary)
    do {
      try directory.removeIfPresent(temporary)
      try write(entries, of: state, head: chain.head, over: sealed, as: temporary, first: first)
    } catch {
      // The entries are still in the journal; a leftover would be removed the next time.
      try? directory.removeIfPresent(temporary)
      throw error
    }
    try poisoning { () throws(LogError) in
      try directory.rename(temporary, to: StoreLayout.name(of: first, .segment), in: directory)
      try directory.sync()
    }
    (state.unsealed, state.part, state.damages) = (EntryList(), ChainPart(), [])
    pending.remove(state.number)
    for position in oldJournals.indices { oldJournals[position].pending.remove(state.number) }
    try removeBadCheckpoints(of: state, in: directory)
  }

  /// The first sequence number of the segment that the new one replaces; nil where it stands
  /// beside it.
  private func mergedFirst(_ sealed: SealedPart) -> SequenceNumber? {
    guard let last = sealed.last, let first = sealed.firsts.last else { return nil }
    // A segment of events alone has the name the next one would have.
    let isSmall = last.index.dataSize < options.segmentSizeMax
    return isSmall || first == sealed.lastSequence + 1 ? first : nil
  }

  /// Writes, flushes and checks the segment that holds `entries`, and what the segment it
  /// replaces holds.
  private func write(
    _ entries: [HistoryEntry], of state: DocumentState, head: ChainHead,
    over sealed: SealedPart, as temporary: String, first: SequenceNumber
  ) throws(LogError) {
    let file = try sealed.directory.open(temporary, .create)
    var writer = try SegmentWriter(
      file, store: id, document: state.number, first: first, level: options.level)
    var entries = entries
    if let last = sealed.last, first == sealed.firsts.last {
      let blocks = last.index.blocks
      // A last block that is not full grows; all others are copied as they are.
      let open = blocks.last.flatMap {
        $0.header.editCount < options.blockEditCountMax && !entries.isEmpty ? $0 : nil
      }
      try writer.copy(open == nil ? blocks[...] : blocks.dropLast(), of: last)
      if let open { entries = try last.entries(of: open) + entries }
      guard writer.index.chain.continues(in: state.part) else {
        throw .damaged(
          file: last.file.path, offset: last.index.blocksEnd,
          what: "the hash chain does not go on from this segment")
      }
    } else if let last = sealed.last {
      writer.carryOn(from: last)
    }
    try writer.append(entries, editCountMax: options.blockEditCountMax)
    let unsealed = state.unsealed.count
    try writer.finish { index in
      index.name = state.id
      (index.lastIndex, index.lastSequence) = (state.lastIndex, state.lastSequence)
      (index.head, index.journal) = (head, journal.number)
      index.damages += state.damages
      index.chain.append(state.part)
      for entry in entries.suffix(unsealed) {
        index.sessions.note(entry)
        if case .event(let event) = entry { index.events.append(event) }
      }
    }
    try poisoning { () throws(LogError) in try file.sync() }
    try writer.check()
  }

  /// The document's directory with its name in it, both durable.
  func preparedDirectory(of state: DocumentState) throws(LogError) -> any Directory {
    let name = StoreLayout.name(of: state.number)
    let directory = try documentsDirectory.createDirectory(name)
    guard state.storedID != state.id else { return directory }
    try NameFile.write(state.id, in: directory, store: id, document: state.number)
    try poisoning { () throws(LogError) in try documentsDirectory.sync() }
    state.storedID = state.id
    return directory
  }

  // MARK: Journals

  /// Starts a new journal where the one written to has grown and holds nothing unsealed.
  private func rollIfSealed() throws(LogError) {
    if pending.isEmpty, journal.end >= options.journalSizeMin { try roll(isKept: false) }
  }

  /// Goes on in a new journal.
  func roll(isKept: Bool) throws(LogError) {
    let temporary = StoreLayout.name(of: journal.number + 1, .temporary)
    let next: JournalFile
    do {
      try journals.removeIfPresent(temporary)
      next = try JournalFile(
        number: journal.number + 1, in: journals, store: id, place: journal.place,
        reserveStep: options.journalReserveStep)
    } catch {
      // Without its name it is nothing; with its name not durable nobody knows what it is.
      guard error.isNoRoom, (try? journals.remove(temporary)) != nil else {
        return try poisoning { () throws(LogError) in throw error }
      }
      throw .noSpace(path: root.path)
    }
    oldJournals.append(OldJournal(number: journal.number, pending: pending, isKept: isKept))
    (journal, pending) = (next, [])
  }

  /// Removes the oldest journals as far as nothing in them is unsealed. One by one and durably,
  /// so that no crash leaves a hole in their row.
  func releaseJournals() throws(LogError) {
    while let oldest = oldJournals.first, oldest.pending.isEmpty {
      let name = StoreLayout.name(of: oldest.number, .journal)
      if oldest.isKept {
        let aside = try Quarantine.freeName(oldest.number, .journal, in: quarantine)
        try journals.rename(name, to: aside, in: quarantine)
        recovery.quarantined.append(aside)
        try poisoning { () throws(LogError) in try quarantine.sync() }
      } else {
        try journals.remove(name)
      }
      try poisoning { () throws(LogError) in try journals.sync() }
      oldJournals.removeFirst()
    }
  }
}
