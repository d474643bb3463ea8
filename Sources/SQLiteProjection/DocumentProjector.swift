public import EditModel
import GRDB
public import Projections
import TextState

/// Writes the rows of one document: takes the entries of its history in order, and writes rows for those
/// that the file does not have yet. The first entry that it takes is the one after `sequence`: the
/// document's first, unless folds are stored in the file.
///
/// Rows and the place in the history are written in one transaction. So if the process is killed, the
/// file has the rows of a version that was whole, and the next projector continues there: each entry
/// has its rows exactly once.
public struct DocumentProjector: Sendable {
  private let file: ProjectionFile
  private let document: DocumentID
  private let number: UInt64
  private var runner: ProjectionRunner
  /// What the file has.
  private var written: Written
  /// True if it has the document.
  private var hasRows: Bool
  /// The number of entries since the last transaction, the UTF-16 units of their texts, and those of
  /// the versions of paragraphs, which are measured from time to time.
  private var (pendingCount, textLength, versionsLength) = (0, 0, 0)
  /// The number of events since the last edit.
  private var eventsAfter = 0
  /// The last edit that was taken.
  private var lastEdit: Edit?
  /// The error after which the projector takes and writes nothing.
  private var failure: SQLiteProjectionError?

  private struct Written {
    /// Its version, and the number of events after it.
    var sequence: SequenceNumber = 0
    var events = 0
    /// Its last edit, to compare with the history.
    var lastEdit: EditRow?
    /// The version. Nil if there are no rows, or until their entries were taken.
    var state: TextState?
    /// Its sections. Nil until this projector has written them.
    var outline: FollowedOutline?
    /// The undo step that was current, and the step before it. The current one may vanish if its
    /// transaction was not at its end; the one before it stays.
    var currentStep = (number: 0, parent: 0)
    var deletionCount = 0
  }

  /// The members of a row that tell whether it is of the same history.
  fileprivate struct EditRow: Hashable {
    var time: Int64
    var counter: Int64
    var location: Int
    var length: Int
    var changeInLength: Int
    var text: String?
  }

  /// The number of entries after which rows are best written, and that of UTF-16 units.
  private static let (pendingCountMax, textLengthMax) = (1 << 15, 1 << 24)
  /// The number of entries after which the versions of paragraphs are measured.
  private static let measuredCount = 64

  /// A projector for a document, which has this number in its store. `clock` measures large deletions.
  ///
  /// - Throws: `SQLiteProjectionError` if the file cannot be read, or has rows of a document of the same
  ///   name with another number.
  public init(
    _ document: DocumentID, number: UInt64, into file: ProjectionFile, clock: @escaping TraceClock
  ) throws(SQLiteProjectionError) {
    (self.file, self.document, self.number) = (file, document, number)
    let (found, folds) = try file.read { db in
      let found = try Self.written(db, document, number)
      let folds = try found.flatMap {
        try StoredFolds.read(
          db, document, number: number, upTo: $0.sequence, events: $0.events)
      }
      return (found, folds)
    }
    (written, hasRows) = (found ?? Written(), found != nil)
    if let folds {
      runner = ProjectionRunner(
        from: folds.state, [RowCollector(clock: clock, from: folds.rows)])
      eventsAfter = folds.events
    } else {
      runner = ProjectionRunner([RowCollector(clock: clock)])
    }
  }

  /// Stores what the next projector needs to begin here, if there are at least `spacing` edits since it
  /// was stored last. Call it when all entries that were taken are written.
  ///
  /// - Throws: `SQLiteProjectionError`; the rows are not changed then.
  public func storeFolds(spacing: UInt64 = 8_192) throws(SQLiteProjectionError) {
    let (state, events, file) = (runner.state, eventsAfter, file)
    let (document, number, written) = (document, number, written)
    guard hasRows, state.sequence == written.sequence, events == written.events,
      let rows = runner[RowCollector.self]?.folds
    else { return }
    try file.write { db in
      try Self.checkClaim(db, document, number, written)
      try StoredFolds(events: events, state: state, rows: rows).write(
        db, document, number: number, spacing: spacing)
    }
  }

