import ArgumentParser
import EditModel
import GRDB
import SQLiteProjection
import TestSupport
import Testing

@testable import EditLogCommands
@testable import EditLogProject

@Suite struct ProjectVerbTests {
  private static func script() throws -> HistoryScript {
    var script = HistoryScript()
    try script.replace(0..<0, "one\ntwo\n", .load)
    script.wait(seconds: 60)
    try script.replace(3..<3, "!")
    script.wait(seconds: 60)
    try script.replace(0..<5, "", .removal)
    return script
  }

  private static func project(
    _ store: RealStore, _ arguments: [String]
  ) async throws -> (printed: String, noted: String, exitCode: Int32) {
    try await store.run { try await ProjectSQLiteCommand.parse(arguments).write(in: $0) }
  }

  private static func positions(_ path: String) throws -> [String: SequenceNumber] {
    let file = try ProjectionFile(at: path, store: try store(of: path))
    let documents = try file.documents()
    try file.close()
    return Dictionary(uniqueKeysWithValues: documents.map { ($0.name.name, $0.sequence) })
  }

  /// The identifier of the store whose rows a file has, which the refusal of another names.
  private static func store(of path: String) throws -> String {
    do { _ = try ProjectionFile(at: path, store: "") } catch {
      if case .otherStore(_, let found) = error { return found }
      throw error
    }
    return ""
  }

  @Test func `a file is made, brought up to date, and stays at a point`() async throws {
    let store = try RealStore(try Self.script().entries)
    let path = store.folder.path("rows.db")
    let first = try await Self.project(store, ["--output", path, "--at", "1"])
    #expect(first.printed.hasPrefix("\(path): 1 document, 1 edit; 1 new in "))
    #expect(try Self.positions(path) == ["d": 1])
    _ = try await Self.project(store, ["--output", path])
    #expect(try Self.positions(path) == ["d": 3])
    let again = try await Self.project(store, ["--output", path, "--json"])
    #expect(again.printed.contains(#""edits":3,"newEdits":0,"removedDocuments":0"#))
    await #expect(throws: CommandError.self) {
      try await Self.project(store, ["--output", path, "--at", "2"])
    }
    #expect(try Self.positions(path) == ["d": 3])
  }

  @Test func `only documents that match are written`() async throws {
    let entries = try Self.script().entries
    let store = try RealStore(entries, document: "notes/a.md")
    try store.append(entries, to: "notes/b.txt")
    let path = store.folder.path("rows.db")
    _ = try await Self.project(store, ["--output", path, "--documents", "*.md"])
    #expect(try Self.positions(path) == ["notes/a.md": 3])
    _ = try await Self.project(store, ["--output", path])
    #expect(try Self.positions(path) == ["notes/a.md": 3, "notes/b.txt": 3])
  }

  @Test func `a document whose history was replaced is written again`() async throws {
    let store = try RealStore(try Self.script().entries)
    let path = store.folder.path("rows.db")
    _ = try await Self.project(store, ["--output", path])
    // Another store of the same identifier: the same document, with another history.
    let identifier = try Self.store(of: path)
    var script = HistoryScript(at: "2026-11-21T10:00:00Z")
    for index in 0..<5 { try script.replace(0..<0, "other \(index)\n") }
    let other = try RealStore(script.entries)
    let otherPath = other.folder.path("rows.db")
    _ = try await Self.project(other, ["--output", otherPath])
    let otherIdentifier = try Self.store(of: otherPath)
    let file = try ProjectionFile(at: path, store: identifier)
    try await file.database.write { db in
      try db.execute(sql: "UPDATE store SET identifier = '\(otherIdentifier)'")
    }
    try file.close()
    let result = try await Self.project(other, ["--output", path])
    #expect(result.noted.contains("its rows are written again"))
    #expect(try Self.positions(path) == ["d": 5])
  }

  @Test func `following needs a daemon`() async throws {
    let store = try RealStore(try Self.script().entries)
    await #expect(throws: (any Error).self) {
      try await Self.project(store, ["--output", store.folder.path("rows.db"), "--follow"])
    }
  }
}
