import EditLog
import EditModel
import EditProtocol
import EditQueries
import TestSupport
import Testing

/// Lists are in the order of names, by their bytes: names that look the same stay apart.
@Suite struct NameOrderTests {
  @Test func `heads are in the order of names`() async throws {
    let folder = TemporaryFolder()
    let names = ["b", "e\u{301}", "\u{E9}", "a", "z", "f"]
    let writer = try StoreWriter(at: folder.path("store"))
    for name in names {
      let edit = Edit(
        sequence: 1, action: EditAction(replacing: UTF16Range(0..<0), with: "x"),
        time: Timestamp(nanoseconds: 1))
      _ = try writer.append([(try #require(DocumentID(name)), [.edit(edit)])])
    }
    try writer.close()
    let engine = QueryEngine(try StoreFiles(at: folder.path("store")))
    let expected = ["a", "b", "e\u{301}", "f", "z", "\u{E9}"].map { Array($0.utf8) }
    let status = try await engine.answer(StatusRequest(hasHeads: true))
    let verify = try await engine.answer(VerifyRequest())
    let documents = try await engine.answer(DocumentsRequest())
    #expect(status.heads?.map { Array($0.document.name.utf8) } == expected)
    #expect(verify.heads.map { Array($0.document.name.utf8) } == expected)
    #expect(documents.documents.map { Array($0.document.name.utf8) } == expected)
  }
}