  private static func written(
    _ db: Database, _ document: DocumentID, _ number: UInt64
  ) throws -> Written? {
    guard
      let row = try Row.fetchOne(
        db, sql: "SELECT sequence, events, number FROM documents WHERE document = ?",
        arguments: [document.name])
    else { return nil }
    let sequence = try row.decode(Int64.self, atIndex: 0)
    let found = try row.decode(Int64.self, atIndex: 2)
    guard found == Int64(clamping: number) else {
      throw SQLiteProjectionError.otherHistory(document: document, sequence: 0)
    }
    var written = Written(
      sequence: UInt64(clamping: sequence), events: try row.decode(Int.self, atIndex: 1))
    written.lastEdit = try Row.fetchOne(
      db,
      sql: """
        SELECT time, counter, location, length, change_in_length, text FROM edits
          WHERE document = ? AND sequence = ?
        """, arguments: [document.name, sequence]
    ).map { row in
      EditRow(
        time: try row.decode(Int64.self, atIndex: 0),
        counter: try row.decode(Int64.self, atIndex: 1),
        location: try row.decode(Int.self, atIndex: 2),
        length: try row.decode(Int.self, atIndex: 3),
        changeInLength: try row.decode(Int.self, atIndex: 4),
        text: try row.decode(String?.self, atIndex: 5))
    }
    return written
  }

  /// The version of the entries that were taken.
  public var sequence: SequenceNumber { runner.state.sequence }

  /// The version that the rows are of.
  public var writtenSequence: SequenceNumber { written.sequence }

  /// True if `write` should be called before more entries are taken, so that memory stays bounded.
  public var isFull: Bool {
    pendingCount >= Self.pendingCountMax || textLength + versionsLength >= Self.textLengthMax
  }

  /// Takes the next entry.
  ///
  /// - Throws: `SQLiteProjectionError` if it does not follow the entry before it, or is not of the
  ///   history that the rows are of. Every later call throws the same error.
  public mutating func apply(_ entry: HistoryEntry) throws(SQLiteProjectionError) {
    if let failure { throw failure }
    do throws(SQLiteProjectionError) { try take(entry) } catch {
      failure = error
      throw error
    }
  }

  /// Takes those of `entries` that were not taken yet, and skips the others. They begin with the last
  /// edit that was taken, or before it.
  ///
  /// - Throws: As `apply(_:)`; also if the last edit that was taken is another one in `entries`.
  public mutating func applyNew(
    of entries: some Sequence<HistoryEntry>
  ) throws(SQLiteProjectionError) {
    var (last, skipped) = (sequence, eventsAfter)
    for entry in entries {
      switch entry {
      case .edit(let edit) where edit.sequence <= last:
        guard edit.sequence == last, !isLastEdit(edit) else { continue }
        failure = .otherHistory(document: document, sequence: last)
      case .event(let event) where event.after < last: continue
      case .event(let event) where event.after == last && skipped > 0:
        skipped -= 1
        continue
      case .edit(let edit): last = edit.sequence; skipped = 0
      case .event: break
      }
      try apply(entry)
    }
  }

  /// True if the edit may be the last one that was taken.
  private func isLastEdit(_ edit: Edit) -> Bool {
    if let lastEdit { return edit == lastEdit }
    return edit.sequence != written.sequence || written.lastEdit == EditRow(edit)
  }

  private mutating func take(_ entry: HistoryEntry) throws(SQLiteProjectionError) {
    let isOld = hasRow(entry)
    if !isOld, hasRows, written.state == nil { begin() }
    do throws(ProjectionError) { try runner.apply(entry) } catch {
      throw .entry(document: document, message: "\(error)")
    }
    pendingCount += 1
    switch entry {
    case .event: eventsAfter += 1
    case .edit(let edit):
      (eventsAfter, lastEdit) = (0, edit)
      textLength += (edit.action.replacement?.count ?? 0) + edit.action.range.length
      if isOld, edit.sequence == written.sequence, written.lastEdit != EditRow(edit) {
        throw .otherHistory(document: document, sequence: edit.sequence)
      }
    }
    if pendingCount % Self.measuredCount == 0 {
      runner.update(RowCollector.self) { versionsLength = $0.versionsLength }
    }
    if isOld, isFull { dropBatch() }
  }

  /// True if the file has the row of the next entry.
  private func hasRow(_ entry: HistoryEntry) -> Bool {
    guard hasRows else { return false }
    switch entry {
    case .edit(let edit): return edit.sequence <= written.sequence
    case .event(let event):
      return event.after < written.sequence
        || event.after == written.sequence && eventsAfter < written.events
    }
  }

  /// Begins to collect rows, at the version that the rows are of.
  private mutating func begin() {
    dropBatch()
    written.state = runner.state
    runner.update(RowCollector.self) { collector in
      written.currentStep = collector.undo.tree.currentWithParent
      written.deletionCount = collector.deletions.traces.count
    }
  }

  private mutating func dropBatch() {
    let state = runner.state
    runner.update(RowCollector.self) { _ = $0.takeBatch(at: state) }
    (pendingCount, textLength, versionsLength) = (0, 0, 0)
  }

