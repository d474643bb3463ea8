import EditJSON
import EditModel
import EditProtocol
import Glibc
import Testing

@testable import EditLogCommands

/// The backend over a store's files.
@Suite struct StoreBackendTests {
  private func edit(_ text: String, at location: Int) -> JSON {
    AppendEdit(
      action: EditAction(
        replacing: UTF16Range(location..<location), with: UTF16Text(text))
    ).json
  }

  /// The journals are read once for a process, however many questions it asks: they may be large,
  /// and a listing has a page for every thousand edits.
  @Test func `all questions are answered from one reading of the journals`() async throws {
    try await withTemporaryDirectory { directory in
      let store = directory + "/store"
      let writer = try await makeStoreBackend(path: store)
      for number in 0..<3 {
        _ = try await writer.call(
          "editlog/append", ["document": "a", "edits": [edit("x", at: number)]])
      }
      let reader = try await makeStoreBackend(path: store)
      let first = try await reader.call("editlog/log", ["document": "a", "limit": 1])
      #expect(first["next"] == 1)
      // Whatever becomes of the files, what was read is not read again.
      #expect(rename(store + "/journal", store + "/journal-away") == 0)
      let rest = try await reader.call("editlog/log", ["document": "a", "after": 1])
      #expect(try rest["entries"]?.asArray().count == 2)
      #expect(try await reader.call("editlog/state", ["document": "a"])["text"] == "xxx")
      #expect(rename(store + "/journal-away", store + "/journal") == 0)
      await reader.close()
      await writer.close()
    }
  }

  /// What the process itself writes, it sees.
  @Test func `a question after a write sees it`() async throws {
    try await withTemporaryDirectory { directory in
      let backend = try await makeStoreBackend(path: directory + "/store")
      for number in 0..<3 {
        _ = try await backend.call(
          "editlog/append", ["document": "a", "edits": [edit("x", at: number)]])
        let state = try await backend.call("editlog/state", ["document": "a"])
        #expect(state["length"] == JSON(number + 1))
      }
      await backend.close()
      #expect(try await backend.call("editlog/state", ["document": "a"])["text"] == "xxx")
      _ = try await backend.call(
        "editlog/append", ["document": "a", "edits": [edit("y", at: 0)]])
      #expect(try await backend.call("editlog/state", ["document": "a"])["text"] == "yxxx")
      await backend.close()
    }
  }
}
