import EditLogFormat
public import EditModel

/// The result of a check of every byte.
public struct VerificationReport: Sendable {
  /// Something that differs from what was written.
  public struct Problem: Hashable, Sendable {
    /// The document that it concerns; nil for a journal or the store.
    public var document: DocumentID?
    /// What is wrong, and where.
    public var error: LogError
    /// True if nothing is lost: the changed bytes can be rebuilt, and readers get the rebuilt
    /// bytes. `StoreWriter.repair` writes them back.
    public var isRepairable = false
    /// The edits that it may concern, if known.
    public var edits: ClosedRange<SequenceNumber>?
  }

  /// Documents that were read.
  public var documentCount = 0
  /// Edits in them.
  public var editCount = 0
  /// Events in them.
  public var eventCount = 0
  /// The problems. Empty if every checksum, every place and every link of the chains agrees.
  public var problems: [Problem] = []
  /// The entries that histories are known to lack, because of damage that was found before.
  public var damages: [DocumentID: [HistoryDamage]] = [:]
  /// The known losses that cannot be assigned to a document, accepted ones included.
  public var losses: [StoreLoss] = []
  /// True if every journal that was quarantined is among the losses; false in format 1.0.
  public var listsLosses = false
  /// Checkpoints that are damaged, or differ from the state that the edits give. A repair removes
  /// them. They are a cache, so they are not problems of a history.
  public var badCheckpoints: [Problem] = []
  /// The paths of files and folders in the store that no writer creates.
  public var unknownFiles: [String] = []
  /// Documents whose entries do not agree with their hash chain, or cannot be compared with it.
  public var unproven: Set<DocumentID> = []
  /// Torn ends of journals, unless a writer is at work and may be writing them: the file, the first
  /// byte, and the number of bytes.
  public var tornEnds: [(file: String, offset: Int, size: Int)] = []
  /// The names of the files in the folder `quarantine`.
  public var quarantined: [String] = []
  /// The same files, each with whether all its entries are in a history.
  public var quarantinedFiles: [QuarantinedFile] = []
  /// The head of each document's chain, and its last edit.
  public var heads: [DocumentID: (sequence: SequenceNumber, head: ChainHead)] = [:]
}

extension Store {
  /// Reads everything and checks every checksum, the order and the chain of all histories up to
  /// the horizon of this store. A writer may keep writing meanwhile.
  ///
  /// - Parameter comparing: Compares each checkpoint with the replayed state. Without it, only the
  ///   checksums of checkpoints are verified.
  /// - Throws: an error that prevents the check itself. Its findings are in the report.
  public func verify(
    _ comparing: (any CheckpointComparing)? = nil
  ) throws(LogError) -> VerificationReport {
    try verify(comparing, while: { _ in true }) ?? VerificationReport()
  }

  /// As `verify(_:)`. The report is the same for any number of threads, except for a writer at work.
  ///
  /// - Parameters:
  ///   - comparing: Compares checkpoints with the history; nil if they are not compared.
  ///   - threadCount: The number of threads that check documents; nil for one for each processor, up to a bound.
  ///   - shouldContinue: Gets the part of the documents that is checked, 0 to 1. Called by one thread at a time;
  ///     meanwhile the others wait.
  /// - Returns: nil if `shouldContinue` returned false.
  package func verify(
    _ comparing: (any CheckpointComparing)?, threadCount: Int? = nil,
    while shouldContinue: @escaping @Sendable (Double) -> Bool
  ) throws(LogError) -> VerificationReport? {
    if let obstacle = mark.obstacle ?? catalog.obstacle { throw obstacle }
    var report = VerificationReport()
    for damage in damages {
      report.note(
        nil,
        .damaged(
          file: "\(StoreLayout.journals)/\(StoreLayout.name(of: damage.journal, .journal))",
          offset: damage.offset,
          what: damage.isHeaderAlone
            ? "the header has changed; the batches after it are intact" : damage.what),
        isRepairable: damage.isHeaderAlone)
    }
    let found = Set(damages.map(\.key))
    report.losses = try losses().filter { !found.contains($0.key) }
    if catalog.catalog == nil {
      try noteMissing(in: &report)
    } else {
      try noteStray(in: &report)
    }
    try noteTornEnds(in: &report)
    for repair in try repairs(segments: false) {
      report.note(
        repair.document, .damaged(file: repair.file, offset: 0, what: repair.what),
        isRepairable: true)
    }
    try checkNames(&report)
    report.quarantined = try status().quarantine.keys.sorted()
    report.quarantinedFiles = try quarantinedFiles()
    report.listsLosses = catalog.catalog != nil || catalog.loss != nil
    for number in try unnamedDocuments() {
      report.note(
        nil,
        .damaged(
          file: "\(StoreLayout.documents)/\(StoreLayout.name(of: number))", offset: 0,
          what: "the document's name cannot be read"))
    }
    let listed = try report.noting { () throws(LogError) in try listedAttachments() } ?? [:]
    guard
      try checkDocuments(
        listed, comparing, threadCount: threadCount, &report, while: shouldContinue)
    else { return nil }
    // The history of a document lists its losses, and each loss is listed once.
    let numbers = try documentNumbers()
    let listedKeys = Set(
      report.damages.flatMap { document, damages in
        numbers[document].map { number in damages.map { $0.key(of: number) } } ?? []
      })
    report.losses.removeAll { listedKeys.contains($0.key) }
    for position in report.problems.indices {
      report.problems[position].error = report.problems[position].error.below(root.path)
    }
    for position in report.badCheckpoints.indices {
      report.badCheckpoints[position].error =
        report.badCheckpoints[position].error.below(root.path)
    }
    return report
  }
}

