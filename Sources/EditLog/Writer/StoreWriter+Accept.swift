import EditLogFormat
public import EditModel

extension StoreWriter {
  /// Accepts all known losses. From then on, answers do not warn of them, and `verify` reports them
  /// as accepted. The catalog records this.
  ///
  /// A document with missing or cut segments continues after the last edit that can be read
  /// without a gap. What lies after that moves to the folder `quarantine`, and the document's
  /// history says how many entries it lacks.
  ///
  /// - Returns: The accepted losses.
  /// - Throws: `LogError.refused` if a job of such a document is under way, or a file of it may not
  ///   be read; the losses of other documents are accepted then. Otherwise as `seal`; losses that
  ///   were accepted before the error stay accepted.
  public func acceptLosses() throws(LogError) -> [StoreLoss] {
    try checkPoison()
    var accepted = try adoptSealedNames()
    var refusal: LogError?
    for (number, state) in states.sorted(by: { $0.key < $1.key }) {
      let isCut: Bool
      do throws(LogError) {
        try checkFree(state)
        isCut = try self.isCut(state)
      } catch {
        guard case .refused = error else { throw error }
        refusal = refusal ?? error
        continue
      }
      if isCut { accepted += try acceptCut(number, state) }
    }
    for state in states.values.sorted(by: { $0.number < $1.number }) where isDamaged(state) {
      let history = try ifUsable { () throws(LogError) in try self.history(of: state.id) }
      guard let history else { continue }
      accepted += history.damage.filter { !$0.isAccepted }.map { loss($0, state) }
    }
    accepted += try quarantineAttachments()
    accepted += losses.filter { $0.acceptedTime == nil }
    var keys: Set<String> = []
    accepted.removeAll { !keys.insert($0.key).inserted }
    for loss in accepted {
      var loss = loss
      loss.acceptedTime = clock.now()
      catalogFile?.note(.loss(loss))
    }
    try Self.noSpace(root.path) { () throws(LogError) in
      try writeDurableMark()
      // Only now: the catalog tells of the loss from here on.
      try flushAttachmentList()
    }
    if let refusal { throw refusal }
    return accepted
  }

  /// Gives each document whose name in the catalog is not that of its last segment the name that the
  /// segment has, unless another document has it. O(documents).
  private func adoptSealedNames() throws(LogError) -> [StoreLoss] {
    var found: [(state: DocumentState, row: CatalogDocument)] = []
    for state in states.values.sorted(by: { $0.number < $1.number })
    where !state.isNamedInJournals && state.job == nil {
      guard var row = catalogFile?.catalog.documents[state.number],
        row.name == state.storedID ?? state.id
      else { continue }
      let name = try DocumentName.ofLastSegment(state.number, in: documentsDirectory, store: id)
      guard let name, name != row.name else { continue }
      row.name = name
      found.append((state, row))
    }
    for (state, _) in found where numbers[state.id] == state.number { numbers[state.id] = nil }
    var losses: [StoreLoss] = []
    for (state, row) in found {
      let name = row.name.canonical
      if numbers[name] == nil {
        catalogFile?.note(.document(state.number, row))
        (state.id, state.storedID) = (name, row.name == name ? nil : row.name)
        try reload(state)
        losses.append(
          StoreLoss(
            kind: .record, key: "document \(state.number) name", file: StoreLayout.catalog,
            what: "the name was not the one that the last segment of the document has",
            time: clock.now()))
      }
      numbers[state.id] = numbers[state.id] ?? state.number
    }
    return losses
  }

  private func isDamaged(_ state: DocumentState) -> Bool {
    !state.damages.isEmpty || catalogFile?.catalog.documents[state.number]?.isDamaged == true
  }

  private func loss(_ damage: HistoryDamage, _ state: DocumentState) -> StoreLoss {
    StoreLoss(
      key: damage.key(of: state.number),
      file: "\(StoreLayout.documents)/\(StoreLayout.name(of: state.number))",
      what: "\(damage.missing) after edit \(damage.after) cannot be read any more",
      time: clock.now())
  }

  // MARK: Documents whose segments are missing or cut

  private func isCut(_ state: DocumentState) throws(LogError) -> Bool {
    do throws(LogError) {
      let sealed = try sealedPart(of: state)
      try sealed?.checkComplete()
      for position in 0..<(sealed?.count ?? 0) { _ = try sealed?.segment(position) }
      return false
    } catch {
      guard case .damaged = error else { throw error }
      return true
    }
  }

