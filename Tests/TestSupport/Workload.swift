package import EditLog
package import EditModel
import Synchronization

/// The histories a store should have: plain lists.
package struct Oracle: Sendable {
  package var histories: [DocumentID: [HistoryEntry]] = [:]
  /// Entries of each document that were acknowledged.
  package var acknowledged: [DocumentID: Int] = [:]
  /// The names of documents whose names differ from those in the lists: the acknowledged name,
  /// then one that is being set.
  package var names: [DocumentID: [DocumentID]] = [:]
  /// Their former names, newest first: if damage removed a renaming, one of them counts again.
  package var formerNames: [DocumentID: [DocumentID]] = [:]

  package init() {}

  /// The history of a document under whichever of its names `find` knows, after damage also of
  /// those it had before; nil if it has none.
  package func history(
    of document: DocumentID, isDamaged: Bool = false, _ find: (DocumentID) throws -> History?
  ) throws -> History? {
    let former = isDamaged ? formerNames[document] ?? [] : []
    for name in (names[document] ?? [document]) + former {
      if let history = try find(name) { return history }
    }
    return nil
  }
}

/// Random entries of a few documents, by seed. They are well formed, but not edits of one text:
/// the store does not look.
package struct EntrySource {
  package var random: SplitMix64
  private var lasts: [DocumentID: SequenceNumber] = [:]
  private var time: Int64 = 1_000
  private var counters: [SessionID: UInt64] = [:]

  package init(seed: UInt64) { random = SplitMix64(seed: seed) }

  package mutating func entries(of document: DocumentID, count: Int) -> [HistoryEntry] {
    (0..<count).map { _ in entry(of: document) }
  }

  /// Continues after these histories, and starts all other documents from the beginning.
  package mutating func resume(from lists: [DocumentID: [HistoryEntry]]) {
    lasts = lists.mapValues { list in
      list.reversed().lazy.compactMap { entry in
        if case .edit(let edit) = entry { edit.sequence } else { nil }
      }.first ?? 0
    }
  }

  /// The event by which a document gets another name.
  package mutating func renaming(of document: DocumentID, from old: DocumentID) -> HistoryEvent {
    time += 1
    return HistoryEvent(
      kind: .renamed(from: old), after: lasts[document] ?? 0, time: Timestamp(nanoseconds: time))
  }

  /// A mark after the document's last edit.
  package mutating func mark(in document: DocumentID) -> HistoryEntry {
    time += 1
    let last = lasts[document] ?? 0
    return .event(
      HistoryEvent(
        kind: .mark(label: "m", at: last), after: last, time: Timestamp(nanoseconds: time)))
  }

  package mutating func entry(of document: DocumentID) -> HistoryEntry {
    let last = lasts[document] ?? 0
    time += Int64.random(in: 0...5, using: &random)
    let session = [nil, SessionID("s1"), SessionID("s2")].randomElement(using: &random) ?? nil
    let counter = session.map { session in
      counters[session, default: 0] += 1
      return counters[session, default: 0]
    }
    let timestamp = Timestamp(nanoseconds: time)
    if Int.random(in: 0..<6, using: &random) == 0 {
      return .event(
        HistoryEvent(
          kind: kind(at: last), after: last, time: timestamp, session: session,
          counter: counter ?? 0))
    }
    lasts[document] = last + 1
    return .edit(
      Edit(
        sequence: last + 1, action: action(), origin: .typing,
        author: Bool.random(using: &random) ? "ada" : nil, session: session,
        counter: counter ?? 0, time: timestamp))
  }

  private mutating func kind(at last: SequenceNumber) -> HistoryEvent.Kind {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: .mark(label: "m\(Int.random(in: 0..<3, using: &random))", at: last)
    case 1: .closed(unsaved: Bool.random(using: &random))
    default: .renamed(from: name("elsewhere"))
    }
  }

  private mutating func action() -> EditAction {
    let start = Int.random(in: 0..<50, using: &random)
    let length = Int.random(in: 0..<4, using: &random)
    let text = String(
      (0..<Int.random(in: 1..<12, using: &random)).map { _ in
        "abcdefgh \né😀".randomElement(using: &random) ?? "x"
      })
    return EditAction(
      replacing: UTF16Range(start..<start + length), with: UTF16Text(text))
  }
}

/// A document's name for tests.
package func name(_ name: String) -> DocumentID {
  guard let id = DocumentID(name) else { preconditionFailure("a test's name is not valid") }
  return id
}

/// All entries of a history, in order.
package func entries(_ history: History?) throws -> [HistoryEntry] {
  var entries: [HistoryEntry] = []
  try history?.forEachEntry { entries.append($0) }
  return entries
}