  /// Writes the rows of the entries that were taken, in one transaction, if there are any that the file
  /// does not have.
  ///
  /// - Throws: `SQLiteProjectionError`; nothing is written then, and every later call throws the same
  ///   error, because the rows to write are lost. A new projector continues.
  public mutating func write() throws(SQLiteProjectionError) {
    if let failure { throw failure }
    guard written.state != nil || !hasRows else { return dropBatch() }
    guard pendingCount > 0 || !hasRows else { return }
    var next = written
    let (state, events, file) = (runner.state, eventsAfter, file)
    (next.sequence, next.events, next.state) = (state.sequence, events, state)
    next.lastEdit = nil
    (pendingCount, textLength, versionsLength) = (0, 0, 0)
    let (document, number, hasRows, last) = (document, number, hasRows, written)
    let result = runner.update(RowCollector.self) {
      collector -> Result<Void, SQLiteProjectionError> in
      next.currentStep = collector.undo.tree.currentWithParent
      next.deletionCount = collector.deletions.traces.count
      let batch = collector.takeBatch(at: state)
      let sections = SectionWriter.change(of: last.outline, from: last.state, to: state)
      next.outline = sections.outline
      do throws(SQLiteProjectionError) {
        try file.write { db in
          try Self.claim(db, document, number, hasRows ? last : nil)
          try Self.write(db, document.name, batch, collector, from: last, state)
          try SectionWriter(db: db, document: document.name).write(sections)
          try Self.finish(db, document.name, collector, next, state)
          // GRDB does not see the statements of `RowWriter`.
          try db.notifyChanges(in: .fullDatabase)
        }
        return .success(())
      } catch { return .failure(error) }
    }
    if case .failure(let error) = result {
      failure = error
      throw error
    }
    (written, self.hasRows) = (next, true)
  }

  /// Refuses to write if the file's rows are not those of `last`.
  private static func claim(
    _ db: Database, _ document: DocumentID, _ number: UInt64, _ last: Written?
  ) throws {
    if let last { return try checkClaim(db, document, number, last) }
    try db.execute(
      sql: "INSERT OR IGNORE INTO documents VALUES(?,?,0,0,0,0,0,NULL,NULL)",
      arguments: [document.name, Int64(clamping: number)])
    // Another program has written the first rows meanwhile.
    guard db.changesCount == 1 else { throw DatabaseError(resultCode: .SQLITE_BUSY) }
  }

  /// Throws if the file's rows are not those of `last`.
  private static func checkClaim(
    _ db: Database, _ document: DocumentID, _ number: UInt64, _ last: Written
  ) throws {
    let place = try Row.fetchOne(
      db, sql: "SELECT sequence, events FROM documents WHERE document = ? AND number = ?",
      arguments: [document.name, Int64(clamping: number)])
    guard let place,
      try place.decode(Int64.self, atIndex: 0) == Int64(clamping: last.sequence),
      try place.decode(Int.self, atIndex: 1) == last.events
    else {
      throw DatabaseError(resultCode: .SQLITE_BUSY)
    }
  }

  private static func write(
    _ db: Database, _ document: String, _ batch: RowCollector.Batch, _ collector: RowCollector,
    from last: Written, _ state: TextState
  ) throws {
    let writer = BatchWriter(db: db, document: document)
    try writer.write(batch.edits)
    try writer.write(batch.events)
    try writer.delete(batch.joined)
    try writer.write(batch.versions)
    try writer.write(batch.steps, of: collector.undo.tree, after: last.currentStep)
    try writer.write(collector.deletions.traces.dropFirst(last.deletionCount))
    var touched = batch.touched
    // The paragraph of the empty document has a row from the beginning.
    if last.state == nil { touched.insert(ParagraphID(sequence: 0, ordinal: 0)) }
    let paragraphs = ParagraphWriter(
      db: db, document: document, old: last.state, new: state, models: collector.models)
    try paragraphs.write(touched: touched, removed: batch.removed)
  }

  /// Records the version that the rows are of.
  private static func finish(
    _ db: Database, _ document: String, _ collector: RowCollector, _ next: Written,
    _ state: TextState
  ) throws {
    try db.execute(
      sql: """
        UPDATE documents SET sequence = ?, events = ?, length = ?, paragraphs = ?,
            current_step = ?, first_time = ?, last_time = ?
          WHERE document = ?
        """,
      arguments: [
        Int64(clamping: next.sequence), next.events, state.length, state.paragraphCount,
        next.currentStep.number, collector.times?.first.nanoseconds,
        collector.times?.last.nanoseconds,
        document,
      ])
  }
}

extension DocumentProjector.EditRow {
  fileprivate init(_ edit: Edit) {
    let action = edit.action
    self.init(
      time: edit.time.nanoseconds, counter: Int64(clamping: edit.counter),
      location: action.range.location, length: action.range.length,
      changeInLength: action.changeInLength, text: action.replacement?.stored)
  }
}
