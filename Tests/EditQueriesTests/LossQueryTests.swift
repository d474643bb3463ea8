import DaemonTestSupport
import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import Glibc
import TestSupport
import Testing

/// A store that lost a journal, with a document that was in it alone: no answer is silent.
@Suite struct LossQueryTests {
  private let folder = TemporaryFolder()
  private var store: String { folder.path("store") }

  private func lose() throws {
    let name = try #require(DocumentID("essay"))
    let edit = Edit(
      sequence: 1, action: EditAction(replacing: UTF16Range(0..<0), with: "text"),
      time: Timestamp(nanoseconds: 1))
    let writer = try StoreWriter(at: store)
    _ = try writer.append([(name, [.edit(edit)])])
    try writer.close()
    #expect(unlink("\(store)/journal/00000000000000000001.journal") == 0)
  }

  @Test func `the list of documents warns`() async throws {
    try lose()
    let answer = try await QueryEngine(try StoreFiles(at: store)).answer("editlog/documents", [:])
    #expect(answer["documents"] == [])
    guard case .array(let warnings)? = answer["warnings"] else {
      Issue.record("no warning: \(answer)")
      return
    }
    #expect(!warnings.isEmpty)
    #expect(answer["incomplete"] == true)
  }

  @Test func `a document that is not known may be lost`() async throws {
    try lose()
    await #expect {
      let engine = QueryEngine(try StoreFiles(at: store))
      _ = try await engine.answer("editlog/state", ["document": "essay"])
    } throws: { error in
      guard let error = error as? ProtocolError else { return false }
      return error.code == .unknownDocument && error.message.contains("the document may be lost")
    }
  }
}
