import EditClient
import EditLogCommands
import EditModel
import EditProtocol
import EditQueries
import Glibc
import SQLiteProjection

/// Brings an SQLite file up to date with a store.
struct ProjectionUpdate: Sendable {
  let file: ProjectionFile
  private let session: Session
  private let glob: String
  private let point: PointExpression?
  /// Projectors of documents that were changed lately, by number, so that the next update need not
  /// read their histories again; the one used last comes last.
  private var projectors: [(number: UInt64, projector: DocumentProjector)] = []

  /// The number of edits in one call.
  private static let pageSize = HistoryPart.limitMax
  /// The number of projectors that are kept.
  private static let projectorCountMax = 8

  /// An update of the documents whose names match `glob`, to the versions at `point`, or to the newest
  /// ones.
  init(
    _ session: Session, _ file: ProjectionFile, documents glob: String, at point: PointExpression?
  ) {
    (self.session, self.file, self.glob, self.point) = (session, file, glob, point)
  }

  /// A document to bring up to date.
  private struct Target {
    let listed: ListedDocument
    /// What the file has.
    let old: ProjectionFile.Document?
    /// The version to reach.
    let sequence: SequenceNumber

    /// The number of edits to write.
    var editCount: UInt64 { sequence - min(sequence, old?.sequence ?? 0) }
  }

  /// Updates the file once.
  ///
  /// - Throws: `ProtocolError`, `CommandError`. A document that cannot be read is reported on standard
  ///   error, and the others are updated.
  mutating func run() async throws -> Report {
    let start = SystemTime.monotonicNanoseconds
    do {
      var report = try await update()
      report.nanoseconds = SystemTime.monotonicNanoseconds - start
      return report
    } catch let error as SQLiteProjectionError { throw CommandError(error) }
  }

  /// Updates the file after each signal, until the task is cancelled. After an update it pauses nine
  /// times as long as that took: at least 50 ms, at most 30 s.
  mutating func follow(
    _ signals: LogSignals, _ report: (Report) throws -> Void
  ) async throws {
    // The signals that come during an update are one.
    let (stream, feed) = AsyncThrowingStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let reader = Task {
      do {
        for try await _ in signals { feed.yield() }
        feed.finish()
      } catch { feed.finish(throwing: error) }
    }
    defer { reader.cancel() }
    for try await _ in stream {
      do {
        let result = try await run()
        try report(result)
        let pause = min(max(9 * result.nanoseconds, 50_000_000), 30_000_000_000)
        try await Task.sleep(for: .nanoseconds(pause))
      } catch let error as ProtocolError
        where error.code == .unreachable || error.code == .unresponsive
      {
        // The signal that the daemon is back comes later.
      }
    }
  }

  private mutating func update() async throws -> Report {
    let answer = try await session.ask(DocumentsRequest())
    session.warn(of: answer.reservation)
    var report = Report()
    let targets = try await targets(among: answer, &report)
    let total = targets.reduce(0) { $0 + $1.editCount }
    let bar = ProgressBar(session)
    defer { bar.end() }
    for target in targets {
      do {
        try await bring(target) { count in
          report.newEditCount += count
          bar.show(
            Double(report.newEditCount) / Double(max(total, 1)), edits: report.newEditCount)
        }
        report.changedCount += 1
      } catch let error as ProtocolError
        where error.code != .unreachable && error.code != .unresponsive
      {
        report.failureCount += 1
        bar.end()
        session.note("editlog: \(target.listed.document.shown): \(error.message)")
      } catch SQLiteProjectionError.entry(let document, let message) {
        report.failureCount += 1
        bar.end()
        session.note("editlog: \(document.shown): \(message)")
      }
    }
    let documents = try file.documents()
    report.documentCount = documents.count
    report.editCount = documents.reduce(0) { $0 + $1.sequence }
    return report
  }