  /// Makes a document continue after the segments that follow one another from its first edit on.
  private func acceptCut(
    _ number: UInt64, _ state: DocumentState
  ) throws(LogError) -> [StoreLoss] {
    let expected = catalogFile?.catalog.documents[number]
    // Recorded before anything is moved: if the rest fails, the loss stays known.
    var cut = StoreLoss(
      key: "document \(number) cut", file: StoreLayout.quarantine,
      what: "segments of \(state.id.shown) were missing or cut", time: clock.now())
    catalogFile?.note(.loss(cut))
    try Self.noSpace(root.path) { () throws(LogError) in try writeDurableMark() }
    let directory = try folder(of: state).open()
    while true {
      let kept = try readableFront(of: number, in: directory)
      try quarantineSegments(from: kept.count, of: number, in: directory)
      // There may be another first segment beside the folder.
      let left = StoreLayout.numbers(.segment, in: try directory.names())
      guard left.count == kept.count else { continue }
      try correctFooters(of: kept, from: left, in: directory, expected)
      break
    }
    let sealed = try SealedPart(in: directory, store: id, document: number)
    let lost =
      (expected?.lastIndex ?? sealed.lastIndex)
      - min(
        expected?.lastIndex ?? 0, sealed.lastIndex)
    catalogFile?.note(
      try sealed.listing(state.id).map { .document(number, $0) } ?? .removed(number))
    // The segments that are left may have an older name; the next one has this one.
    state.isNamedInJournals = true
    try reload(state)
    let damage = HistoryDamage(
      after: sealed.lastSequence, lostEntries: lost, unreachableEntries: 0, journal: 0)
    // Entries of the lost part that the journals still have are not lost.
    let isLoss = state.lastIndex < sealed.lastIndex + lost
    if isLoss {
      state.damages.insert(damage, at: 0)
    } else {
      recovery.madeAnew.append(
        RecoveryStep(
          file: "\(StoreLayout.documents)/\(StoreLayout.name(of: number))",
          what: "rebuilt from the journals; nothing is missing"))
    }
    // The new segment names a journal after those whose entries do not continue from here.
    try roll(isKept: state.damages.contains { $0.unreachableEntries > 0 })
    try sealEntries(of: state)
    try releaseJournals()
    // From here on, the history itself records what it lacks.
    if !isLoss { cut.what += "; the journals had all their entries, and nothing is missing" }
    cut.acceptedTime = clock.now()
    catalogFile?.note(.loss(cut))
    return isLoss ? [loss(damage, state)] : []
  }

  /// The segments that can be opened and follow one another from the first edit on.
  private func readableFront(
    of number: UInt64, in directory: any Directory
  ) throws(LogError) -> [Segment] {
    var segments: [Segment] = []
    var next: SequenceNumber = 1
    for first in StoreLayout.numbers(.segment, in: try directory.names()) where first == next {
      do throws(LogError) {
        let file = try directory.open(StoreLayout.name(of: first, .segment), .read)
        let segment = try Segment(file, store: id, document: number, first: first)
        guard !segment.index.isRebuilt else { return segments }
        segments.append(segment)
        next = segment.index.lastSequence + 1
      } catch {
        guard case .damaged = error else { throw error }
        return segments
      }
    }
    return segments
  }

  /// Writes the segments again whose footers count other entries than there are, or name a journal that
  /// never was: `firsts` are their first edits. The entries stay as they are.
  private func correctFooters(
    of segments: [Segment], from firsts: [SequenceNumber], in directory: DocumentDirectory,
    _ expected: CatalogDocument?
  ) throws(LogError) {
    var last: UInt64 = 0
    for (segment, first) in zip(segments, firsts) {
      let index = segment.index
      let possible = index.lastIndexes(after: last)
      let listed = expected?.segments.first { $0.first == first }?.lastIndex
      last =
        [index.lastIndex, listed].compactMap(\.self).first(where: possible.contains)
        ?? possible.lowerBound
      let isLast = first == firsts.last
      let isJournal =
        index.journal <= journal.number && (!isLast || expected?.allows(index) ?? true)
      guard index.lastIndex != last || !isJournal else { continue }
      try rewrite(segment, first, in: directory) { index in
        index.lastIndex = last
        // Whichever journals there are may have the entries that follow.
        if !isJournal { index.journal = 0 }
      }
    }
  }

  /// Replaces a segment by one with the same blocks and a footer that `change` has changed, durably.
  private func rewrite(
    _ segment: Segment, _ first: SequenceNumber, in directory: DocumentDirectory,
    _ change: (inout SegmentIndex) -> Void
  ) throws(LogError) {
    let temporary = StoreLayout.name(of: first, .temporary)
    try directory.removeIfPresent(temporary)
    let file = try directory.open(temporary, .create)
    var writer = try SegmentWriter(
      file, store: id, document: directory.number, first: first, level: options.level,
      largeLevel: options.largeLevel)
    try writer.copy(segment.index.blocks, of: segment)
    try writer.finish(change)
    try poisoning { () throws(LogError) in try file.sync() }
    try writer.check()
    var flushes = FlushWatch()
    let name = StoreLayout.name(of: first, .segment)
    try directory.prepare(renaming: temporary, to: name, &flushes)
    try poisoning { () throws(LogError) in
      try directory.rename(temporary, to: name, in: directory)
      try directory.sync()
    }
  }

  /// Moves the segments of a document from the `count`-th on into the quarantine, durably, and
  /// removes its checkpoints and traces: they are a cache.
  private func quarantineSegments(
    from count: Int, of number: UInt64, in directory: any Directory
  ) throws(LogError) {
    let names = try directory.names()
    for kind in CheckpointSeries.allCases.map(\.layout) {
      for sequence in StoreLayout.numbers(kind, in: names) {
        try directory.removeIfPresent(StoreLayout.name(of: sequence, kind))
      }
    }
    try directory.removeIfPresent(StoreLayout.traces)
    for first in StoreLayout.numbers(.segment, in: names).dropFirst(count) {
      let aside = try Quarantine.freeName(number, .segment, in: quarantine)
      try directory.rename(
        StoreLayout.name(of: first, .segment), to: aside, in: quarantine)
      recovery.quarantined.append(aside)
    }
    try poisoning { () throws(LogError) in
      try quarantine.sync()
      try directory.sync()
    }
  }

  /// Reads again the entries that the journals have of a document after its segments.
  private func reload(_ state: DocumentState) throws(LogError) {
    let numbers = StoreLayout.numbers(.journal, in: try journals.names())
    let contents = try JournalContents(
      numbers, in: journals, store: id, access: .read, mark: nil)
    state.failure = nil
    (state.chain, state.part, state.sealedChain) = (nil, ChainPart(), nil)
    state.unsealed = EntryList()
    try take(contents.documents[state.number] ?? .init(), of: state.number)
    recovery.failures[state.id] = nil
  }
}