extension Store {
  /// True if a writer is at work.
  var isLive: Bool {
    get throws(LogError) {
      try root.read(StoreLayout.lock) { lock throws(LogError) in try lock.isLocked() }.content
        ?? false
    }
  }
}

extension LogError {
  /// The same problem, with the file's path relative to the store at `root`.
  fileprivate func below(_ root: String) -> LogError {
    guard case .damaged(let file, let offset, let what) = self else { return self }
    return .damaged(file: file.below(root), offset: offset, what: what)
  }
}

extension String {
  /// This path, relative to the folder `root`.
  func below(_ root: String) -> String {
    hasPrefix(root + "/") ? String(dropFirst(root.count + 1)) : self
  }
}

extension Store {
  /// Records documents and journals that are missing: numbers are consecutive, and a segment names
  /// a journal that existed.
  private func noteMissing(in report: inout VerificationReport) throws(LogError) {
    let folders = try documentsDirectory?.numbers() ?? []
    let known = Set(folders).union(records.keys).union(forgotten).union([newestDocument])
      .filter { $0 <= newestDocument }
    var last: UInt64 = 0
    // Gap by gap, because a forged number can make a gap of any size.
    for number in known.sorted() {
      if number > last + 1 {
        let count = number - last - 1
        report.note(
          nil,
          .damaged(
            file: DocumentsDirectory.path(of: last + 1), offset: 0,
            what: count == 1
              ? "the files of a document are missing"
              : "the files of \(count) documents are missing from here on"))
      }
      last = number
    }
  }

  /// Records folders whose numbers were never given to a document.
  private func noteStray(in report: inout VerificationReport) throws(LogError) {
    let limit = max(
      records.keys.max() ?? 0, forgotten.max() ?? 0, catalog.catalog?.newestDocument ?? 0,
      mark.mark?.documentLimit ?? 0)
    // Listed before `limit` was read: a document that is created meanwhile is not in the list.
    for number in folders where number > limit {
      report.note(
        nil,
        .damaged(
          file: DocumentsDirectory.path(of: number), offset: 0,
          what: DocumentsDirectory.strayWhat))
    }
  }

  /// Records the torn ends that recovery would quarantine, unless a writer is at work.
  private func noteTornEnds(in report: inout VerificationReport) throws(LogError) {
    guard !torn.isEmpty, try !isLive else { return }
    let damaged = Set(damages.map(\.journal))
    for (journal, end) in torn.sorted(by: { $0.key < $1.key }) where !damaged.contains(journal) {
      let file = "\(StoreLayout.journals)/\(StoreLayout.name(of: journal, .journal))"
      report.tornEnds.append((file, end.lowerBound, end.count))
    }
  }

  /// Records that the last segment has another name than the file `name` of format 1.0, which was
  /// written together with it. If the document was renamed since, the new name is in a journal too.
  private func checkName(
    of history: History, isLive: () throws(LogError) -> Bool,
    _ report: inout VerificationReport
  ) throws(LogError) {
    guard records[history.number]?.name == nil, let directory = history.sealed?.directory,
      let sealed = history.sealed?.last?.index.name
    else { return }
    let stored = try ifUsable { () throws(LogError) in
      try NameFile.read(in: directory, store: id, document: history.number).content
    }
    guard let stored, stored != sealed, try !isLive() else { return }
    report.note(
      history.document,
      .damaged(
        file: directory.path(of: StoreLayout.name), offset: FileHeader.size,
        what: "the name is not the one that the last segment has"))
  }