extension StoreWriter.Options {
  /// Sizes so small that a short run rolls journals and fills blocks and segments.
  package static var small: StoreWriter.Options {
    var options = StoreWriter.Options()
    options.journalSizeMax = 3000
    options.journalSizeMin = 1000
    options.journalReserveStep = 512
    options.segmentSizeMax = 2500
    options.blockEditCountMax = 16
    options.level = 1
    options.compactedBlockEditCountMax = 40
    options.compactedLevel = 3
    options.compactionSizeMin = 100
    // Tests know the path of each segment; those that are about its place say so.
    options.loneSegmentSizeMax = 0
    return options
  }
}

extension StoreWriter.Options {
  /// `small`; if `seed` is even, small first segments are written beside the folders.
  package static func small(seed: UInt64) -> StoreWriter.Options {
    var options = small
    if seed % 2 == 0 { options.loneSegmentSizeMax = 2_000 }
    return options
  }
}

/// A store on a simulated disk, with the sizes of `StoreWriter.Options.small(seed:)`.
package func openWriter(
  _ system: any FileSystem, seed: UInt64 = 1,
  _ change: (inout StoreWriter.Options) -> Void = { _ in }
) throws(LogError) -> StoreWriter {
  var options = StoreWriter.Options.small(seed: seed)
  change(&options)
  return try StoreWriter(
    at: "/store", fileSystem: system, clock: FixedClock(), random: SeededBytes(seed: seed),
    options: options)
}

/// A writer that is used by one thread at a time: by the test, from inside a reader's or a job's
/// calls.
package struct WriterBox: @unchecked Sendable {
  package let writer: StoreWriter
  package init(_ writer: StoreWriter) { self.writer = writer }
}

