import EditLogFormat
package import EditModel

extension StoreWriter {
  /// The journal to continue: the last one, its torn end quarantined; or a new one after all that ever were, if the
  /// last is damaged, or is not the newest one: a backup that was interrupted has segments that name newer ones.
  static func recoverJournal(
    _ store: OpenedStore, _ options: Options, report: inout RecoveryReport
  ) throws(LogError) -> JournalFile {
    let contents = store.contents
    report.damages = contents.damages
    let damaged = Set(contents.damages.map(\.journal))
    for journal in contents.journals where !damaged.contains(journal.number) {
      try putTornEndAside(of: journal, store, &report)
    }
    // Flushes the names before anything relies on them: a writer that was killed, or whose flush
    // failed, may have left some only in the system's memory.
    try store.journals.sync()
    try store.documents.sync()
    var place =
      contents.place ?? JournalScan.Place(number: 0, chain: BatchHeader.genesis(store.id))
    // Numbers of lost journals and batches are not used again: segments name journals, and new
    // batches must not look like the lost ones.
    let mark = store.mark.mark
    place.number = max(place.number, mark?.batch ?? 0)
    let newest = max(contents.journals.last?.number ?? 0, mark?.journal ?? 0)
    guard let last = contents.journals.last, last.number == newest, contents.damages.isEmpty,
      contents.place != nil
    else {
      return try JournalFile(
        number: newest + 1, in: store.journals, store: store.id, place: place,
        reserveStep: options.journalReserveStep)
    }
    try makeDurable(last)
    return JournalFile(
      last, place: place, store: store.id, reserveStep: options.journalReserveStep)
  }

  /// Copies the torn end of a journal into the quarantine, durably, then cuts it off.
  private static func putTornEndAside(
    of journal: JournalContents.Journal, _ store: OpenedStore, _ report: inout RecoveryReport
  ) throws(LogError) {
    let torn = journal.scan.torn
    guard !torn.isEmpty else { return }
    let name = try Quarantine.freeName(journal.number, .torn, in: store.quarantine)
    let bytes = try journal.file.read(torn.count, at: torn.lowerBound)
    try store.quarantine.replace(name, with: bytes)
    try journal.file.truncate(to: torn.lowerBound)
    try journal.file.sync()
    report.tornBytes += torn.count
    report.quarantined.append(name)
  }

  /// Writes the last batch again and flushes it. It may never have reached the disk: if the flush
  /// of the writer before failed, the system has it in memory and takes it as written.
  private static func makeDurable(_ journal: JournalContents.Journal) throws(LogError) {
    if let last = journal.scan.batches.last {
      try journal.file.writeAll(journal.lastBatch, at: last.offset)
    }
    try journal.file.sync()
  }

  /// Finds all documents, adopts the entries of the journals, and repairs damage.
  func recover(_ store: OpenedStore) throws(LogError) {
    let contents = store.contents
    forgetting = Set(contents.forgotten.filter { !$0.value }.keys)
    knowsNewestJournal = store.mark.mark != nil
    try openCatalog(store)
    let strays = try readNames(store)
    for (number, records) in contents.documents.sorted(by: { $0.key < $1.key }) {
      try take(records, of: number)
    }
    // Only now all names are known: a document may have the former name of another one.
    adoptPresentNames(contents)
    let used = [states.keys.max(), contents.documents.keys.max(), contents.forgotten.keys.max()]
    nextNumber = max(nextNumber, (used.compactMap(\.self).max() ?? 0) + 1)
    // Only the mark knows which numbers lost journals gave.
    if store.mark.isLost(beside: store.catalog) {
      nextNumber += Self.numbersSkipped
      catalogFile?.note(.removed(nextNumber - 1))
    }
    documentLimit = max(documentLimit, nextNumber - 1)
    try completeCatalog(store, strays)
    track(contents)
    try passNamedJournals()
    for state in states.values {
      recovery.unsealedEntries += state.unsealed.count
      if !state.damages.isEmpty { recovery.documents[state.id] = state.damages }
      if let failure = state.failure { recovery.failures[state.id] = failure }
    }
    try openAttachmentList()
    if recovery.damages.isEmpty, recovery.documents.isEmpty, !hasGap {
      try releaseJournals()
    } else {
      // The gap must be recorded before anything is appended after it. Otherwise a later reader of
      // the damaged journal would take the new entries for those that follow the gap.
      try sealEverything()
      recovery.madeAnew += recovery.damages.filter(\.isHeaderAlone).map {
        RecoveryStep(file: $0.file, what: JournalDamage.headerRebuilt)
      }
    }
    try finishForgetting()
    try writeDurableMark()
    try endBackup()
    assert(invariantViolation() == nil, invariantViolation() ?? "")
  }

