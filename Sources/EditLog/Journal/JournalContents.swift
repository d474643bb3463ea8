import EditLogFormat
import EditModel

/// What all journals of a store hold, by document.
struct JournalContents {
  /// One journal file.
  struct Journal {
    var number: UInt64
    var file: any File
    var size: Int
    var scan: JournalScan
    /// The last batch's bytes.
    var lastBatch: [UInt8] = []
    /// Numbers of the documents with entries in it.
    var documents: Set<UInt64> = []
    /// Numbers of the documents whose forgetting was begun in it.
    var forgets: Set<UInt64> = []
  }

  /// The records of one document, in the order they were written.
  struct Records {
    var name: DocumentID?
    var salts: [UInt64: [UInt8]] = [:]
    /// Entries by journal, in the form of `EntryList`'s chunks.
    var entries: [(journal: UInt64, bytes: [UInt8])] = []
  }

  private(set) var journals: [Journal] = []
  private(set) var documents: [UInt64: Records] = [:]
  /// The forgotten documents by number; true if nothing of the document is left to remove.
  private(set) var forgotten: [UInt64: Bool] = [:]
  private(set) var damages: [JournalDamage] = []
  /// What the next batch follows; nil in a store without batches.
  private(set) var place: JournalScan.Place?

  /// The maximum size of a journal, in bytes: above that of a full journal and one more batch.
  static let sizeMax = 2 << 30

  /// Reads the journals `numbers`, opened as `access`.
  ///
  /// - Throws: `LogError.io` with `ENOENT` if one is missing; `LogError.newerFormat`.
  init(
    _ numbers: [UInt64], in directory: any Directory, store: StoreID, access: FileAccess,
    mark: DurableMark?
  ) throws(LogError) {
    // All are opened before any is read: an open file stays readable if a writer removes it.
    var files: [(UInt64, any File)] = []
    for number in numbers {
      files.append((number, try directory.open(StoreLayout.name(of: number, .journal), access)))
    }
    for (number, file) in files { try read(number, file, store, access) }
    if let mark { compare(with: mark) }
  }

  /// Records the journals, and the batches after the last one found, that were durable and are
  /// missing.
  private mutating func compare(with mark: DurableMark) {
    let found = place?.number ?? 0
    noteMissing(mark.oldestJournal, through: mark.journal)
    // If the newest journal is missing, so are its batches.
    guard mark.batch > found, !damages.contains(where: { $0.isMissing(mark.journal) }) else {
      return
    }
    let last = journals.last.flatMap { $0.number >= mark.journal ? $0 : nil }
    damages.append(
      JournalDamage(
        journal: last?.number ?? mark.journal, offset: last?.scan.end ?? 0,
        lostBatches: mark.batch - found))
  }

  /// Notes the journals that must be there and are not, gap by gap: how large one is, a file says.
  private mutating func noteMissing(_ first: UInt64, through last: UInt64) {
    guard first > 0 else { return }
    var next = first
    let found = journals.lazy.map(\.number).filter { (first...last).contains($0) }
    for number in Array(found) + [last + 1] {
      if number > next { damages.append(JournalDamage(missing: next, count: number - next)) }
      next = number + 1
    }
  }

  private mutating func read(
    _ number: UInt64, _ file: any File, _ store: StoreID, _ access: FileAccess
  ) throws(LogError) {
    let size = try file.size()
    guard size <= Self.sizeMax else {
      throw .damaged(file: file.path, offset: 0, what: "the journal has more than 2 GiB")
    }
    try file.withSparseBytes(size: size, trustingHoles: access == .read) {
      source throws(LogError) in
      let bytes = source.bytes
      if let header = FileHeader(.journal, bytes) {
        try header.check(path: file.path)
        // Another journal is in its place, so its content is missing.
        if header.number != number { damages.append(JournalDamage(missing: number, count: 1)) }
      }
      let scan = JournalScan(source, store: store, following: place)
      var journal = Journal(number: number, file: file, size: size, scan: scan)
      for batch in scan.batches { take(batch, of: bytes, into: &journal) }
      if let last = scan.batches.last {
        journal.lastBatch = [UInt8](bytes[last.offset..<last.body.upperBound])
      }
      noteEmpty(before: scan)
      note(scan, of: number)
      journals.append(journal)
      place = scan.place ?? place
    }
  }

  /// A journal gets its name with a batch in it: one without any, and nothing before it to count
  /// from, has lost some.
  private mutating func noteEmpty(before scan: JournalScan) {
    guard place == nil, !scan.batches.isEmpty, let last = journals.last else { return }
    damages.append(
      JournalDamage(journal: last.number, offset: last.scan.end, lostBatches: 1))
  }

  /// Records the damage of a journal. Batches that are missing at its beginning count as missing at
  /// the end of the journal before it.
  private mutating func note(_ scan: JournalScan, of journal: UInt64) {
    for found in scan.damages {
      var damage = JournalDamage(
        journal: journal, offset: found.offset, lostBatches: found.lostBatches)
      if damage.offset == FileHeader.size, damage.lostBatches > 0,
        scan.batches.first?.offset == FileHeader.size, let before = journals.last
      {
        (damage.journal, damage.offset) = (before.number, before.scan.end)
      }
      damages.append(damage)
    }
  }

