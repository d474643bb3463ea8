import DaemonTestSupport
import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditorSync
import TestSupport
import Testing
import TextState

@testable import EditIngest

/// The daemon ends while an editor is asked for edits. The request is sent again, and is logged once.
@Suite(.timeLimit(.minutes(10))) struct AskedBeforeTests {
  private static let name = "untitled:a"

  /// What the editor had done when the daemon ended.
  enum Step: CaseIterable {
    case asked
    case made
    case typedToo
  }

  private func request(_ text: String = "ASKED ", counter: UInt64 = 1) throws -> AppendRequest {
    AppendRequest(
      document: document(Self.name),
      ticket: RequestTicket(session: try #require(SessionID("agent")), counter: counter),
      author: "agent", origin: .program, edits: [put(text)])
  }

  private func state(_ text: String) -> TextState {
    var state = TextState()
    try? state.advance(by: EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text)))
    return state
  }

  @Test func `a text tells whether it has the edits`() {
    let (before, after) = (state("text\n"), state("ASKED text\n"))
    for (text, outcome) in [
      ("ASKED text\n", .made), ("text\n", .notMade), ("ASKED text more\n", .made),
      ("text more\n", .notMade), ("ASKED Xtext\n", .made), ("ASKING text\n", .unknown),
      ("Xtext\n", .unknown), ("", .unknown), ("other\n", .unknown),
    ] as [(String, AskedEdits.Outcome)] {
      #expect(
        AskedEdits.outcome(of: UTF16Text(text), before: before, after: after) == outcome, "\(text)")
    }
    // A deletion.
    for (text, outcome) in [
      ("text\n", .made), ("ASKED text\n", .notMade), ("text more\n", .made),
      ("ASKED text more\n", .notMade), ("Xtext\n", .unknown),
    ] as [(String, AskedEdits.Outcome)] {
      #expect(
        AskedEdits.outcome(of: UTF16Text(text), before: after, after: before) == outcome, "\(text)")
    }
  }

  /// An ingest in which an editor has been asked for a request that has no answer.
  private func asking(
    on system: SimulatedFileSystem, over key: EditorKey
  ) async throws -> IngestHarness {
    let harness = try await IngestHarness(on: system)
    let editor = try await EditorDriver(harness, key, Self.name)
    try await editor.open("text\n", 1)
    harness.ingest.submit(.append(try request()) { _ in })
    try await until { editor.askedCount == 1 }
    return harness
  }

  private func check(
    _ harness: IngestHarness, _ editor: EditorDriver?, text: String, isAskedAgain: Bool = false
  ) async throws {
    let request = try request()
    let answer = Task { try await harness.ingest.append(request) }
    if isAskedAgain, let editor {
      try await until { editor.askedCount == 1 }
      try await editor.type("ASKED ", 9)
    }
    let result = try await answer.value
    let again = try await harness.ingest.append(request)
    #expect(again.duplicate && again.first == result.first && again.sequence == result.sequence)
    try await harness.check(Self.name, text: text)
    let history = try await harness.history(of: Self.name)
    let edits = try #require(try history.edit(at: result.sequence))
    #expect(edits.author == "agent" && edits.origin == .program && edits.counter == 1)
    #expect(await harness.ingest.documents[document(Self.name)]?.asked == [])
    try await harness.end()
  }

  private func leavesNoFile(_ system: SimulatedFileSystem) -> Bool {
    !system.files.keys.contains { $0.hasSuffix("asked.edits") }
  }

  /// The editor opens the document again, with the text of its buffer; then the request is sent again.
  @Test(arguments: Step.allCases, [SimulatedFileSystem.Loss.all, .none])
  func `an editor that opens the document again`(
    step: Step, loss: SimulatedFileSystem.Loss
  ) async throws {
    let system = SimulatedFileSystem()
    let first = try await asking(on: system, over: .connection(1))
    let disk = SimulatedFileSystem.crash(system.snapshot, loss)
    try await first.drop()
    let harness = try await IngestHarness(on: disk)
    let editor = try await EditorDriver(harness, .connection(2), Self.name)
    let buffers = [Step.asked: "text\n", .made: "ASKED text\n", .typedToo: "ASKED text more\n"]
    let buffer = try #require(buffers[step])
    try await editor.open(buffer)
    try await check(
      harness, editor, text: step == .asked ? "ASKED text\n" : buffer,
      isAskedAgain: step == .asked)
    #expect(leavesNoFile(disk))
    #expect(try Store.open(at: "/store", fileSystem: disk).verify().problems.isEmpty)
  }

  /// The bridge of the editor connects again, and sends again what has no answer.
  @Test(arguments: [true, false])
  func `a bridge that connects again`(isFirst: Bool) async throws {
    let system = SimulatedFileSystem()
    let key = EditorKey.bridge(try #require(SessionID("lsp")))
    let first = try await asking(on: system, over: key)
    try await first.drop()
    let disk = SimulatedFileSystem.crash(system.snapshot, .all)
    let harness = try await IngestHarness(on: disk) { $0.askingSeconds = 600 }
    let editor = try await EditorDriver(
      harness, key, Self.name, open: [ReopenedDocument(document(Self.name), at: 1)])
    let request = try request()
    if isFirst { try await editor.type("ASKED ", 2) }
    let answer = Task { try await harness.ingest.append(request) }
    if !isFirst {
      try await until { await harness.ingest.look { !$0.desk.askedDocuments.isEmpty } }
      try await editor.type("ASKED ", 2)
    }
    _ = try await answer.value
    #expect(editor.askedCount == 0)
    try await check(harness, nil, text: "ASKED text\n")
    #expect(leavesNoFile(disk))
  }

  /// Its editor has not made the edits, and reports nothing: it is asked again after a time.
  @Test func `a bridge whose editor was not asked`() async throws {
    let system = SimulatedFileSystem()
    let key = EditorKey.bridge(try #require(SessionID("lsp")))
    let first = try await asking(on: system, over: key)
    try await first.drop()
    let harness = try await IngestHarness(on: SimulatedFileSystem.crash(system.snapshot, .all)) {
      $0.askingSeconds = 1
    }
    let editor = try await EditorDriver(
      harness, key, Self.name, open: [ReopenedDocument(document(Self.name), at: 1)])
    try await check(harness, editor, text: "ASKED text\n", isAskedAgain: true)
  }

  /// The editor is gone for good: the request is logged as any other.
  @Test func `without the editor`() async throws {
    let system = SimulatedFileSystem()
    try await asking(on: system, over: .connection(1)).drop()
    let harness = try await IngestHarness(on: SimulatedFileSystem.crash(system.snapshot, .all))
    try await check(harness, nil, text: "ASKED text\n")
  }

  /// Another way in brought the change: `watch` has logged the file that the editor saved.
  @Test(arguments: ["ASKED text\n", "text more\n", "ASKING text\n"])
  func `another session has changed the text`(text: String) async throws {
    let system = SimulatedFileSystem()
    try await asking(on: system, over: .connection(1)).drop()
    let harness = try await IngestHarness(on: SimulatedFileSystem.crash(system.snapshot, .all))
    let action = EditAction(replacing: UTF16Range(0..<5), with: UTF16Text(text))
    _ = try await harness.append([AppendEdit(action: action, origin: .external)], to: Self.name)
    let request = try request()
    switch text {
    case "ASKED text\n":
      let answer = try await harness.ingest.append(request)
      #expect(answer.duplicate && answer.first == 2 && answer.sequence == 2)
      #expect(try await harness.ingest.append(request) == answer)
      try await harness.check(Self.name, text: text)
    case "text more\n":
      #expect(try await !harness.ingest.append(request).duplicate)
      try await harness.check(Self.name, text: "ASKED text more\n")
    default:
      for _ in 0..<2 {
        let error = await refusal { _ = try await harness.ingest.append(request) }
        #expect(error?.code == .sequenceConflict)
      }
      try await harness.check(Self.name, text: text)
    }
    try await harness.end()
  }

  /// A stop refuses the request with an error that lets the client send it again.
  @Test func `a stop keeps what was asked`() async throws {
    let system = SimulatedFileSystem()
    try await asking(on: system, over: .connection(1)).end()
    let harness = try await IngestHarness(on: system)
    try await EditorDriver(harness, .connection(2), Self.name).open("ASKED text\n")
    try await check(harness, nil, text: "ASKED text\n")
  }

  /// An undo has no ticket: its entries have the counter of the last request of its session.
  @Test(arguments: [true, false])
  func `an undo that the editor has made is logged as one`(isMade: Bool) async throws {
    let system = SimulatedFileSystem()
    let harness = try await IngestHarness(on: system)
    let editor = try await EditorDriver(harness, .connection(1), Self.name)
    try await editor.open("text\n")
    let session = try #require(SessionID("agent"))
    let description = try #require(SessionDescription(client: "agent"))
    let client = try #require(
      ClientIdentity(session: session, client: description, author: nil))
    let logged = try request()
    let answer = Task { try await harness.ingest.append(logged, of: client) }
    try await until { editor.askedCount == 1 }
    try await editor.type("ASKED ")
    _ = try await answer.value
    let undo = AppendRequest(
      document: document(Self.name), origin: .undo,
      edits: [
        AppendEdit(action: EditAction(replacing: UTF16Range(0..<6), with: UTF16Text("")))
      ])
    harness.ingest.submit(.append(undo, of: client) { _ in })
    try await until { editor.askedCount == 2 }
    let disk = SimulatedFileSystem.crash(system.snapshot, .all)
    try await harness.drop()
    let next = try await IngestHarness(on: disk)
    let again = try await EditorDriver(next, .connection(2), Self.name)
    try await again.open(isMade ? "text\n" : "ASKED text\n")
    let history = try await next.history(of: Self.name)
    #expect(history.lastSequence == (isMade ? 3 : 2))
    #expect(try history.edit(at: history.lastSequence)?.origin == (isMade ? .undo : .program))
    #expect(leavesNoFile(disk))
    try await next.end()
  }

  @Test func `other edits under the ticket are refused`() async throws {
    let system = SimulatedFileSystem()
    try await asking(on: system, over: .connection(1)).drop()
    let harness = try await IngestHarness(on: SimulatedFileSystem.crash(system.snapshot, .all))
    let other = try request("OTHER ")
    let error = await refusal { _ = try await harness.ingest.append(other) }
    #expect(error?.code == .sequenceConflict)
    try await check(harness, nil, text: "ASKED text\n")
  }

  /// What an editor was asked for has text: it goes with the document, and follows its renames.
  @Test func `it is renamed and forgotten with the document`() async throws {
    let system = SimulatedFileSystem()
    try await asking(on: system, over: .connection(1)).drop()
    let disk = SimulatedFileSystem.crash(system.snapshot, .all)
    #expect(!leavesNoFile(disk))
    let harness = try await IngestHarness(on: disk)
    try await harness.ingest.rename(document(Self.name), to: document("b"))
    _ = try await harness.ingest.forget(document("b"))
    #expect(leavesNoFile(disk))
    #expect(!disk.rawBytes.contains { !$0.ranges(of: Array("ASKED".utf8)).isEmpty })
    try await harness.end()
    #expect(try Store.open(at: "/store", fileSystem: disk).verify().unknownFiles == [])
  }

  /// A refusal by the editor ends it: nothing is kept.
  @Test func `an editor that refuses leaves no file`() async throws {
    let system = SimulatedFileSystem()
    let harness = try await asking(on: system, over: .connection(1))
    #expect(!leavesNoFile(system))
    await harness.ingest.answered(.string("editlog/1"), by: .connection(1), isApplied: false)
    #expect(leavesNoFile(system))
    try await harness.end()
  }

  /// The file is damaged, or cannot be written: no editor is asked without it.
  @Test func `without room no editor is asked`() async throws {
    let system = SimulatedFileSystem()
    let faulty = FaultyFileSystem(system)
    let harness = try await IngestHarness(on: faulty)
    let editor = try await EditorDriver(harness, .connection(1), Self.name)
    try await editor.open("text\n")
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code, plan.names) = (1, true, 28, ["create"])
    faulty.setPlan(plan)
    let request = try request()
    let error = await refusal { _ = try await harness.ingest.append(request) }
    #expect(error?.code == .noSpace && editor.askedCount == 0)
    faulty.setPlan(FaultyFileSystem.Plan())
    let answer = Task { try await harness.ingest.append(request) }
    try await until { editor.askedCount == 1 }
    try await editor.type("ASKED ")
    #expect(try await answer.value.sequence == 2)
    try await harness.end()
  }
}