  /// Gives the documents the names under which they are found.
  private func adoptPresentNames(_ contents: JournalContents) {
    let names = PresentNames(states.mapValues(\.id)) { number in
      let sealed = catalogFile?.catalog.documents[number]
      return contents.documents[number].map { $0.lastTime(after: sealed) } ?? sealed?.times?.last
    }
    (numbers, otherHistories) = (names.numbers, names.others)
    for (name, number) in names.numbers where states[number]?.id != name {
      states[number]?.storedID = states[number]?.id
      states[number]?.id = name
    }
  }

  /// From now on the store is no backup: what is appended to it is in no other store, so no run of
  /// `StoreBackup` may replace it.
  private func endBackup() throws(LogError) {
    guard try root.hasFile(StoreLayout.backup) else { return }
    try root.remove(StoreLayout.backup)
    try poisoning { () throws(LogError) in try root.sync() }
  }

  /// The number of document numbers that are skipped if it is unknown which were given.
  private static var numbersSkipped: UInt64 { 1 << 20 }

  /// Names the documents. Returns the numbers of files in the folder of documents that no document
  /// ever had.
  private func readNames(_ store: OpenedStore) throws(LogError) -> [UInt64] {
    let forgotten = store.contents.forgotten
    let listed = catalogFile?.catalog.documents ?? [:]
    for (number, document) in listed where forgotten[number] == nil {
      states[number] = DocumentState(number: number, id: document.name)
    }
    let limit = numberLimit(store)
    var strays: [UInt64] = []
    for number in try documentsDirectory.numbers()
    where forgotten[number] == nil && states[number] == nil {
      if let limit, number > limit { strays.append(number) }
      guard let id = try DocumentName.read(number, in: documentsDirectory, store: id) else {
        if try hasSegments(number) {
          recovery.unnamed.append(number)
        } else {
          try removeLeftovers(of: number)
        }
        // Never given to another document.
        nextNumber = max(nextNumber, number + 1)
        continue
      }
      states[number] = DocumentState(number: number, id: id)
    }
    return strays
  }

  /// The largest number that a document can have had; nil if that is not known.
  private func numberLimit(_ store: OpenedStore) -> UInt64? {
    guard let catalog = store.catalog.catalog, let limit = store.mark.mark?.documentLimit, limit > 0
    else { return nil }
    return max(
      limit, catalog.newestDocument, store.contents.documents.keys.max() ?? 0,
      store.contents.forgotten.keys.max() ?? 0)
  }

  /// Goes on in a journal after those that segments name, if the durable mark does not tell which
  /// journals there were: entries in older journals are skipped.
  private func passNamedJournals() throws(LogError) {
    guard !knowsNewestJournal else { return }
    let listed = catalogFile?.catalog.documents.values.map(\.journal).max() ?? 0
    let named = max(listed, states.values.map(\.sealedJournal).max() ?? 0)
    if named > journal.number, named < StoreLayout.numberMax {
      try roll(isKept: hasSkippedEntries(in: journalDocuments), to: named + 1)
    }
    knowsNewestJournal = true
  }

  /// True if the segment of one of these documents names a newer journal than there is.
  private func hasSkippedEntries(in documents: Set<UInt64>) -> Bool {
    documents.contains { states[$0].map { $0.sealedJournal > journal.number } ?? false }
  }

  /// Removes the temporary files of a document whose first segment was never finished: its number
  /// is not used again, so nothing else removes them. A file that cannot be erased stays.
  private func removeLeftovers(of number: UInt64) throws(LogError) {
    guard let directory = try documentsDirectory.document(number) else { return }
    for name in try directory.names() where StoreLayout.isTemporary(name) {
      _ = try? directory.erase(name)
    }
  }

  private func hasSegments(_ number: UInt64) throws(LogError) -> Bool {
    let names = try documentsDirectory.document(number)?.names() ?? []
    return !StoreLayout.numbers(.segment, in: names).isEmpty
  }

  /// Adopts the records of one document.
  func take(_ records: JournalContents.Records, of number: UInt64) throws(LogError) {
    guard let state = state(of: number, records: records) else { return }
    do throws(LogError) {
      let sealed = try sealedPart(of: state)
      // A segment may have been renamed just before the machine stopped. Journals are removed
      // because of it, so its name has to be durable first.
      try sealed?.directory.sync()
      let folded = records.fold(after: sealed)
      (state.lastIndex, state.lastSequence) = (folded.lastIndex, folded.lastSequence)
      (state.unsealed, state.damages) = (folded.list, folded.damages)
      state.journalSalts = records.salts
      state.sealedJournal = sealed?.journal ?? 0
      state.isLoaded = true
      try noteSealed(state, in: sealed)
    } catch {
      if case .io = error { throw error }
      state.failure = error
    }
  }

