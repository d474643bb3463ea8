import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// What `diff` prints of real stores.
@Suite struct DiffTests {
  /// D25: local times stand after the names and a TAB, where `patch` expects them.
  @Test func `the header has the times of the versions`() async throws {
    var script = HistoryScript(at: "2026-07-01T10:00:00.5Z")
    try script.replace(0..<0, "one\ntwo\n", .load)
    script.wait(until: "2026-11-20T14:04:05.123456789Z")
    try script.replace(4..<7, "--- 2\t3")
    let store = try RealStore(script.entries, document: "a b")
    let (printed, _, exitCode) = try await store.run(DiffCommand.self, ["a b", "--from", "1"])
    #expect(exitCode == 1)
    #expect(
      printed == """
        --- a b@1\t2026-07-01 12:00:00.500000000 +0200
        +++ a b@2\t2026-11-20 15:04:05.123456789 +0100
        @@ -1,2 +1,2 @@
         one
        -two
        +--- 2\t3

        """)
    // The empty document has no time.
    let (first, _, _) = try await store.run(DiffCommand.self, ["a b", "--from", "0", "--to", "1"])
    #expect(first.hasPrefix("--- a b@0\n+++ a b@1\t2026-07-01 12:00:00.500000000 +0200\n@@"))
    let (none, _, status) = try await store.run(DiffCommand.self, ["a b", "--from", "2"])
    #expect(none.isEmpty && status == 0)
  }

  @Test(arguments: [("1969-12-31T23:59:59.25Z", "1969-12-31 20:29:59.250000000 -0330")])
  func `a time before 1970 in an odd zone`(moment: String, shown: String) {
    let session = Session(
      backend: CannedBackend(), output: Output(), diagnostics: Output(), now: time(moment),
      utcOffset: { _ in -12_600 })
    #expect(session.fileTime(time(moment)) == shown)
  }
}

/// A diff that comes in several parts.
@Suite struct LargeDiffTests {
  @Test func `the parts make the whole`() async throws {
    var script = HistoryScript()
    let lines = (0..<60_000).map { "line \($0) of some text that is long\n" }
    try script.replace(0..<0, lines.joined() + "\u{1F600} the end", .load)
    let length = lines.joined().utf16.count
    try script.replace(0..<length, lines.map { "new " + $0 }.joined(), .paste)
    let end = length + 4 * lines.count + 10
    let bold = AttributeRun(length: 3, attributes: ["bold": .bool(true)])
    try script.replace(end - 3..<end, "end", attributes: .set([bold]))
    let store = try RealStore(script.entries)
    let (printed, _, exitCode) = try await store.run(
      DiffCommand.self, ["d", "--from", "1", "--context", "0"])
    let backend = try await makeStoreBackend(path: store.path)
    let document = try #require(DocumentID("d"))
    let whole = try await backend.ask(
      DiffRequest(HistoryReference(document), from: .sequence(1), context: 0))
    await backend.close()
    #expect(exitCode == 1 && whole.unified.count > 3 << 20)
    // The whole has no times in its header, and the attributes apart.
    let body = printed.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2)
    let expected = String(whole.unified).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(body.dropLast(2) == expected.dropFirst(2).dropLast())
    #expect(body.dropLast().last == "attributes of {\(end - 3), 3} differ")
    #expect(whole.attributeChanges.map(\.description) == ["{\(end - 3), 3}"])
  }

  @Test func `a part that does not exist is refused`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "one\n")
    let store = try RealStore(script.entries)
    let backend = try await makeStoreBackend(path: store.path)
    let document = try #require(DocumentID("d"))
    for part in [1, Int.max] {
      let error = await #expect(throws: ProtocolError.self) {
        try await backend.ask(
          DiffRequest(HistoryReference(document), from: .sequence(0), part: part))
      }
      #expect(error?.code == .invalidParams)
    }
    let same = try await backend.ask(
      DiffRequest(HistoryReference(document), from: .sequence(1), part: 0))
    #expect(same.unified.isEmpty && same.next == nil)
    await backend.close()
  }
}