/// A random run of a writer: appends to several documents, seals, checkpoints, confirmations, and
/// jobs that are under way while other things happen.
package final class Workload: Sendable {
  private let source: Mutex<EntrySource>
  private let jobs = Mutex<[(document: DocumentID, job: StoreJob)]>([])
  private let state = Mutex(Oracle())
  /// What the store should have now; may be asked for inside a step.
  package var oracle: Oracle { state.withLock { $0 } }
  package let documents = [name("a"), name("b"), name("c")]
  private let renames: Bool

  /// The run of this seed, with documents renamed in it or not.
  package init(seed: UInt64, renames: Bool = false) {
    source = Mutex(EntrySource(seed: seed))
    self.renames = renames
  }

  /// A moment before an operation that changes the disk.
  package struct Moment: Sendable {
    package var snapshot: SimulatedFileSystem.Snapshot
    package var oracle: Oracle
    package var operation: FaultyFileSystem.Operation

    package init(
      snapshot: SimulatedFileSystem.Snapshot, oracle: Oracle,
      operation: FaultyFileSystem.Operation
    ) {
      (self.snapshot, self.oracle, self.operation) = (snapshot, oracle, operation)
    }
  }

  package static let changes: Set = [
    "write", "sync", "rename", "unlink", "create", "mkdir", "truncate", "reserve",
  ]

  /// Runs `body` on a disk and gives the moments before each change. `act` is called before each
  /// operation, and may do some itself.
  package func moments(
    on system: SimulatedFileSystem,
    act: @escaping @Sendable (FaultyFileSystem.Operation) -> Void = { _ in },
    _ body: (any FileSystem) throws -> Void
  ) throws -> [Moment] {
    let moments = Mutex<[Moment]>([])
    let watched = FaultyFileSystem(system) { operation in
      act(operation)
      guard Self.changes.contains(operation.name) else { return }
      let moment = Moment(
        snapshot: system.snapshot, oracle: self.oracle, operation: operation)
      moments.withLock { $0.append(moment) }
    }
    try body(watched)
    return moments.withLock { $0 }
  }

  /// Continues from an earlier moment.
  package func resume(from oracle: Oracle) { state.withLock { $0 = oracle } }

  /// Continues from what a stop left: these lists, under these names. If `isDurable`, all of it
  /// counts as acknowledged; otherwise only what was acknowledged before.
  package func resume(
    from lists: [DocumentID: [HistoryEntry]], names: [DocumentID: DocumentID],
    isDurable: Bool = true
  ) {
    source.withLock { $0.resume(from: lists) }
    state.withLock { state in
      state.histories = lists
      if isDurable { state.acknowledged = lists.mapValues(\.count) }
      // A name that was being given, and the one before, may both be what a stop leaves.
      let before = isDurable ? [:] : state.names
      state.names = [:]
      for (document, name) in names {
        let others = isDurable ? [] : before[document] ?? [document]
        state.names[document] = [name] + others.filter { $0 != name }
      }
    }
  }

  private func random(_ range: ClosedRange<Int>) -> Int {
    source.withLock { Int.random(in: range, using: &$0.random) }
  }

  /// One step. The oracle knows entries as submitted before they are written, and as
  /// acknowledged after.
  package func step(_ writer: StoreWriter) throws {
    switch random(0...13) {
    case 0: if let document = pickFree() { try writer.seal(currentName(document)) }
    case 1: try writer.confirm()
    case 6 where renames: if let document = pickFree() { try rename(document, writer) }
    case 2:
      if let document = pickFree().map(currentName),
        let last = try writer.lastSequence(of: document), last > 0
      {
        try writer.writeCheckpoint(document, at: last, Array("state \(last)".utf8))
      }
    case 3, 4: if let document = pickFree() { try prepare(document, writer) }
    case 7: if let document = pickFree() { try appendByJob(to: document, writer) }
    case 5: try finishJob(writer)
    default: try append(writer)
    }
  }

  private func prepare(_ document: DocumentID, _ writer: StoreWriter) throws {
    let job =
      random(0...2) == 0
      ? try writer.prepareCompaction(currentName(document))
      : try writer.prepareSeal(currentName(document))
    guard let job else { return }
    let isRun = random(0...1) == 0
    if isRun { job.run() }
    jobs.withLock { $0.append((document, job)) }
  }

  /// Appends entries by a job while other documents are appended to.
  private func appendByJob(to document: DocumentID, _ writer: StoreWriter) throws {
    let count = random(1...8)
    let entries = source.withLock { $0.entries(of: document, count: count) }
    state.withLock { $0.histories[document, default: []] += entries }
    let job = try writer.prepareAppend(entries, to: currentName(document))
    try append(writer, except: document)
    job.run()
    try append(writer, except: document)
    try writer.finish(job)
    state.withLock { $0.acknowledged[document] = $0.histories[document]?.count }
  }

  /// Finishes the oldest job, which may not have run before.
  private func finishJob(_ writer: StoreWriter) throws {
    let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst().job }
    guard let job else { return }
    if random(0...3) > 0 { job.run() }
    try writer.finish(job)
  }

  /// Runs and finishes all jobs.
  package func finishJobs(_ writer: StoreWriter) throws {
    while jobs.withLock({ !$0.isEmpty }) { try finishJob(writer) }
  }

  /// Forgets the jobs of a writer that is gone: they hold the store's lock.
  package func dropJobs() { jobs.withLock { $0 = [] } }

  /// A document without a job.
  private func pickFree() -> DocumentID? {
    let document = pick()
    return jobs.withLock { $0.contains { $0.document == document } } ? nil : document
  }

  private func pick() -> DocumentID { documents[random(0...documents.count - 1)] }

  private func currentName(_ document: DocumentID) -> DocumentID {
    state.withLock { $0.names[document]?.first ?? document }
  }

  private func rename(_ document: DocumentID, _ writer: StoreWriter) throws {
    let old = currentName(document)
    guard try writer.lastSequence(of: old) != nil else { return }
    let event = source.withLock { $0.renaming(of: document, from: old) }
    let new = name("\(document.name)\(event.time.nanoseconds)")
    state.withLock { state in
      state.histories[document, default: []].append(.event(event))
      state.names[document] = [old, new]
    }
    _ = try writer.append([(new, [.event(event)])], renaming: [DocumentRename(old, to: new)])
    state.withLock { state in
      state.acknowledged[document] = state.histories[document]?.count
      state.names[document] = [new]
      state.formerNames[document, default: []].insert(old, at: 0)
    }
  }

  /// Entries that were appended otherwise, and acknowledged.
  package func note(_ entries: [HistoryEntry], of document: DocumentID) {
    state.withLock { state in
      state.histories[document, default: []] += entries
      state.acknowledged[document] = state.histories[document]?.count
    }
  }

  package func append(_ writer: StoreWriter, except busy: DocumentID? = nil) throws {
    var appends: [(DocumentID, [HistoryEntry])] = []
    var touched: Set<DocumentID> = []
    for _ in 0..<random(1...3) {
      let (document, count) = (pick(), random(1...8))
      guard document != busy else { continue }
      let entries = source.withLock { $0.entries(of: document, count: count) }
      appends.append((currentName(document), entries))
      touched.insert(document)
      state.withLock { $0.histories[document, default: []] += entries }
    }
    _ = try writer.append(appends)
    for document in touched {
      state.withLock { $0.acknowledged[document] = $0.histories[document]?.count }
    }
  }
}
