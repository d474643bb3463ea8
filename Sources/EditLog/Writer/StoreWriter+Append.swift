import EditLogFormat
public import EditModel

/// The rename of a document.
public struct DocumentRename: Hashable, Sendable {
  /// The old name.
  public var old: DocumentID
  /// The new name. A document that has it must be renamed in the same batch.
  public var new: DocumentID

  /// The rename of `old` to `new`.
  public init(_ old: DocumentID, to new: DocumentID) { (self.old, self.new) = (old, new) }
}

extension StoreWriter {
  /// Appends entries to documents in one batch, which is durable when this returns. An unknown
  /// document is created.
  ///
  /// Each document's edits continue from its last one, and its events follow the edit before them.
  ///
  /// `renames` are the documents to rename, all at once. `appends` uses the new names, and must have
  /// a `renamed` event for each.
  ///
  /// - Returns: A receipt for each element of `appends`, in their order.
  /// - Throws: `LogError.noSpace`, and the writer stays usable; `LogError.damaged` if a document
  ///   cannot be written to; `LogError.refused` if an old name belongs to no document, or a new
  ///   name is taken; `LogError.poisoned`, `LogError.io`. Then nothing is acknowledged, and no
  ///   history that this writer returned or will return has any of the entries.
  public func append(
    _ appends: [(DocumentID, [HistoryEntry])], renaming renames: [DocumentRename] = []
  ) throws(LogError) -> [AppendReceipt] {
    try append(
      encoded: appends.map { ($0, EncodedEntries($1), [$1.count]) }, renaming: renames
    )
    .flatMap(\.self)
  }

  /// As `append(_:renaming:)`. The receipts of each element of `appends` are for the first entries of
  /// it, as many as `ends` says, ascending. `beforeFlush` is called when the batch is written and not
  /// yet flushed.
  package func append(
    encoded appends: [(document: DocumentID, entries: EncodedEntries, ends: [Int])],
    renaming renames: [DocumentRename] = [], beforeFlush: () -> Void = {}
  ) throws(LogError) -> [[AppendReceipt]] {
    try checkPoison()
    var batch = StagedBatch()
    try stage(renames, in: &batch)
    var receipts: [[AppendReceipt]] = []
    for (document, entries, ends) in appends {
      let position = try stage(document, in: &batch)
      try allowName(size: entries.nameSizeMax)
      var next = 0
      receipts.append(
        ends.map { end in
          batch.append(entries, next..<end, to: position, random: random)
          next = end
          return batch.documents[position].end.receipt(for: document)
        })
    }
    try write(&batch, beforeFlush: beforeFlush)
    return receipts
  }

  /// The last sequence number of a document and the time of its last entry. Returns nil if there is no
  /// such document. Reads files if all entries are sealed.
  ///
  /// - Throws: as `append` to the document.
  public func lastPlace(
    of document: DocumentID
  ) throws(LogError) -> (sequence: SequenceNumber, time: Timestamp?)? {
    guard let state = try writableState(of: document) else { return nil }
    if let time = state.unsealed.chunks.last?.lastTime { return (state.lastSequence, time) }
    return try history(of: document)?.summary().place
  }

  /// Writes a batch without records if the last batch has some. It proves that the last batch is
  /// complete, so that damage to it is not taken for a write that was cut short. Call it when the
  /// writer has been idle for a while. Sealing and closing do the same.
  public func confirm() throws(LogError) {
    try checkPoison()
    guard journal.lastKind != .confirmation else { return }
    var batch = JournalFile.emptyBatch()
    try write(&batch, kind: .confirmation, recordCount: 0)
    try noteDurable()
  }

  /// The maximum number of batches that no mark names.
  private static var unmarkedBatchesMax: UInt64 { 16 }

  private func stage(
    _ renames: [DocumentRename], in batch: inout StagedBatch
  ) throws(LogError) {
    for rename in renames {
      guard try state(of: rename.old) != nil, batch.positions[rename.old] == nil else {
        throw .refused(path: rename.old.name, what: "no document has this name")
      }
      _ = try stage(rename.old, in: &batch)
    }
    batch.oldNames = Set(renames.map(\.old))
    batch.positions = [:]
    for (position, rename) in renames.enumerated() {
      guard numbers[rename.new] == nil || batch.oldNames.contains(rename.new),
        arriving[rename.new] == nil, batch.positions[rename.new] == nil
      else { throw .refused(path: rename.new.name, what: "another document has this name") }
      try allowName(size: rename.new.name.utf8.count)
      batch.rename(position, to: rename.new)
    }
  }

  /// The position in `batch` of a document, which is created if it does not exist.
  private func stage(
    _ document: DocumentID, in batch: inout StagedBatch
  ) throws(LogError) -> Int {
    if let position = batch.positions[document] { return position }
    guard !batch.oldNames.contains(document) else {
      throw .refused(path: document.name, what: "the document of this name is being renamed")
    }
    if let state = try writableState(of: document) {
      return batch.add(state, at: try end(of: state))
    }
    let state = try newState(of: document, number: nextNumber + UInt64(batch.newCount))
    batch.newCount += 1
    let position = batch.add(state, at: try end(of: state))
    batch.rename(position, to: document)
    return position
  }

  /// The state of a document to append to. Returns nil if there is no document of this name.
  func writableState(of document: DocumentID) throws(LogError) -> DocumentState? {
    guard arriving[document] == nil else {
      throw .refused(path: document.name, what: "a job is appending to this document")
    }
    guard let state = try state(of: document) else { return nil }
    if !state.isComplete {
      try sealedPart(of: state)?.checkComplete()
      state.isComplete = true
    }
    return state
  }

