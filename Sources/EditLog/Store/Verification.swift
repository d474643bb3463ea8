public import EditModel

/// What a check of every byte found.
public struct VerificationReport: Sendable {
  /// Something that is not as it was written.
  public struct Problem: Hashable, Sendable {
    /// The document it concerns; nil for a journal or the store.
    public var document: DocumentID?
    /// What is wrong, and where.
    public var error: LogError
    /// True where nothing is lost by it: what changed can be rebuilt, and is in what readers are
    /// given; `StoreWriter.repair` writes it back.
    public var isRepairable = false
    /// The edits it may concern, where that is known.
    public var edits: ClosedRange<SequenceNumber>?
  }

  /// Documents that were read.
  public var documentCount = 0
  /// Edits in them.
  public var editCount = 0
  /// Events in them.
  public var eventCount = 0
  /// What is wrong. Empty where every checksum, every place and every link of the chains agree.
  public var problems: [Problem] = []
  /// What histories are known to lack, from damage that was found before.
  public var damages: [DocumentID: [HistoryDamage]] = [:]
  /// Checkpoints that are not usable: they cost time, not history.
  public var badCheckpoints = 0
  /// Ends of journals whose write was cut short, where no writer is at work that might be
  /// writing them: the file, the first byte, and how many.
  public var tornEnds: [(file: String, offset: Int, size: Int)] = []
  /// Files that were put aside because they could not be read.
  public var quarantined: [String] = []
  /// The head of each document's chain, and the last edit.
  public var heads: [DocumentID: (sequence: SequenceNumber, head: ChainHead)] = [:]
}

extension Store {
  /// Reads everything and checks every checksum, the order and the chain of all histories up to
  /// the horizon of this store. A writer may go on meanwhile.
  ///
  /// - Throws: what keeps the check itself from being made. What it finds is in the report.
  public func verify() throws(LogError) -> VerificationReport {
    var report = VerificationReport()
    for damage in damages {
      report.note(
        nil,
        .damaged(
          file: "\(StoreLayout.journals)/\(StoreLayout.name(of: damage.journal, .journal))",
          offset: damage.offset,
          what: damage.isHeaderAlone
            ? "the header has changed; the batches behind it are whole" : damage.what),
        isRepairable: damage.isHeaderAlone)
    }
    if try WitnessFile.isDamaged(in: root, store: id) {
      report.note(
        nil,
        .damaged(
          file: StoreLayout.confirmed, offset: 0,
          what: "nothing in it is valid; what the journals lose at their end would not be missed"),
        isRepairable: true)
    }
    try noteMissing(in: &report)
    try noteTornEnds(in: &report)
    for repair in try repairs(segments: false) {
      report.note(
        repair.document, .damaged(file: repair.file, offset: 0, what: repair.what),
        isRepairable: true)
    }
    report.quarantined = try status().quarantine.keys.sorted()
    for number in try unnamedDocuments() {
      report.note(
        nil,
        .damaged(
          file: "\(StoreLayout.documents)/\(StoreLayout.name(of: number))", offset: 0,
          what: "the document's name cannot be read"))
    }
    for (document, number) in try documentNumbers().sorted(by: { $0.value < $1.value }) {
      let before = report
      do throws(LogError) {
        guard let history = try history(of: document) else { continue }
        try check(history, &report)
        try history.verify(&report)
      } catch { report.note(document, error) }
      // It may have gone while it was read.
      if report.problems != before.problems, try wasForgotten(number) { report = before }
    }
    for position in report.problems.indices {
      report.problems[position].error = report.problems[position].error.below(root.path)
    }
    return report
  }
}

extension LogError {
  /// The same with the file named by its path in the store at `root`.
  fileprivate func below(_ root: String) -> LogError {
    guard case .damaged(let file, let offset, let what) = self, file.hasPrefix(root + "/") else {
      return self
    }
    return .damaged(file: String(file.dropFirst(root.count + 1)), offset: offset, what: what)
  }
}

