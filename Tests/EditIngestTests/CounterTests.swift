import DaemonTestSupport
import EditLog
import EditModel
import EditProtocol
import EditorSync
import TestSupport
import Testing

@testable import EditIngest

/// One rule of counters for every way in: a request with a counter that its session has passed is answered if
/// the log has it with the same content, and refused otherwise.
@Suite(.timeLimit(.minutes(10))) struct CounterTests {
  private static let name = "untitled:a"

  private func session(_ name: String = "s") throws -> SessionID { try #require(SessionID(name)) }

  private func bridge(_ harness: IngestHarness) async throws -> EditorDriver {
    try await EditorDriver(harness, .bridge(session()), Self.name)
  }

  @Test func `a message that was never logged is refused if a later one was`() async throws {
    let harness = try await IngestHarness(on: SimulatedFileSystem())
    let editor = try await bridge(harness)
    try await editor.open("one\n", 1)
    try await editor.type("c", 3)
    #expect(try await editor.error { try await editor.type("b", 2) } == .sequenceConflict)
    #expect(try await editor.error { try await editor.save(2) } == .sequenceConflict)
    #expect(try await editor.error { try await editor.close(2) } == .sequenceConflict)
    #expect(try await editor.error { try await editor.open("other", 2) } == .sequenceConflict)
    try await harness.check(Self.name, text: "cone\n")
    // The next one is taken.
    try await editor.type("d", 4)
    try await harness.check(Self.name, text: "dcone\n")
    try await harness.end()
  }

  @Test func `other content under a used counter is refused`() async throws {
    let harness = try await IngestHarness(on: SimulatedFileSystem())
    let editor = try await bridge(harness)
    try await editor.open("one\n", 1)
    try await editor.type("b", 2)
    try await editor.save(3)
    try await editor.close(4)
    for body in [
      { try await editor.open("two\n", 1) }, { try await editor.type("x", 2) },
      { try await editor.type("b", at: 1, 2) }, { try await editor.replace(by: "x", 2) },
      { try await editor.close(2) }, { try await editor.type("x", 3) },
      { try await editor.type("x", 4) }, { try await editor.open("x", 4) },
    ] as [() async throws -> Void] {
      #expect(try await editor.error(body) == .sequenceConflict)
    }
    try await editor.open("one\n", 1)
    try await editor.type("b", 2)
    try await editor.save(3)
    try await editor.close(4)
    let history = try await harness.history(of: Self.name)
    #expect(history.lastSequence == 2)
    #expect(try history.events().count { if case .closed = $0.kind { true } else { false } } == 1)
    try await harness.end()
  }

  @Test func `a rename under a counter that another message has used is refused`() async throws {
    let harness = try await IngestHarness(on: SimulatedFileSystem())
    let editor = try await bridge(harness)
    try await editor.open("one\n", 1)
    try await editor.type("b", 2)
    func rename(to name: String, _ counter: UInt64) async throws {
      let file = DidRenameFilesParams.Rename(oldURI: document(Self.name), newURI: document(name))
      try await editor.send(.didRenameFiles(DidRenameFilesParams(files: [file])), counter)
    }
    #expect(try await editor.error { try await rename(to: "b", 2) } == .sequenceConflict)
    try await harness.check(Self.name, text: "bone\n")
    try await rename(to: "b", 3)
    try await harness.check("b", text: "bone\n")
    // Sent again, it is answered, also if another document has the old name by then.
    try await rename(to: "b", 3)
    try await editor.open("new\n", 4)
    try await rename(to: "b", 3)
    try await harness.check("b", text: "bone\n")
    try await harness.check(Self.name, text: "new\n")
    try await harness.end()
  }

  /// Random messages are sent again, after each of them and after a restart: all are answered, and none is
  /// logged twice.
  @Test(arguments: seeds(12))
  func `messages that were logged are answered`(seed: UInt64) async throws {
    let system = SimulatedFileSystem()
    var harness = try await IngestHarness(on: system)
    var editor = try await bridge(harness)
    var random = SplitMix64(seed: seed)
    let other = try await EditorDriver(harness, .connection(9), Self.name)
    // With an edit of the other editor after its last message, a message that is sent again leads back to the
    // text of its editor.
    var sent: [@Sendable (EditorDriver, UInt64) async throws -> Void] = []
    func begin(_ body: @escaping @Sendable (EditorDriver, UInt64) async throws -> Void) async throws
    {
      sent.append(body)
      try await body(editor, UInt64(sent.count))
    }
    try await begin { try await $0.open("one\n", $1) }
    for _ in 0..<20 {
      let (kind, column) = (random.next() % 6, Int(random.next() % 3))
      let text = "\(random.next() % 10)"
      switch kind {
      case 0: try await begin { try await $0.save($1) }
      case 1: try await begin { try await $0.replace(by: "\(text)one\ntwo", $1) }
      case 2:
        // Another editor has the document open, with a text of its own.
        try await other.open("\(text)!\n")
      default: try await begin { try await $0.type(text, at: column, $1) }
      }
      // After a change of the editor, the log has its text.
      if kind != 0, kind != 2, random.next() % 4 == 0 {
        let before = try await harness.history(of: Self.name).lastSequence
        for (index, body) in sent.enumerated() { try await body(editor, UInt64(index + 1)) }
        #expect(try await harness.history(of: Self.name).lastSequence == before, "seed \(seed)")
      }
    }
    try await begin { try await $0.type("end", $1) }
    let count = try await harness.history(of: Self.name).lastSequence
    try await harness.drop()
    harness = try await IngestHarness(on: SimulatedFileSystem.crash(system.snapshot, .all))
    editor = try await EditorDriver(
      harness, .bridge(session()), Self.name,
      open: [ReopenedDocument(document(Self.name), at: count)])
    for (index, body) in sent.enumerated() { try await body(editor, UInt64(index + 1)) }
    #expect(try await harness.history(of: Self.name).lastSequence == count, "seed \(seed)")
    try await harness.end()
  }
}