  private func state(
    of number: UInt64, records: JournalContents.Records
  ) -> DocumentState? {
    if let state = states[number] {
      if let name = records.name { (state.id, state.isNamedInJournals) = (name, true) }
      return state
    }
    guard let name = records.name else {
      recovery.unnamed.append(number)
      return nil
    }
    let state = DocumentState(number: number, id: name)
    state.isNamedInJournals = true
    states[number] = state
    return state
  }

  /// The chain through all entries of a document. If it is not known yet, it is computed, with the
  /// salts and links of the unsealed entries.
  func chain(of state: DocumentState) throws(LogError) -> DocumentChain {
    if let chain = state.chain { return chain }
    let salts = state.journalSalts
    var chain = try sealedChain(of: state)
    var part = ChainPart()
    try state.unsealed.forEach { _, bytes throws(LogError) in
      if !chain.isOpen {
        let number = chain.linkCount + 1
        // Its record is lost only together with the link's first entry, and then the chain has a
        // gap anyway.
        let salt = salts[number] ?? random.bytes(DocumentChain.saltSize)
        chain.open(salt: salt)
        part.append(salt: salt, number: number)
      }
      let entry = try? EntryPlace(bytes)
      let count = chain.linkCount
      chain.add(
        meta: bytes.meta, content: bytes.content,
        edit: entry?.isEdit == true ? entry?.place : nil)
      if chain.linkCount > count { part.append(link: chain.link, number: chain.linkCount) }
    }
    (state.chain, state.part, state.journalSalts) = (chain, part, [:])
    state.sealedChain = nil
    return chain
  }

  private func sealedChain(of state: DocumentState) throws(LogError) -> DocumentChain {
    let sealed = try sealedPart(of: state)
    if let known = state.sealedChain, known.lastIndex == sealed?.lastIndex ?? 0 {
      return known.chain
    }
    let history = History(
      document: state.id, number: state.number, store: id, sealed: sealed,
      unsealed: EntryList(), salts: state.journalSalts, damage: [], head: nil)
    return try history.chain()
  }

  /// Adopts the chain through a document's sealed entries, so that the next append does not compute
  /// it. It is not used if more has been sealed since.
  package func take(_ chain: SealedChain, of document: DocumentID) {
    guard let number = numbers[document] else { return }
    states[number]?.sealedChain = chain
  }

  /// Records which journals hold unsealed entries.
  private func track(_ contents: JournalContents) {
    // A journal of which only the header has changed, and that ends with its last batch, has no
    // unsealed entries when it is removed.
    let torn = Set(contents.journals.lazy.filter { !$0.scan.torn.isEmpty }.map(\.number))
    let damaged = Set(
      contents.damages.lazy.filter { !$0.isHeaderAlone || torn.contains($0.journal) }
        .map(\.journal))
    let gaps = Set(states.values.flatMap { $0.damages.map(\.journal) })
    let unnamed = Set(recovery.unnamed)
    for journal in contents.journals {
      var open = journal.documents.filter { number in
        guard let state = states[number] else { return false }
        // Entries in a newer journal do not keep this one: it may have those of a forgotten document.
        return state.failure != nil || !state.damages.isEmpty
          || state.unsealed.chunks.contains { $0.journal == journal.number }
      }
      // Until the removal of a document is complete, its record stays.
      open.formUnion(journal.forgets.intersection(forgetting))
      guard journal.number != self.journal.number else {
        (pending, journalDocuments) = (open, journal.documents)
        continue
      }
      let isKept =
        damaged.contains(journal.number) || gaps.contains(journal.number)
        || !journal.documents.isDisjoint(with: unnamed)
        || hasSkippedEntries(in: journal.documents)
      oldJournals.append(
        OldJournal(
          number: journal.number, pending: open, documents: journal.documents, isKept: isKept))
    }
  }

  /// Seals all that can be sealed, and removes all journals but a new one. The segments name the
  /// new journal, so entries of their documents in older journals no longer count.
  private func sealEverything() throws(LogError) {
    if recovery.damages.isEmpty {
      let gaps = states.values.contains { state in
        state.damages.contains { $0.journal == journal.number }
      }
      try roll(isKept: gaps)
    }
    for state in states.values.sorted(by: { $0.number < $1.number }) where state.failure == nil {
      try sealEntries(of: state)
    }
    try releaseJournals()
  }
}