extension Store {
  /// Notes documents and journals that must have been there: numbers are given in a row, and a
  /// segment names a journal that was there.
  private func noteMissing(in report: inout VerificationReport) throws(LogError) {
    let folders = try documentsDirectory?.names().compactMap(StoreLayout.number(of:)) ?? []
    let known = Set(folders).union(records.keys).union(forgotten).union([newestDocument])
      .filter { $0 <= newestDocument }
    var last: UInt64 = 0
    // Gap by gap: how large one is, anybody can claim.
    for number in known.sorted() {
      if number > last + 1 {
        let count = number - last - 1
        report.note(
          nil,
          .damaged(
            file: "\(StoreLayout.documents)/\(StoreLayout.name(of: last + 1))", offset: 0,
            what: count == 1
              ? "the folder of a document is missing"
              : "the folders of \(count) documents are missing from here on"))
      }
      last = number
    }
  }

  /// Notes what recovery would put aside, where no writer is at work.
  private func noteTornEnds(in report: inout VerificationReport) throws(LogError) {
    guard !torn.isEmpty, (try? root.open(StoreLayout.lock, .read).isLocked()) != true else {
      return
    }
    let damaged = Set(damages.map(\.journal))
    for (journal, end) in torn.sorted(by: { $0.key < $1.key }) where !damaged.contains(journal) {
      let file = "\(StoreLayout.journals)/\(StoreLayout.name(of: journal, .journal))"
      report.tornEnds.append((file, end.lowerBound, end.count))
    }
  }

  /// Notes that a segment names a journal newer than any there is.
  private func check(_ history: History, _ report: inout VerificationReport) throws(LogError) {
    guard let named = history.sealed?.journal, named > journalSizes.keys.max() ?? 0,
      let journals = try root.directoryIfPresent(StoreLayout.journals),
      // It may have been made since this store was opened.
      named > StoreLayout.numbers(.journal, in: try journals.names()).last ?? 0
    else { return }
    report.note(
      history.document,
      .damaged(
        file: "\(StoreLayout.journals)/\(StoreLayout.name(of: named, .journal))", offset: 0,
        what: "the journal is missing, with what was in it alone"))
  }
}

extension VerificationReport {
  fileprivate mutating func note(
    _ document: DocumentID?, _ error: LogError, isRepairable: Bool = false,
    edits: ClosedRange<SequenceNumber>? = nil
  ) {
    problems.append(
      Problem(document: document, error: error, isRepairable: isRepairable, edits: edits))
  }

  /// Notes what the units of a segment and its parity say.
  fileprivate mutating func note(
    _ document: DocumentID, _ check: SegmentFile.Check, of segment: Segment
  ) {
    func damage(_ offset: Int, _ what: String) -> LogError {
      .damaged(file: segment.file.path, offset: offset, what: what)
    }
    for offset in check.mendable {
      note(
        document, damage(offset, "this unit of 4,096 bytes has changed; the parity restores it"),
        isRepairable: true, edits: segment.index.edits(inUnitAt: offset))
    }
    for offset in check.lost {
      note(
        document,
        damage(offset, "this unit of 4,096 bytes has changed, as have others of its stripe"),
        edits: segment.index.edits(inUnitAt: offset))
    }
    if check.isUnprotected {
      let start = min(segment.file.dataSize, segment.file.size)
      note(document, damage(start, "the parity has changed or is gone"), isRepairable: true)
    }
  }
}

extension SegmentIndex {
  /// The edits in the blocks that the unit at `offset` belongs to; nil where it is in none.
  fileprivate func edits(inUnitAt offset: Int) -> ClosedRange<SequenceNumber>? {
    let unit = offset..<offset + ParityLayout.unitSize
    let hit = blocks.filter { $0.range.overlaps(unit) && $0.header.editCount > 0 }
    guard let first = hit.first?.header, let last = hit.last?.header else { return nil }
    return first.firstSequence...last.lastSequence
  }
}