  /// Renames and removes documents in the file, and returns those to bring up to date.
  private mutating func targets(
    among answer: DocumentsAnswer, _ report: inout Report
  ) async throws -> [Target] {
    let listed = Dictionary(
      answer.documents.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    var old: [UInt64: ProjectionFile.Document] = [:]
    var renamed: [(document: ProjectionFile.Document, to: DocumentID)] = []
    for var document in try file.documents() {
      if let now = listed[document.number] {
        if now.document != document.name {
          renamed.append((document, now.document))
          document.name = now.document
        }
        old[document.number] = document
      } else if !answer.reservation.isIncomplete {
        try file.remove(document)
        drop(document.number)
        report.removedCount += 1
      }
    }
    for (document, _) in renamed { drop(document.number) }
    try file.rename(renamed)
    let matching = answer.documents.filter { fnmatch(glob, $0.document.name, 0) == 0 }
    let line = "No document's name matches \(glob.shown)."
    // Once, also while it follows.
    if matching.isEmpty, session.warnings.insert(line) { session.note(line) }
    var targets: [Target] = []
    for document in matching {
      guard !document.document.name.utf8.contains(0) else {
        report.failureCount += 1
        session.note(
          "editlog: \(document.document.shown) has a name that SQLite cannot keep; it is left out")
        continue
      }
      if let problem = document.problem {
        session.note("editlog: \(document.document.shown): \(problem)")
      }
      if let target = try await target(document, old[document.number], &report) {
        targets.append(target)
      }
    }
    return targets
  }

  /// Nil if the file has the document up to date.
  private mutating func target(
    _ listed: ListedDocument, _ old: ProjectionFile.Document?, _ report: inout Report
  ) async throws -> Target? {
    let name = listed.document
    guard let point else {
      if let old, try await isUpToDate(old, listed) { return nil }
      if let old, old.sequence > listed.sequence {
        // The history has lost its end, and the loss was accepted.
        try refill(old)
        return Target(listed: listed, old: nil, sequence: listed.sequence)
      }
      return Target(listed: listed, old: old, sequence: listed.sequence)
    }
    let sequence = try await session.ask(
      VersionRequest(HistoryReference(name), at: point)
    ).sequence
    guard let old else { return Target(listed: listed, old: nil, sequence: sequence) }
    guard old.sequence <= sequence else {
      throw CommandError.usage(
        """
        \(file.path.shown) has \(name.shown) up to edit \(old.sequence), and --at is edit \
        \(sequence); give the path of a new file
        """)
    }
    return old.sequence == sequence
      ? nil : Target(listed: listed, old: old, sequence: sequence)
  }

  private func isUpToDate(
    _ old: ProjectionFile.Document, _ listed: ListedDocument
  ) async throws -> Bool {
    guard old.sequence == listed.sequence else { return false }
    if let lastTime = listed.lastTime { return old.lastTime == lastTime }
    // In a store of very many documents, their last times are not listed. The events after the last
    // edit come with that edit.
    let page = try await session.ask(
      LogRequest(
        HistoryReference(listed.document),
        HistoryPart(after: old.sequence == 0 ? 0 : old.sequence - 1, limit: 1)))
    let count = page.entries.count {
      if case .event(let event) = $0 { event.after == old.sequence } else { false }
    }
    return page.next == nil && count == old.events
  }

  /// Removes the rows of a document whose history is another one now.
  private mutating func refill(_ document: ProjectionFile.Document) throws {
    session.note(
      """
      editlog: the history of \(document.name.shown) is no longer the one that the file has up to edit \
      \(document.sequence); its rows are written again
      """)
    drop(document.number)
    try file.remove(document)
  }

  /// Brings one document up to date. `progress` is called with the number of edits that were written.
  private mutating func bring(_ target: Target, _ progress: (UInt64) -> Void) async throws {
    do {
      try await read(target, progress)
    } catch let error as SQLiteProjectionError {
      guard case .otherHistory = error, let old = target.old else { throw error }
      try refill(old)
      try await read(
        Target(listed: target.listed, old: nil, sequence: target.sequence), progress)
    }
  }

  private mutating func read(_ target: Target, _ progress: (UInt64) -> Void) async throws {
    let (name, number) = (target.listed.document, target.listed.number)
    let index = projectors.firstIndex { $0.number == number }
    var projector =
      try index.map { projectors.remove(at: $0).projector }
      ?? DocumentProjector(name, number: number, into: file) {
        UInt64(clamping: SystemTime.monotonicNanoseconds)
      }
    // The events after the last edit that was taken come with that edit.
    var waiting: Task<LogAnswer, any Error>? = page(
      of: target, after: projector.sequence == 0 ? 0 : projector.sequence - 1)
    defer { waiting?.cancel() }
    while let page = try await waiting?.value {
      // The next entries are read while these are written.
      waiting = page.next.map { self.page(of: target, after: $0) }
      session.warn(of: page.reservation)
      try projector.applyNew(of: page.entries)
      guard projector.isFull || waiting == nil else { continue }
      let before = projector.writtenSequence
      try projector.write()
      progress(projector.writtenSequence - before)
    }
    // A cache: all rows are written, with it or without.
    try? projector.storeFolds()
    projectors.append((number, projector))
    if projectors.count > Self.projectorCountMax { projectors.removeFirst() }
  }

  private func page(of target: Target, after: SequenceNumber) -> Task<LogAnswer, any Error> {
    let request = LogRequest(
      HistoryReference(target.listed.document),
      HistoryPart(after: after, through: target.sequence, limit: Self.pageSize))
    return Task { [session] in try await session.ask(request) }
  }

  private mutating func drop(_ number: UInt64) { projectors.removeAll { $0.number == number } }
}

extension CommandError {
  /// The error of a verb for one of the file that it writes.
  init(_ error: SQLiteProjectionError) {
    switch error {
    case .foreignFile, .foreignSchema, .otherStore, .damaged, .otherHistory, .entry:
      self = .data("\(error)")
    case .version: self.init(exitCode: 78, "\(error)")
    case .noSpace, .file: self = .io("\(error)")
    case .busy: self.init(exitCode: 75, "\(error)")
    }
  }
}