  private mutating func take(
    _ batch: JournalScan.Batch, of bytes: UnsafeRawBufferPointer, into journal: inout Journal
  ) {
    var body = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[batch.body]))
    var run = Run()
    do throws(CodecError) {
      for _ in 0..<batch.header.recordCount {
        if let (document, row) = try JournalRecord.readEntry(&body) {
          take(row, of: document, into: &journal, &run)
        } else {
          take(try JournalRecord.read(&body), into: &journal, &run)
        }
      }
      try body.expectEnd()
    } catch {
      // Its checksum is right and its records are not: what they were is not known.
      damages.append(
        JournalDamage(
          journal: journal.number, offset: batch.body.lowerBound + error.offset, lostBatches: 1))
    }
    end(&run, of: &journal)
  }

  /// Entries of one document in a row, which are taken over together.
  private struct Run: ~Copyable {
    var document: UInt64 = 0
    var rows = ByteWriter(capacity: 4096)
  }

  private mutating func take(
    _ record: JournalRecord, into journal: inout Journal, _ run: inout Run
  ) {
    switch record {
    case .name(let document, let name):
      documents[document, default: Records()].name = name
    case .salt(let document, let link, let salt):
      documents[document, default: Records()].salts[link] = salt
    case .entry(let document, let row): take(row, of: document, into: &journal, &run)
    case .forget(let document, let isDone):
      end(&run, of: &journal)
      documents[document] = nil
      forgotten[document] = isDone
      if !isDone { journal.forgets.insert(document) }
    }
  }

  private mutating func take(
    _ row: UnsafeRawBufferPointer, of document: UInt64, into journal: inout Journal,
    _ run: inout Run
  ) {
    if document != run.document { end(&run, of: &journal) }
    run.document = document
    run.rows.write(bytes: row)
  }

  private mutating func end(_ run: inout Run, of journal: inout Journal) {
    guard run.rows.count > 0 else { return }
    journal.documents.insert(run.document)
    documents[run.document, default: Records()].append(run.rows, of: journal.number)
    run.rows.removeAll()
  }
}

extension JournalContents.Records {
  fileprivate mutating func append(_ bytes: borrowing ByteWriter, of journal: UInt64) {
    if entries.last?.journal != journal { entries.append((journal, [])) }
    let last = entries.count - 1
    bytes.withUnsafeBytes { entries[last].bytes.append(contentsOf: $0) }
  }

  /// The entries after number `index` and the edit `sequence`, of journals from `oldest` on.
  func fold(
    after index: UInt64, edit sequence: SequenceNumber, journal oldest: UInt64
  ) -> FoldedEntries {
    var folded = FoldedEntries(lastIndex: index, lastSequence: sequence)
    for (journal, bytes) in entries where journal >= oldest {
      bytes.withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        while !reader.isAtEnd { folded.take(&reader, of: buffer, journal: journal) }
      }
    }
    return folded
  }
}

/// A document's entries from the journals, after its sealed ones.
struct FoldedEntries {
  var list = EntryList()
  /// The numbers of the last entry and the last edit.
  var lastIndex: UInt64
  var lastSequence: SequenceNumber
  /// Where something is missing. The last of them may have stopped the document there.
  var damages: [HistoryDamage] = []
  private var isStopped = false
  /// The number of the last sealed entry.
  private let sealedIndex: UInt64

  init(lastIndex: UInt64, lastSequence: SequenceNumber) {
    (self.lastIndex, self.lastSequence) = (lastIndex, lastSequence)
    sealedIndex = lastIndex
  }

  /// Takes the next entry. Sealed entries are skipped. An entry after missing events is taken. An
  /// entry after missing edits is not, and neither is any entry after it. An entry whose number is not
  /// above the one before it is not taken either: it was written while a journal was missing.
  fileprivate mutating func take(
    _ reader: inout ByteReader, of buffer: UnsafeRawBufferPointer, journal: UInt64
  ) {
    do throws(CodecError) {
      let start = reader.offset
      let index = try reader.readVarint()
      let bytes = try EntryBytes(&reader)
      guard index > sealedIndex else { return }
      guard index > lastIndex else { return stop(at: index, journal: journal) }
      let entry = isStopped ? nil : try? EntryPlace(bytes)
      guard let entry, continues(with: entry) else { return stop(at: index, journal: journal) }
      if index > lastIndex + 1 {
        damages.append(damage(lost: index - lastIndex - 1, journal: journal))
      }
      list.append(
        UnsafeRawBufferPointer(rebasing: buffer[start..<reader.offset]), at: entry, of: journal)
      (lastIndex, lastSequence) = (index, entry.place)
    } catch {
      preconditionFailure("a record in memory does not decode: \(error)")
    }
  }

  private func continues(with entry: EntryPlace) -> Bool {
    entry.place == (entry.isEdit ? lastSequence &+ 1 : lastSequence)
  }

  private mutating func stop(at index: UInt64, journal: UInt64) {
    if !isStopped {
      isStopped = true
      let lost = index > lastIndex ? index - lastIndex - 1 : 0
      damages.append(damage(lost: lost, journal: journal))
    }
    damages[damages.count - 1].unreachableEntries += 1
  }

  private func damage(lost: UInt64, journal: UInt64) -> HistoryDamage {
    HistoryDamage(
      after: lastSequence, lostEntries: lost, unreachableEntries: 0, journal: journal)
  }
}