extension History {
  /// Checks the whole history, and adds what it finds to `report`.
  func verify(_ report: inout VerificationReport) throws(LogError) {
    report.documentCount += 1
    if !damage.isEmpty { report.damages[document] = damage }
    var check = HistoryCheck(chain: DocumentChain(store: store, document: number))
    if let sealed {
      for position in 0..<sealed.count {
        let segment = try sealed.segment(position)
        report.note(document, try segment.file.check(), of: segment)
      }
      for position in 0..<sealed.count {
        try self.check(try sealed.segment(position), &check)
      }
    }
    for chunk in unsealed.chunks.indices {
      let file = StoreLayout.path(ofJournal: unsealed.chunks[chunk].journal)
      try self.check(try entries(of: .chunk(chunk)), file, 0, &check)
    }
    report.editCount += check.editCount
    report.eventCount += check.eventCount
    let head = try head
    report.heads[document] = (lastSequence, head)
    report.badCheckpoints += try countBadCheckpoints()
    if check.chain.head != head {
      report.note(
        document,
        .damaged(file: file(of: lastSequence), offset: 0, what: "the chain ends in another head"))
    }
  }

  private func check(_ segment: Segment, _ check: inout HistoryCheck) throws(LogError) {
    func fail(_ what: String) -> LogError {
      .damaged(file: segment.file.path, offset: segment.index.blocksEnd, what: what)
    }
    guard !segment.index.isRebuilt else {
      throw fail("the footer is lost; the chain cannot be checked")
    }
    (check.events, check.sessions) = ([], [:])
    for block in segment.index.blocks {
      guard block.header.firstSequence == check.last + 1 else {
        throw fail("a segment before this is missing")
      }
      let entries = try segment.entries(of: block)
      guard entries.count == block.header.editCount + block.header.eventCount,
        entries.first?.time == block.header.firstTime, entries.last?.time == block.header.lastTime
      else { throw fail("a block is not what its header says") }
      try self.check(entries, segment.file.path, block.offset, &check)
    }
    let index = segment.index
    guard index.lastSequence == check.last else { throw fail("edits are missing") }
    guard index.events == check.events else { throw fail("the footer lists other events") }
    guard index.sessions == check.sessions else { throw fail("the footer lists other sessions") }
    guard index.head == check.chain.head else { throw fail("the chain ends in another head") }
  }

  private func check(
    _ entries: [HistoryEntry], _ file: String, _ offset: Int, _ check: inout HistoryCheck
  ) throws(LogError) {
    for entry in entries {
      guard entry.place == (entry.isEdit ? check.last + 1 : check.last), entry.time >= check.time
      else {
        throw .damaged(
          file: file, offset: offset, what: "an entry at \(entry.place) is not in its place")
      }
      if !check.chain.isOpen { try open(&check.chain) }
      let count = check.chain.linkCount
      check.take(entry)
      // Only segments have links.
      guard check.chain.linkCount > count, entry.place <= sealed?.lastSequence ?? 0,
        try link(count + 1) != check.chain.link
      else { continue }
      throw .damaged(
        file: file, offset: offset,
        what: "link \(count + 1) of the hash chain is missing or does not agree")
    }
  }

  private func countBadCheckpoints() throws(LogError) -> Int {
    guard let directory = sealed?.directory else { return 0 }
    let sequences = StoreLayout.numbers(.checkpoint, in: try directory.names())
    var count = 0
    for sequence in sequences where sequence <= lastSequence {
      let found = try checkpoint(atOrBefore: sequence)
      if found?.sequence != sequence { count += 1 }
    }
    return count
  }
}

/// Where a check of a history stands.
private struct HistoryCheck {
  var chain: DocumentChain
  var last: SequenceNumber = 0
  var time = Timestamp(nanoseconds: .min)
  var editCount = 0
  var eventCount = 0
  /// Of the segment being checked.
  var events: [HistoryEvent] = []
  var sessions: [SessionID: SessionMark] = [:]

  init(chain: DocumentChain) { self.chain = chain }

  mutating func take(_ entry: HistoryEntry) {
    var meta = ByteWriter()
    var content = ByteWriter()
    chain.add(entry, meta: &meta, content: &content)
    sessions.note(entry)
    (last, time) = (entry.place, entry.time)
    if case .event(let event) = entry {
      events.append(event)
      eventCount += 1
    } else {
      editCount += 1
    }
  }
}