  /// The state of a new document.
  func newState(of document: DocumentID, number: UInt64) throws(LogError) -> DocumentState {
    guard number <= StoreLayout.numberMax else {
      throw .refused(
        path: documentsDirectory.path,
        what: "no number is left for a new document; a folder in it has the largest")
    }
    try allowName(size: document.name.utf8.count)
    let state = DocumentState(number: number, id: document)
    (state.isLoaded, state.isChecked, state.isComplete) = (true, true, true)
    state.chain = DocumentChain(store: id, document: number)
    return state
  }

  /// The end of a document's history, where entries are appended.
  func end(of state: DocumentState) throws(LogError) -> HistoryEnd {
    HistoryEnd(
      chain: try chain(of: state), lastIndex: state.lastIndex, lastSequence: state.lastSequence)
  }

  /// Writes a staged batch, then updates the documents in memory.
  private func write(
    _ batch: inout StagedBatch, beforeFlush: () -> Void
  ) throws(LogError) {
    guard batch.recordCount > 0 else { return }
    guard batch.bytes.count - BatchHeader.size <= BatchHeader.bodySizeMax else {
      throw .refused(
        path: root.path, what: "the entries are too large for one batch; append fewer at once")
    }
    // A reader that does not know selections must refuse the journal, and not find damage in it.
    if journal.end >= options.journalSizeMax || batch.hasSelections && !journal.hasSelections {
      try roll(isKept: false, hasSelections: batch.hasSelections)
    }
    if batch.newCount > 0 { try reserveNumber(nextNumber + UInt64(batch.newCount) - 1) }
    if journal.place.number - markedBatch >= Self.unmarkedBatchesMax { try noteDurable() }
    try write(
      &batch.bytes, kind: .records, recordCount: batch.recordCount, beforeFlush: beforeFlush)
    nextNumber += UInt64(batch.newCount)
    batch.commit(to: journal.number)
    for staged in batch.documents where staged.id != staged.state.id {
      numbers[staged.state.id] = nil
    }
    for staged in batch.documents {
      let state = staged.state
      (state.id, state.storedID) = (staged.id, nil)
      numbers[state.id] = state.number
      states[state.number] = state
      pending.insert(state.number)
      journalDocuments.insert(state.number)
    }
  }

  /// Throws if the lock file was replaced: another writer may hold the lock on the new one.
  func checkLock() throws(LogError) {
    guard try lock?.isFound(at: lockPath) != false else {
      throw .damaged(
        file: lockPath, offset: 0,
        what: "the lock was removed or replaced while the store was written to")
    }
  }

  /// Writes a batch of these records.
  func write(
    _ batch: inout ByteWriter, kind: BatchHeader.Kind, recordCount: Int,
    beforeFlush: () -> Void = {}
  ) throws(LogError) {
    do throws(JournalFile.Failure) {
      try journal.write(
        &batch, kind: kind, recordCount: recordCount, beforeFlush: beforeFlush)
      do throws(LogError) { try checkLock() } catch { throw .lost(error) }
    } catch {
      switch error {
      case .noRoom:
        refusedSize = journal.growth(for: batch.count)
        throw .noSpace(path: root.path)
      case .lost(let cause): return try poisoning { () throws(LogError) in throw cause }
      }
    }
  }
}

/// Records for one batch, and the states that their documents will have once it is durable.
private struct StagedBatch: ~Copyable {
  struct Document {
    let state: DocumentState
    var id: DocumentID
    var end: HistoryEnd
    /// Entries with the places in `bytes` where they have the form of `EntryList`'s chunks.
    var entries: [(entry: EntryPlace, row: Range<Int>)] = []
  }

  var bytes = JournalFile.emptyBatch()
  var recordCount = 0
  /// True if an edit has a selection.
  var hasSelections = false
  /// Documents that the batch creates.
  var newCount = 0
  var documents: [Document] = []
  var positions: [DocumentID: Int] = [:]
  /// The old names of the renamed documents.
  var oldNames: Set<DocumentID> = []

  mutating func add(_ state: DocumentState, at end: HistoryEnd) -> Int {
    documents.append(Document(state: state, id: state.id, end: end))
    positions[state.id] = documents.count - 1
    if state.storedID != nil { rename(documents.count - 1, to: state.id) }
    return documents.count - 1
  }

  mutating func rename(_ position: Int, to name: DocumentID) {
    positions[name] = position
    documents[position].id = name
    JournalRecord.write(name: name, document: documents[position].state.number, to: &bytes)
    recordCount += 1
  }

  mutating func append(
    _ entries: EncodedEntries, _ range: Range<Int>, to position: Int, random: any RandomBytes
  ) {
    let number = documents[position].state.number
    hasSelections = hasSelections || entries.hasSelections
    entries.forEach(in: range) { place, record in
      if let link = documents[position].end.openLink(random) {
        JournalRecord.write(salt: link.salt, link: link.number, document: number, to: &bytes)
        recordCount += 1
      }
      documents[position].end.add(place, record)
      let start = JournalRecord.write(
        record, index: documents[position].end.lastIndex, document: number, to: &bytes)
      documents[position].entries.append((place, start..<bytes.count))
    }
    recordCount += range.count
  }

  /// Adds the new documents to the writer. The batch is durable, in journal `journal`.
  borrowing func commit(to journal: UInt64) {
    bytes.withUnsafeBytes { bytes in
      for document in documents {
        let state = document.state
        state.take(document.end)
        state.part.append(document.end.part)
        for (entry, row) in document.entries {
          state.unsealed.append(
            UnsafeRawBufferPointer(rebasing: bytes[row]), at: entry, of: journal)
        }
      }
    }
  }
}

extension DocumentSummary {
  fileprivate var place: (sequence: SequenceNumber, time: Timestamp?) { (lastSequence, lastTime) }
}
