import EditLogFormat
import EditModel
import Synchronization

/// The sealed part of a document's history: its segments as they are when it is opened.
///
/// Only the last segment is ever replaced by one that says more, of the same name. It is opened
/// at once, so its bytes stay what they are. The others are opened when they are asked for: one
/// that was compacted meanwhile holds the same entries.
final class SealedPart: Sendable {
  let directory: any Directory
  private let store: StoreID
  private let document: UInt64
  /// The numbers in the segments' names, ascending: each segment's first sequence number.
  let firsts: [SequenceNumber]
  let last: Segment?
  private let opened = Mutex<[Int: Segment]>([:])
  /// The first segment that must be there and is not.
  private let firstMissing: SequenceNumber?
  /// What must be there at least; nil if that is not known.
  private let expected: CatalogDocument?

  /// The sealed part of document `number`, which agrees with `expected`; nil if it was never sealed
  /// and has no folder. Readers and the writer find here, and only here, that a part of a document is
  /// missing, or is not the one that was sealed.
  ///
  /// - Throws: `LogError.damaged`, with the file that is missing, cut, or an older copy, or says
  ///   something that cannot be.
  static func open(
    _ number: UInt64, in documents: DocumentsDirectory?, store: StoreID,
    expecting expected: SealedExpectation
  ) throws(LogError) -> SealedPart? {
    guard let directory = try documents?.document(number) else {
      guard let listed = expected.listed, !listed.segments.isEmpty else { return nil }
      throw .damaged(
        file: DocumentsDirectory.path(of: number), offset: 0,
        what: "the document's files are missing; it had \(listed.summary)")
    }
    return try SealedPart(
      in: directory, store: store, document: number, expecting: expected)
  }

  /// As `open`, but refuses a last segment that lost its footer.
  static func openWhole(
    _ number: UInt64, in documents: DocumentsDirectory?, store: StoreID,
    expecting expected: SealedExpectation
  ) throws(LogError) -> SealedPart? {
    let sealed = try open(number, in: documents, store: store, expecting: expected)
    guard let sealed, let last = sealed.last, last.index.isRebuilt else { return sealed }
    throw .damaged(
      file: last.file.path, offset: last.index.blocksEnd,
      what: "the footer is lost; the edits can still be read with the daemon stopped")
  }

  /// The segments in the directory of a document.
  init(
    in directory: any Directory, store: StoreID, document: UInt64,
    expecting expectation: SealedExpectation = SealedExpectation()
  ) throws(LogError) {
    (self.directory, self.store, self.document) = (directory, store, document)
    let expected = expectation.listed
    self.expected = expected
    let found = StoreLayout.numbers(.segment, in: try directory.names())
    try expected?.check(found, in: directory)
    // One that is missing between others is missed when it is asked for.
    let listed = Set((expected?.segments ?? []).map(\.first))
    firsts = listed.union(found).sorted()
    firstMissing = listed.subtracting(found).min()
    last = try firsts.last.map { first throws(LogError) in
      do throws(LogError) { return try Self.open(first, directory, store, document) } catch {
        throw expected?.explain(error, of: first, in: directory) ?? error
      }
    }
    // A segment that lost its footer knows only how many entries it has.
    var lastIndex = last?.index.lastIndex ?? 0
    var (segment, before) = (last, firsts.dropLast())
    while segment?.index.isRebuilt == true, let first = before.popLast() {
      let previous = try Self.open(first, directory, store, document)
      lastIndex += previous.index.lastIndex
      segment = previous
    }
    self.lastIndex = lastIndex
    try checkEnd()
    try checkFooter(expectation)
  }

  /// Refuses a history that has a gap: nothing may be appended to it.
  func checkComplete() throws(LogError) {
    try checkBegins(at: 1)
    guard let firstMissing, let expected else { return }
    throw expected.missing(firstMissing, in: directory)
  }

  /// Refuses a last segment that says less than what was sealed, or something else.
  private func checkEnd() throws(LogError) {
    guard let last, let expected else { return }
    guard lastSequence >= expected.lastSequence, lastIndex >= expected.lastIndex else {
      throw .damaged(
        file: last.file.path, offset: last.index.blocksEnd,
        what: """
          it ends with edit \(lastSequence), and \(expected.summary) were sealed: it is cut, or an \
          older copy
          """)
    }
    guard lastIndex > expected.lastIndex || last.index.head ?? expected.head == expected.head else {
      throw .damaged(
        file: last.file.path, offset: last.index.blocksEnd,
        what: "its history ends with another head than the sealed one")
    }
  }

