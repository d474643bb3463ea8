import EditLog
import EditModel
import EditProtocol
import EditQueries
import Synchronization
import TestSupport
import Testing
import TextState

/// Questions that open a history before a repair, and use it after the caches were dropped.
@Suite struct CacheGenerationTests {
  /// A source that is switched to another store while a question is under way, as by a repair.
  private final class SwitchedSource: HistorySource {
    private let (old, new): (StoreFiles, StoreFiles)
    private let isNew = Atomic(false)
    /// Called once, after the old history was opened.
    private let afterOpening = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ old: StoreFiles, _ new: StoreFiles) { (self.old, self.new) = (old, new) }

    private var files: StoreFiles { isNew.load(ordering: .relaxed) ? new : old }

    func switchAfterOpening(_ body: @escaping @Sendable () -> Void) {
      afterOpening.withLock { $0 = body }
    }

    func otherHistories(of document: DocumentID) -> [DocumentID] { [] }

    func history(of document: DocumentID) async throws(ProtocolError) -> History? {
      let history = try files.history(of: document)
      if let body = afterOpening.withLock({ $0.take() }) {
        isNew.store(true, ordering: .relaxed)
        body()
      }
      return history
    }

    var path: String { files.path }
    func documents(openingUpTo countMax: Int) throws(ProtocolError) -> [DocumentSummary] {
      try files.documents(openingUpTo: countMax)
    }
    func documents(formerlyNamed name: DocumentID) throws(ProtocolError) -> [DocumentID] {
      try files.documents(formerlyNamed: name)
    }
    func status() throws(ProtocolError) -> StoreStatus { try files.status() }
    func losses() throws(ProtocolError) -> [StoreLoss] { try files.losses() }
    func verify(_ work: QuestionWork?) throws(ProtocolError) -> VerificationReport {
      try files.verify(work)
    }
    func usage() throws(ProtocolError) -> StoreUsage { try files.usage() }
    func attachments(of document: DocumentID) throws(ProtocolError) -> [StoredAttachment] {
      try files.attachments(of: document)
    }
    var readingCountMax: Int { 1 }
    func readings(of documents: [DocumentID]) -> [HistoryReading] {
      files.readings(of: documents)
    }
    func attachmentLosses(of document: DocumentID?) throws(ProtocolError) -> [AttachmentLoss] {
      try files.attachmentLosses(of: document)
    }
    func attachment(
      _ digest: AttachmentDigest, of document: DocumentID
    ) throws(ProtocolError) -> [UInt8]? {
      try files.attachment(digest, of: document)
    }
    func repairPlan() throws(ProtocolError) -> (repairs: [Repair], steps: [RecoveryStep]) {
      try files.repairPlan()
    }
    func newestState(of document: DocumentID) -> TextState? { nil }
    func daemonStatus() -> DaemonStatus? { nil }
  }

  private static let count = 1_200
  private let folder = TemporaryFolder()
  private let history = HistoryReference(name("file:///note.md"))

  /// What an edit appends: `letter`, or the end of a line. The last edit of a long text appends 3 MB.
  private static func piece(_ number: Int, _ letter: String, isLong: Bool) -> String {
    if isLong, number == count {
      return String(repeating: String(repeating: letter, count: 99) + "\n", count: 30_000)
    }
    return number % 100 == 0 ? "\n" : letter
  }

  private static func text(at sequence: Int, _ letter: String) -> UTF16Text {
    UTF16Text((1...sequence).map { piece($0, letter, isLong: false) }.joined())
  }

  /// A store of a document whose edits append to its text.
  private func store(_ letter: String, isLong: Bool) throws -> StoreFiles {
    let path = folder.path(letter)
    let writer = try StoreWriter(at: path)
    let entries = (1...Self.count).map { number in
      HistoryEntry.edit(
        Edit(
          sequence: SequenceNumber(number),
          action: EditAction(
            replacing: UTF16Range(number - 1..<number - 1),
            with: UTF16Text(Self.piece(number, letter, isLong: isLong))),
          time: Timestamp(nanoseconds: Int64(number))))
    }
    _ = try writer.append([(history.document, entries)])
    try writer.close()
    return try StoreFiles(at: path)
  }

  /// An engine that reads a text of "o" until the source is switched, then one of "n".
  private func engine(isLong: Bool = false) throws -> (QueryEngine, SwitchedSource) {
    let source = SwitchedSource(
      try store("o", isLong: isLong), try store("n", isLong: isLong))
    return (QueryEngine(source), source)
  }

  private func text(at sequence: Int, _ engine: QueryEngine) async throws -> UTF16Text {
    try await engine.answer(
      StateRequest(history, VersionPart(at: .sequence(SequenceNumber(sequence))))
    ).text
  }

  /// The states from which versions are replayed.
  @Test func replayedStatesOfAnOldHistoryAreNotKept() async throws {
    let (engine, source) = try engine()
    source.switchAfterOpening { engine.dropCaches() }
    // Two versions: the first one of a history leaves no states.
    let old = try await engine.answer(
      DiffRequest(history, from: .sequence(600), to: .sequence(1_100)))
    #expect(old.to == 1_100)
    for sequence in [1_100, 600, 1_200] {
      #expect(try await text(at: sequence, engine) == Self.text(at: sequence, "n"))
    }
  }

  /// The state for the next part of an answer.
  @Test func aStateForTheNextPartIsNotKept() async throws {
    let (engine, source) = try engine()
    source.switchAfterOpening { engine.dropCaches() }
    func part(from offset: Int) async throws -> UTF16Text {
      try await engine.answer(
        StateRequest(history, VersionPart(at: .sequence(1_000), offset: offset, limit: 50))
      ).text
    }
    #expect(try await part(from: 0) == Self.text(at: 50, "o"))
    #expect(try await part(from: 0) == Self.text(at: 50, "n"))
  }

  private final class Given: Sendable { let bytes = Atomic(0) }

  /// What is kept for the next part of an answer has the memory that was taken for it. A question about the
  /// same document needs the memory, and still uses what is kept.
  @Test(arguments: [true, false]) func aKeptStateMakesRoom(forItsDocument: Bool) async throws {
    let (engine, source) = try engine()
    source.switchAfterOpening {}
    let given = Given()
    func part(_ memory: AnswerMemory) async throws -> UTF16Text {
      try await engine.using(memory).answer(
        StateRequest(history, VersionPart(at: .sequence(1_000), limit: 50))
      ).text
    }
    func memory() -> AnswerMemory {
      AnswerMemory(7) { given.bytes.wrappingAdd($0, ordering: .relaxed) }
    }
    #expect(try await part(memory()) == Self.text(at: 50, "o"))
    #expect(given.bytes.load(ordering: .relaxed) == 0)
    engine.makeRoom(for: forItsDocument ? history.document : name("file:///other.md"))
    #expect(given.bytes.load(ordering: .relaxed) == 7)
    #expect(try await part(memory()) == Self.text(at: 50, forItsDocument ? "o" : "n"))
    engine.makeRoom(for: nil)
    #expect(given.bytes.load(ordering: .relaxed) == 14)
  }

  /// What was kept for the document's question, which asks for another version, is not kept on.
  @Test func aStateWithoutMemoryIsDroppedByAnotherQuestion() async throws {
    let (engine, source) = try engine()
    source.switchAfterOpening {}
    func part(at sequence: SequenceNumber) async throws -> UTF16Text {
      try await engine.answer(
        StateRequest(history, VersionPart(at: .sequence(sequence), limit: 50))
      ).text
    }
    #expect(try await part(at: 1_000) == Self.text(at: 50, "o"))
    engine.makeRoom(for: history.document)
    #expect(try await part(at: 1_001) == Self.text(at: 50, "n"))
    #expect(try await part(at: 1_000) == Self.text(at: 50, "n"))
  }

  /// The histories of paragraphs for the next part of an answer.
  @Test func paragraphsForTheNextPartAreNotKept() async throws {
    let (engine, source) = try engine()
    source.switchAfterOpening { engine.dropCaches() }
    var details = ParagraphsRequest.Details()
    details.life = true
    let request = ParagraphsRequest(
      history, VersionPart(at: .sequence(1_000), limit: 1), details: details)
    #expect(try await engine.answer(request).paragraphs.first?.text == Self.text(at: 100, "o"))
    #expect(try await engine.answer(request).paragraphs.first?.text == Self.text(at: 100, "n"))
  }

  /// The parts of a difference.
  @Test func partsOfADifferenceAreNotKept() async throws {
    let (engine, source) = try engine(isLong: true)
    source.switchAfterOpening { engine.dropCaches() }
    func part(_ number: Int) async throws -> UTF16Text {
      let last = SequenceNumber(Self.count)
      return try await engine.answer(
        DiffRequest(history, from: .sequence(0), to: .sequence(last), part: number)
      ).unified
    }
    #expect(try await part(0).units.contains(0x6F))
    #expect(try await part(1).units.prefix(50).contains(0x6E))
  }

  /// Questions that begin after a drop keep their states again: a store that was switched without a
  /// drop is not read.
  @Test func questionsAfterADropAreCached() async throws {
    let (engine, source) = try engine()
    engine.dropCaches()
    for sequence in [1_000, 1_001] { _ = try await text(at: sequence, engine) }
    source.switchAfterOpening {}
    _ = try await text(at: 1, engine)
    #expect(try await text(at: 900, engine) == Self.text(at: 900, "o"))
  }
}