  /// Records that a segment names a journal newer than every existing one.
  func check(
    _ history: History, isLive: () throws(LogError) -> Bool,
    _ report: inout VerificationReport
  ) throws(LogError) {
    try checkName(of: history, isLive: isLive, &report)
    // A backup that was interrupted requires no journal, and says which ones its segments may name.
    let newest = max(journalSizes.keys.max() ?? 0, mark.mark?.journal ?? 0)
    guard let named = history.sealed?.journal, named > newest,
      let journals = try root.directoryIfPresent(StoreLayout.journals),
      // The journal may have been created after this store was opened.
      named > StoreLayout.numbers(.journal, in: try journals.names()).last ?? 0
    else { return }
    report.note(
      history.document,
      .damaged(
        file: "\(StoreLayout.journals)/\(StoreLayout.name(of: named, .journal))", offset: 0,
        what: "the journal is missing, with the entries that were only in it"))
  }
}

extension VerificationReport {
  /// The result of `body`; nil if it finds a file of the store damaged, which is recorded.
  fileprivate mutating func noting<Result>(
    _ body: () throws(LogError) -> Result
  ) throws(LogError) -> Result? {
    do { return try body() } catch {
      guard case .damaged = error else { throw error }
      note(nil, error)
      return nil
    }
  }

  mutating func note(
    _ document: DocumentID?, _ error: LogError, isRepairable: Bool = false,
    edits: ClosedRange<SequenceNumber>? = nil
  ) {
    problems.append(
      Problem(document: document, error: error, isRepairable: isRepairable, edits: edits))
  }

  /// Records the changed units of a segment and of its parity.
  fileprivate mutating func note(
    _ document: DocumentID, _ check: SegmentFile.Check, of segment: Segment
  ) {
    func damage(_ offset: Int, _ what: String) -> LogError {
      .damaged(file: segment.file.path, offset: offset, what: what)
    }
    for unit in check.mendable {
      note(
        document,
        damage(unit.lowerBound, "\(unit.count) bytes have changed; the parity restores them"),
        isRepairable: true, edits: segment.index.edits(in: unit))
    }
    for unit in check.lost {
      note(
        document,
        damage(
          unit.lowerBound,
          "\(unit.count) bytes have changed, as have others that the parity needs to restore them"),
        edits: segment.index.edits(in: unit))
    }
    if check.isUnprotected {
      let start = min(segment.file.dataSize, segment.file.size)
      note(document, damage(start, "the parity has changed or is gone"), isRepairable: true)
    }
  }
}

extension SegmentIndex {
  /// The edits in the blocks that contain these bytes of the file; nil if no block does.
  fileprivate func edits(in unit: Range<Int>) -> ClosedRange<SequenceNumber>? {
    let hit = blocks.filter { $0.range.overlaps(unit) && $0.header.editCount > 0 }
    guard let first = hit.first?.header, let last = hit.last?.header else { return nil }
    return first.firstSequence...last.lastSequence
  }
}

extension History {
  /// Checks the whole history, and adds the findings to `report`. `shouldContinue` gets the part that is
  /// checked, 0 to 1. `isLive` is called only if there is a state of a later edit: a writer may have
  /// stored it meanwhile.
  ///
  /// - Returns: false if `shouldContinue` returned false.
  func verify(
    _ report: inout VerificationReport, _ comparing: (any CheckpointComparing)?,
    isLive: () throws(LogError) -> Bool, while shouldContinue: (Double) -> Bool
  ) throws(LogError) -> Bool {
    report.documentCount += 1
    if !damage.isEmpty { report.damages[document] = damage }
    for position in 0..<(sealed?.count ?? 0) {
      guard shouldContinue(0) else { return false }
      guard let segment = try sealed?.segment(position) else { continue }
      report.note(document, try segment.file.check(), of: segment)
    }
    report.unproven.insert(document)
    // The comparison of checkpoints replays the history, which takes about as long as the check.
    let count = Double(max(1, lastSequence))
    let found = try check(while: { shouldContinue(min(1, Double($0) / count) / 2) })
    guard let check = found else { return false }
    report.editCount += check.editCount
    report.eventCount += check.eventCount
    let head = try head
    report.heads[document] = (lastSequence, head)
    guard check.chain.head == head else {
      throw .damaged(
        file: file(of: lastSequence), offset: 0, what: "the chain ends with another head")
    }
    report.unproven.remove(document)
    let verdict = try checkpointVerdict(comparing, while: { shouldContinue(0.5) })
    guard let verdict else { return false }
    var bad = verdict.bad
    if bad.contains(where: { $0.place.sequence > lastSequence }), try isLive() {
      bad.removeAll { $0.place.sequence > lastSequence }
    }
    report.badCheckpoints += bad.map { bad in
      VerificationReport.Problem(
        document: document, error: .damaged(file: bad.file, offset: 0, what: bad.what),
        isRepairable: true, edits: bad.place.sequence...bad.place.sequence)
    }
    return true
  }
}
