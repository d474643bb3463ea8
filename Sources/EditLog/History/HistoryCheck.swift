import EditLogFormat
public import EditModel

/// A check of a history against itself: its entries are in their places, each link of the hash
/// chain equals the one in a footer, and each footer agrees with its entries.
///
/// A program that can write files and knows the format can forge a history that passes. Only a
/// head that was kept elsewhere reveals it.
struct HistoryCheck: ~Copyable {
  private let history: History
  /// The chain through all entries so far.
  private(set) var chain: DocumentChain
  /// The numbers of edits and events that were checked.
  private(set) var editCount = 0
  private(set) var eventCount = 0

  /// The edit after which the check begins: what comes before is taken from a link.
  private let start: SequenceNumber
  /// The check ends with the first link that is closed at this edit or after it.
  private let end: SequenceNumber
  private var last: SequenceNumber
  private var time = Timestamp(nanoseconds: .min)
  /// Of the segment being checked.
  private var events: [HistoryEvent] = []
  private var sessions: [SessionID: SessionMark] = [:]
  private var meta = ByteWriter()
  private var content = ByteWriter()

  /// A check of `history` after `chain`, through the edit `end` at least.
  fileprivate init(_ history: History, after chain: DocumentChain, through end: SequenceNumber) {
    (self.history, self.chain, self.end) = (history, chain, end)
    start = chain.linkCount * DocumentChain.linkSize
    last = start
  }

  /// Checks the entries. `shouldContinue` gets the last edit that was checked.
  ///
  /// - Returns: false if `shouldContinue` returned false.
  fileprivate mutating func run(
    while shouldContinue: (SequenceNumber) -> Bool
  ) throws(LogError) -> Bool {
    if let sealed = history.sealed {
      try sealed.checkBegins(at: start)
      for position in sealed.position(of: start)..<sealed.count where !isDone {
        guard try check(try sealed.segment(position), while: shouldContinue) else { return false }
      }
    }
    for chunk in history.unsealed.chunks.indices where !isDone {
      guard shouldContinue(last) else { return false }
      let file = StoreLayout.path(ofJournal: history.unsealed.chunks[chunk].journal)
      try take(try history.entries(of: .chunk(chunk)), file, 0)
    }
    return true
  }

  /// True once a link is closed at the last edit that is asked for, or after it.
  private var isDone: Bool { !chain.isOpen && last > end }

  private mutating func check(
    _ segment: Segment, while shouldContinue: (SequenceNumber) -> Bool
  ) throws(LogError) -> Bool {
    let index = segment.index
    guard !index.isRebuilt else {
      throw fail(segment, "the footer is lost; the chain cannot be checked")
    }
    (events, sessions) = ([], [:])
    for block in index.blocks where block.header.lastSequence >= start {
      guard shouldContinue(last) else { return false }
      guard block.header.firstSequence <= last + 1 else {
        throw fail(segment, "a segment before this is missing")
      }
      let entries = try segment.entries(of: block)
      guard entries.count == block.header.editCount + block.header.eventCount,
        entries.first?.time == block.header.firstTime, entries.last?.time == block.header.lastTime
      else { throw fail(segment, "a block is not what its header says") }
      try take(entries, segment.file.path, block.offset)
      if isDone { return true }
    }
    try checkFooter(of: segment)
    return true
  }

  private func checkFooter(of segment: Segment) throws(LogError) {
    let index = segment.index
    guard index.lastSequence == last else { throw fail(segment, "edits are missing") }
    guard index.head == chain.head else {
      throw fail(segment, "the hash chain of edits \(openEdits) ends with another head")
    }
    let first = index.blocks.first?.header.firstSequence ?? last + 1
    if first > start {
      guard index.events == events else { throw fail(segment, "the footer lists other events") }
      guard index.sessions == sessions else {
        throw fail(segment, "the footer lists other sessions")
      }
    }
    guard start == 0 else { return }
    // Only entries and missing entries are numbered.
    let count = UInt64(editCount + eventCount)
    let lost = index.damages.reduce(UInt64(0)) { sum, damage in
      let (total, isOverflow) = sum.addingReportingOverflow(damage.lostEntries)
      return isOverflow ? .max : total
    }
    guard index.lastIndex >= count, index.lastIndex - count <= lost else {
      throw fail(segment, "the footer counts other entries than there are")
    }
  }

  private func fail(_ segment: Segment, _ what: String) -> LogError {
    .damaged(file: segment.file.path, offset: segment.index.blocksEnd, what: what)
  }

  /// The edits of the link that is open, or was closed last.
  private var openEdits: String {
    let count = chain.isOpen ? chain.linkCount : max(chain.linkCount, 1) - 1
    let first = count * DocumentChain.linkSize + 1
    return "\(first) to \(max(first, last))"
  }

  /// Adds the next entries. Those that a link before the start covers are skipped.
  private mutating func take(
    _ entries: [HistoryEntry], _ file: String, _ offset: Int
  ) throws(LogError) {
    for entry in entries where entry.place > start || (entry.place == start && !entry.isEdit) {
      if isDone { return }
      guard entry.place == (entry.isEdit ? last + 1 : last), entry.time >= time else {
        throw .damaged(
          file: file, offset: offset, what: "an entry at \(entry.place) is not in its place")
      }
      if !chain.isOpen { try history.open(&chain) }
      let count = chain.linkCount
      note(entry)
      // Only segments have links.
      guard chain.linkCount > count, entry.place <= history.sealedSequence,
        try history.link(count + 1) != chain.link
      else { continue }
      throw .damaged(
        file: file, offset: offset,
        what: "edits \(openEdits) are not those that link \(count + 1) of the hash chain holds")
    }
  }

  private mutating func note(_ entry: HistoryEntry) {
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

extension History {
  /// Checks the links of the hash chain that hold the entries after the edit `after` and through
  /// the edit `last` and what follows it; the whole history by default.
  ///
  /// Each link, and each head that a footer on the way holds, is computed from the entries and
  /// compared. Links before the first are taken from the footers as they are. O(entries of the
  /// links): about 0.5 µs each.
  ///
  /// - Throws: `LogError.damaged` with the file and the edits if one does not hold.
  public func checkLinks(
    after: SequenceNumber = 0, through last: SequenceNumber? = nil
  ) throws(LogError) {
    _ = try checkLinks(after: after, through: last, while: { _ in true })
  }

  /// As `checkLinks(after:through:)`. `shouldContinue` gets the last edit that was checked, before each
  /// block.
  ///
  /// - Returns: false if `shouldContinue` returned false.
  package func checkLinks(
    after: SequenceNumber = 0, through last: SequenceNumber? = nil,
    while shouldContinue: (SequenceNumber) -> Bool
  ) throws(LogError) -> Bool {
    try check(after: after, through: last ?? lastSequence, while: shouldContinue) != nil
  }

  /// As `checkLinks`, with the results; nil if `shouldContinue` returned false.
  func check(
    after: SequenceNumber = 0, through last: SequenceNumber? = nil,
    while shouldContinue: (SequenceNumber) -> Bool
  ) throws(LogError) -> HistoryCheck? {
    var check = HistoryCheck(
      self, after: try chainBefore(after + 1), through: last ?? lastSequence)
    guard try check.run(while: shouldContinue) else { return nil }
    return check
  }
}