  /// Refuses a last footer that names another document or a journal that never was, or counts other
  /// entries than the segments have: its checksum may be right all the same.
  private func checkFooter(_ expectation: SealedExpectation) throws(LogError) {
    guard let last, !last.index.isRebuilt else { return }
    func damage(_ what: String) -> LogError {
      .damaged(file: last.file.path, offset: last.index.blocksEnd, what: what)
    }
    guard try expectation.journals.allows(last.index.journal) else {
      throw damage("it names journal \(last.index.journal), which is newer than any that was")
    }
    guard try last.index.lastIndexes(after: lastIndexBefore()).contains(lastIndex) else {
      throw damage("the footer counts other entries than there are")
    }
    guard expected?.allows(last.index) ?? true else {
      throw .damaged(
        file: StoreLayout.catalog, offset: 0,
        what: "the journal is not the one that the last segment of document \(document) names")
    }
    // A renaming is an entry, so a segment with more entries than are listed may have a newer name.
    guard let name = expectation.name, let sealed = last.index.name, sealed != name,
      lastIndex <= expected?.lastIndex ?? .max
    else { return }
    throw .damaged(
      file: expected == nil ? directory.path(of: StoreLayout.name) : StoreLayout.catalog,
      offset: 0, what: "the name is not the one that the last segment has")
  }

  /// The number of the last entry before the last segment; nil if that is not known.
  private func lastIndexBefore() throws(LogError) -> UInt64? {
    guard count > 1 else { return firsts.first == 1 ? 0 : nil }
    let before = firsts[count - 2]
    // The last one that is listed may have grown since.
    if let listed = expected?.segments.dropLast().first(where: { $0.first == before }) {
      return listed.lastIndex
    }
    // A segment that is missing or damaged is noticed when it is asked for.
    let index = try ifUsable { () throws(LogError) in try self.segment(count - 2).index }
    return index.flatMap { $0.isRebuilt ? nil : $0.lastIndex }
  }

  private static func open(
    _ first: SequenceNumber, _ directory: any Directory, _ store: StoreID, _ document: UInt64
  ) throws(LogError) -> Segment {
    let file = try directory.open(StoreLayout.name(of: first, .segment), .read)
    return try Segment(file, store: store, document: document, first: first)
  }

  var count: Int { firsts.count }
  /// The oldest journal that may hold entries after the sealed ones.
  var journal: UInt64 { last?.index.journal ?? 0 }
  /// The number of the last sealed entry, edits and events counted together.
  let lastIndex: UInt64
  var lastSequence: SequenceNumber { last?.index.lastSequence ?? 0 }

  /// The segment at `position`, counted from 0.
  func segment(_ position: Int) throws(LogError) -> Segment {
    if position == count - 1, let last { return last }
    if let segment = opened.withLock({ $0[position] }) { return segment }
    let segment: Segment
    do { segment = try Self.open(firsts[position], directory, store, document) } catch {
      throw error.isMissing
        ? expected?.missing(firsts[position], in: directory) ?? error
        : expected?.explain(error, of: firsts[position], in: directory) ?? error
    }
    let next = firsts[position + 1]
    let index = segment.index
    guard index.lastSequence &+ 1 == next,
      index.isRebuilt || expected?.allows(lastIndex: index.lastIndex, at: position) ?? true
    else {
      throw .damaged(
        file: segment.file.path, offset: index.blocksEnd,
        what: """
          it ends with edit \(index.lastSequence), and the next segment begins with edit \
          \(next): it is cut or an older copy, or a segment between them is missing
          """)
    }
    opened.withLock { $0[position] = segment }
    return segment
  }

  /// Refuses to read from the edit `sequence` on if the segments begin after it.
  func checkBegins(at sequence: SequenceNumber) throws(LogError) {
    guard let first = firsts.first, max(sequence, 1) < first else { return }
    throw .damaged(
      file: directory.path, offset: 0, what: "the segment before edit \(first) is missing")
  }

  /// Runs `body` on all segments in order.
  func forEach(_ body: (Segment) throws(LogError) -> Void) throws(LogError) {
    try checkBegins(at: 1)
    for position in 0..<count { try body(try segment(position)) }
  }

  /// The position of the segment whose range of edits includes `sequence`.
  func position(of sequence: SequenceNumber) -> Int {
    max(0, firsts.partitionPoint { $0 <= sequence } - 1)
  }
}

extension JournalContents.Records {
  /// The entries after the sealed ones, as far as they continue without a gap.
  func fold(after sealed: SealedPart?) -> FoldedEntries {
    fold(
      after: sealed?.lastIndex ?? 0, edit: sealed?.lastSequence ?? 0,
      journal: sealed?.journal ?? 0)
  }
}

extension SegmentIndex {
  /// The numbers that its last entry can have, if `before` is that of the last entry before it: only
  /// entries, and entries that are known to be missing, are numbered. All numbers if `before` is nil.
  func lastIndexes(after before: UInt64?) -> ClosedRange<UInt64> {
    guard let before else { return 0...UInt64.max }
    let found = blocks.reduce(before) { $0 &+ UInt64($1.header.editCount + $1.header.eventCount) }
    return
      found...damages.reduce(found) { sum, damage in
        let (total, isOverflow) = sum.addingReportingOverflow(damage.lostEntries)
        return isOverflow ? .max : total
      }
  }
}
