import EditModel
import GRDB
import Glibc
import SQLiteProjection
import TestSupport
import Testing

/// The article Schema against the file.
struct SchemaTests {
  /// The queries of the article.
  static let queries: [String] = {
    let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let path = "/\(folder)/Sources/SQLiteProjection/SQLiteProjection.docc/Schema.md"
    guard let bytes = try? DiskFile.bytes(path) else { return [] }
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: "```sql\n").dropFirst()
    return parts.compactMap { $0.split(separator: "```").first.map(String.init) }
  }()

  /// A document with what the queries ask for.
  private static func history() throws -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    var sequence: UInt64 = 0
    func edit(
      _ range: Range<Int>, _ text: String, _ origin: Origin = .typing
    ) throws {
      sequence += 1
      let action = try EditAction(
        range: UTF16Range(range), replacement: UTF16Text(text), attributes: .inherit)
      entries.append(
        .edit(
          Edit(
            sequence: sequence, action: action, origin: origin, author: "Ada",
            time: Timestamp(nanoseconds: Int64(sequence) * 10_000_000_000),
            selection: sequence % 3 == 0
              ? try EditSelection(after: [SelectedRange(3..<7, isReversed: true)]) : nil)))
    }
    func mark(_ label: String) {
      entries.append(
        .event(
          HistoryEvent(
            kind: .mark(label: label, at: sequence), after: sequence,
            time: Timestamp(nanoseconds: Int64(sequence) * 10_000_000_000))))
    }
    try edit(0..<0, "No keystroke is lost.\nOther\n", .paste)
    mark("draft")
    for _ in 0..<12 { try edit(3..<3, "one ") }
    try edit(0..<70, "", .removal)
    mark("final")
    try edit(0..<0, String(repeating: "line\n", count: 300), .paste)
    try edit(0..<1500, "", .undo)
    return entries
  }

  @Test func `each query of the article runs and finds something`() throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    var projector = try DocumentProjector(document("essay"), number: 1, into: file) { 0 }
    for entry in try Self.history() { try projector.apply(entry) }
    try projector.write()
    #expect(Self.queries.count == 14)
    for query in Self.queries {
      let rows = try file.rows(query)
      #expect(!rows.isEmpty, "\(query)")
    }
    try file.close()
  }

  @Test func `selections are in the rows of their edits`() throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    var projector = try DocumentProjector(document("essay"), number: 1, into: file) { 0 }
    for entry in try Self.history() { try projector.apply(entry) }
    try projector.write()
    let rows = try file.rows("SELECT selection FROM edits WHERE sequence < 5 ORDER BY sequence")
    let json = #"{"after":[{"location":3,"length":4,"reversed":true}]}"#
    #expect(rows.map { $0.contains(json) } == [false, false, true, false])
    let carets = try file.rows(
      """
      SELECT sequence FROM edits
        WHERE selection ->> '$.after[0].location' = 3 AND selection ->> '$.after[0].reversed'
      """)
    #expect(carets.count == 5)
    try file.close()
  }

  /// Those that ask for one row read one row: each table is searched by all columns of a key.
  @Test(arguments: [
    "SELECT text FROM paragraphs WHERE document = 'a' AND id = '0.0'",
    "SELECT text FROM paragraphs WHERE document = 'a' AND position = 3",
    "SELECT * FROM edits WHERE document = 'a' AND sequence = 12",
    "SELECT * FROM undo_steps WHERE document = 'a' AND step = 12",
    "SELECT * FROM deletions WHERE document = 'a' AND sequence = 12",
    "SELECT * FROM marks WHERE document = 'a' AND label = 'draft'",
    "SELECT * FROM sections WHERE document = 'a' AND position = 3",
    "SELECT * FROM sections WHERE document = 'a' AND id = '0.0'",
    "SELECT * FROM documents WHERE document = 'a'", "SELECT * FROM documents WHERE number = 1",
  ])
  func pointQueriesReadOneRow(query: String) throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    let plan = try file.rows("EXPLAIN QUERY PLAN \(query)")
    #expect(plan.count == 1)
    #expect(
      plan.allSatisfy { $0.contains("SEARCH") && !$0.contains(">") && !$0.contains("SCAN") })
    let constraints = plan.joined().filter { $0 == "=" }.count
    #expect(constraints == query.split(separator: " = ").count - 1, "\(plan)")
    try file.close()
  }

  @Test func `removing many paragraphs is one statement's work`() throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    let count = 10_000
    func entry(_ sequence: UInt64, _ length: Int, _ text: String) throws -> HistoryEntry {
      .edit(
        Edit(
          sequence: sequence,
          action: EditAction(
            replacing: UTF16Range(0..<length), with: UTF16Text(text)),
          time: Timestamp(nanoseconds: 0)))
    }
    var projector = try projector(file)
    try projector.apply(entry(1, 0, String(repeating: "a\n", count: count)))
    try projector.write()
    try projector.apply(entry(2, 2 * count - 2, ""))
    let changesBefore = try file.database.write { db in db.totalChangesCount }
    let statements = Statements()
    file.database.writeWithoutTransaction { db in
      db.trace { _ in statements.count += 1 }
    }
    try projector.write()
    let changes = try file.database.write { db in
      db.trace()
      return db.totalChangesCount - changesBefore
    }
    // Two rows for each paragraph: that of the paragraph, and that of its last version.
    #expect((2 * count - 10...2 * count + 20).contains(changes))
    #expect(statements.count < 40)
    #expect(
      try file.rows("SELECT count(*), count(position) FROM paragraphs") == ["\(count + 1)|2"])
    try file.close()
  }

  /// Counts what one connection runs, on its own queue.
  private final class Statements: @unchecked Sendable { var count = 0 }
}
