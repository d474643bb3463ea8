import EditModel
import GRDB
import Glibc
import SQLiteProjection
import TestSupport
import Testing

struct ProjectionFileTests {
  private static func entries(_ seed: UInt64 = 1) -> [HistoryEntry] {
    var generator = EntryGenerator(seed: seed)
    return generator.history(count: 60)
  }

  @Test func `other files are refused and not changed`() throws {
    let scratch = try ScratchFile()
    try DiskFile.replace(scratch.path, with: Array("no database, but the only copy".utf8))
    #expect(throws: SQLiteProjectionError.foreignFile(path: scratch.path)) { try scratch.open() }
    #expect(try DiskFile.bytes(scratch.path) == Array("no database, but the only copy".utf8))

    #expect(throws: SQLiteProjectionError.self) {
      try ProjectionFile(at: scratch.folder, store: "store-1")
    }

    let other = try ScratchFile()
    let queue = try DatabaseQueue(path: other.path)
    try queue.write { db in try db.execute(sql: "CREATE TABLE mine(a)") }
    try queue.close()
    let bytes = try DiskFile.bytes(other.path)
    #expect(throws: SQLiteProjectionError.foreignFile(path: other.path)) { try other.open() }
    #expect(try DiskFile.bytes(other.path) == bytes)
  }

  @Test func `the rows of another store and of another version are refused`() throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    try fill(file, Self.entries())
    try file.close()
    #expect(
      throws: SQLiteProjectionError.otherStore(path: scratch.path, found: "store-1")
    ) { try scratch.open(store: "store-2") }
    let queue = try DatabaseQueue(path: scratch.path)
    try queue.write { db in try db.execute(sql: "PRAGMA user_version = 99") }
    try queue.close()
    #expect(throws: SQLiteProjectionError.version(path: scratch.path, found: 99)) {
      try scratch.open()
    }
  }

  /// Makes a file of the version before this one, as far as its tables differ.
  private static func makeOlder(_ path: String, adding sql: String = "") throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write { db in
      try db.execute(
        sql: """
          DROP VIEW section_paragraphs; DROP TABLE sections;
          ALTER TABLE paragraphs DROP COLUMN kind; ALTER TABLE paragraphs DROP COLUMN level;
          ALTER TABLE paragraphs DROP COLUMN attributes; ALTER TABLE store DROP COLUMN follower;
          PRAGMA user_version = 4; \(sql)
          """)
    }
    try queue.close()
  }

  @Test func `tables of an older version are made anew`() throws {
    let scratch = try ScratchFile()
    var file = try scratch.open()
    try fill(file, Self.entries())
    let rows = try file.allRows()
    try file.close()
    try Self.makeOlder(scratch.path)
    #expect(
      throws: SQLiteProjectionError.otherStore(path: scratch.path, found: "store-1")
    ) { try scratch.open(store: "store-2") }
    file = try scratch.open()
    #expect(try file.documents().isEmpty)
    try fill(file, Self.entries())
    #expect(try file.allRows() == rows)
    try file.close()
    file = try scratch.open()
    #expect(try file.documents().count == 1)
    try file.close()
  }

  @Test(arguments: [
    "CREATE TRIGGER mine AFTER INSERT ON edits BEGIN SELECT 1; END",
    "CREATE TABLE mine(a)", "CREATE VIEW sections AS SELECT 1",
    "CREATE VIRTUAL TABLE sections USING fts5(a)",
  ]) func `tables of others are never dropped`(sql: String) throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    try fill(file, Self.entries())
    try file.close()
    try Self.makeOlder(scratch.path, adding: sql)
    let bytes = try DiskFile.bytes(scratch.path)
    let error = #expect(throws: SQLiteProjectionError.self) { try scratch.open() }
    guard case .foreignSchema = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try DiskFile.bytes(scratch.path) == bytes)
  }

  @Test func `a file says who follows`() throws {
    let scratch = try ScratchFile()
    let (file, other) = (try scratch.open(), try scratch.open())
    #expect(try other.follower() == nil)
    try file.setFollower(getpid())
    #expect(try other.follower() == getpid())
    // No process has the largest number: it was killed.
    try file.setFollower(.max)
    #expect(try other.follower() == nil)
    try file.setFollower(nil)
    #expect(try other.follower() == nil)
    try other.close()
    try file.close()
  }

  @Test func `a closed file is one file`() throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    try fill(file, Self.entries())
    try file.close()
    #expect(access(scratch.path, F_OK) == 0)
    #expect(access(scratch.path + "-wal", F_OK) != 0)
  }

  @Test func `a history that was replaced is refused`() throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    try fill(file, Self.entries(1))
    var projector = try projector(file)
    // Long enough to have the edit that was written last.
    var generator = EntryGenerator(seed: 2)
    let others = generator.history(count: 120)
    #expect(throws: SQLiteProjectionError.self) {
      for entry in others { try projector.apply(entry) }
    }
    #expect(throws: SQLiteProjectionError.otherHistory(document: paper, sequence: 0)) {
      _ = try DocumentProjector(paper, number: 2, into: file) { 0 }
    }
    try file.close()
  }

  @Test func `two programs do not write the same rows`() throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    let entries = Self.entries()
    try fill(file, Array(entries.prefix(30)))
    var first = try projector(file)
    var second = try projector(file)
    for entry in entries {
      try first.apply(entry)
      try second.apply(entry)
    }
    try first.write()
    #expect(throws: SQLiteProjectionError.busy(path: scratch.path)) { try second.write() }
    let whole = try ScratchFile()
    let expected = try whole.open()
    try fill(expected, entries)
    #expect(try file.allRows() == expected.allRows())
    try file.close()
    try expected.close()
  }

  @Test func `documents exchange names, and are removed with every byte`() throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    let secret = "unmistakable"
    for (number, name) in ["a", "b"].enumerated() {
      var projector = try DocumentProjector(
        document(name), number: UInt64(number), into: file
      ) { 0 }
      let text = number == 0 ? "plain" : secret
      let action = EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text))
      try projector.apply(.edit(Edit(sequence: 1, action: action)))
      try projector.write()
    }
    let (a, b) = (try file.documents()[0], try file.documents()[1])
    try file.rename([(a, b.name), (b, a.name)])
    #expect(
      try file.rows("SELECT document, text FROM edits ORDER BY document")
        == ["a|\(secret)", "b|plain"])
    try file.remove(try file.documents()[1])
    #expect(try file.rows("SELECT document FROM paragraphs") == ["b"])
    try file.close()
    let bytes = try DiskFile.bytes(scratch.path)
    #expect(!String(decoding: bytes, as: UTF8.self).contains(secret))
  }

  /// Values of the rows are observed by GRDB.
  @Test func `changes are observed`() async throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    let counts = ValueObservation.tracking { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM edits") ?? 0
    }
    var values = counts.values(in: file.database).makeAsyncIterator()
    #expect(try await values.next() == 0)
    let entries = Self.entries()
    try fill(file, entries)
    // The first value may come twice.
    var seen = 0
    while seen == 0, let value = try await values.next() { seen = value }
    #expect(seen == entries.count { if case .edit = $0 { true } else { false } })
    try file.close()
  }

  @Test func `a full disk is said, and nothing of the transaction stays`() throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    try fill(file, Array(Self.entries().prefix(20)))
    let before = try file.allRows()
    try file.database.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA max_page_count = 1")
    }
    var projector = try projector(file)
    for entry in Self.entries() { try projector.apply(entry) }
    let text = UTF16Text(String(repeating: "long ", count: 100_000))
    let action = EditAction(replacing: UTF16Range(0..<0), with: text)
    let last = projector.sequence
    try projector.apply(
      .edit(Edit(sequence: last + 1, action: action, time: .init(nanoseconds: .max))))
    #expect(throws: SQLiteProjectionError.noSpace(path: scratch.path)) { try projector.write() }
    #expect(try file.allRows() == before)
    // The rows are lost, so the projector must not continue without them.
    try file.database.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA max_page_count = 1000000")
    }
    #expect(throws: SQLiteProjectionError.noSpace(path: scratch.path)) {
      try projector.apply(.edit(Edit(sequence: last + 2, action: action)))
    }
    #expect(throws: SQLiteProjectionError.noSpace(path: scratch.path)) { try projector.write() }
    #expect(try file.allRows() == before)
    try file.close()
  }

  @Test func `values of other types in a damaged file are an error`() throws {
    for column in ["sequence", "events", "number"] {
      let scratch = try ScratchFile()
      let file = try scratch.open()
      try fill(file, Self.entries())
      try file.database.write { db in
        try db.execute(sql: "UPDATE documents SET \(column) = 'many'")
      }
      #expect(throws: SQLiteProjectionError.self) { try file.documents() }
      #expect(throws: SQLiteProjectionError.self) { try projector(file) }
      try file.close()
    }
  }

  @Test func `an edit that was replaced after it was taken is found`() throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    var projector = try projector(file)
    func edit(_ sequence: UInt64, _ text: String) -> HistoryEntry {
      let action = EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text))
      return .edit(Edit(sequence: sequence, action: action))
    }
    try projector.applyNew(of: [edit(1, "a"), edit(2, "b")])
    try projector.write()
    try projector.applyNew(of: [edit(2, "b"), edit(3, "c")])
    #expect(projector.sequence == 3)
    #expect(throws: SQLiteProjectionError.otherHistory(document: paper, sequence: 3)) {
      try projector.applyNew(of: [edit(3, "x"), edit(4, "d")])
    }
    try file.close()
  }

  /// What a file of others may hold. `victim` is a row that the file would remove if it were run.
  static let foreignObjects = [
    "trigger evil": "CREATE TRIGGER evil AFTER INSERT ON edits BEGIN DELETE FROM store; END",
    "view evil": "CREATE VIEW evil AS SELECT * FROM edits",
    "view store": """
    DROP TABLE store; CREATE VIEW store AS SELECT 'store-1' AS identifier
    """,
    "table evil": "CREATE VIRTUAL TABLE evil USING fts5(a)",
    "index evil": "CREATE INDEX evil ON edits(upper(author))",
    "table marks": "ALTER TABLE marks ADD COLUMN evil AS (abs(sequence))",
    "table folds": "DROP TABLE folds",
    "trigger paragraphs_updated": """
    DROP TRIGGER paragraphs_updated;
    CREATE TRIGGER paragraphs_updated AFTER UPDATE ON paragraphs BEGIN DELETE FROM store; END
    """,
  ]

  @Test(arguments: foreignObjects.keys.sorted())
  func `nothing in a file of others is run, and the file is not changed`(object: String) throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    try fill(file, Array(Self.entries().prefix(30)))
    try file.close()
    let sql = try #require(Self.foreignObjects[object])
    let queue = try DatabaseQueue(path: scratch.path)
    try queue.write { db in try db.execute(sql: sql) }
    // As SQLite writes it without a log beside it.
    _ = try queue.writeWithoutTransaction { db in
      try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
    }
    try queue.close()
    let bytes = try DiskFile.bytes(scratch.path)
    #expect(
      throws: SQLiteProjectionError.foreignSchema(path: scratch.path, object: object)
    ) { try scratch.open() }
    #expect(try DiskFile.bytes(scratch.path) == bytes)
  }

  @Test func `a trigger that is added while the file is open is not run`() throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    let entries = Self.entries()
    try fill(file, Array(entries.prefix(30)))
    var projector = try projector(file)
    for entry in entries { try projector.apply(entry) }
    let queue = try DatabaseQueue(path: scratch.path)
    try queue.write { db in
      try db.execute(
        sql: "CREATE TRIGGER evil AFTER INSERT ON edits BEGIN DELETE FROM store; END")
    }
    let error = SQLiteProjectionError.foreignSchema(
      path: scratch.path, object: "trigger evil")
    #expect(throws: error) { try projector.write() }
    #expect(throws: error) { try file.documents() }
    #expect(try file.rows("SELECT identifier FROM store") == ["store-1"])
    try queue.close()
    try file.close()
  }

  /// For a transaction of several files, SQLite takes a name from the journal, and removes the file that has it.
  @Test func `a journal that names another file is refused`() throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    try fill(file, Array(Self.entries().prefix(30)))
    try file.close()
    let journal = scratch.path + "-journal"
    defer { unlink(journal) }
    for end in [[], [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]] as [[UInt8]] {
      try DiskFile.replace(journal, with: [UInt8](repeating: 0, count: 600) + end)
      if end.isEmpty {
        try scratch.open().close()
      } else {
        #expect(throws: SQLiteProjectionError.foreignFile(path: scratch.path)) {
          try scratch.open()
        }
        let link = scratch.folder + "/link"
        defer { unlink(link) }
        try #require(symlink(scratch.path, link) == 0)
        #expect(throws: SQLiteProjectionError.foreignFile(path: link)) {
          try ProjectionFile(at: link, store: "store-1")
        }
      }
    }
  }

  @Test func `statistics of ANALYZE are no foreign table`() throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    try fill(file, Self.entries())
    try file.close()
    let queue = try DatabaseQueue(path: scratch.path)
    try queue.write { db in try db.execute(sql: "ANALYZE") }
    try queue.close()
    try scratch.open().close()
  }

  @Test func `two programs that write the first rows of a document`() throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    let other = try scratch.open()
    var first = try projector(file)
    var second = try projector(other)
    for entry in Self.entries() {
      try first.apply(entry)
      try second.apply(entry)
    }
    try first.write()
    #expect(throws: SQLiteProjectionError.busy(path: scratch.path)) { try second.write() }
    try file.close()
    try other.close()
  }

  @Test func `versions of a long paragraph take space in proportion to their edits`() throws {
    let scratch = try ScratchFile()
    let file = try scratch.open()
    var projector = try projector(file)
    var generator = EntryGenerator(seed: 7)
    // Longer than 65,536 units, with pairs of surrogates.
    var text = Array(String(repeating: "wörd 👩‍🚀 ", count: 8_000).unicodeScalars)
    var texts: [UInt64: String] = [:]
    let count: UInt64 = 1_000
    for sequence in 1...count {
      let place = sequence == 1 ? 0 : Int(generator.random.next() % UInt64(text.count))
      let location = String(String.UnicodeScalarView(text[..<place])).utf16.count
      var inserted = "x"
      if sequence == 1 {
        inserted = String(String.UnicodeScalarView(text))
      } else {
        text.insert("x", at: place)
      }
      let action = EditAction(
        replacing: UTF16Range(location..<location), with: UTF16Text(inserted))
      try projector.apply(.edit(Edit(sequence: sequence, action: action, origin: .paste)))
      if sequence % 97 == 0 || sequence == count {
        texts[sequence] = String(String.UnicodeScalarView(text))
      }
    }
    try projector.write()
    let sizes = try file.rows(
      "SELECT count(*), count(kept_start), sum(length(text)) FROM paragraph_versions")
    let size = sizes[0].split(separator: "|").compactMap { Int($0) }
    #expect(size[0] == Int(count))
    #expect(size[2] < text.count * 2 + 513 * Int(count))
    for (sequence, expected) in texts {
      let found = try file.rows(
        "SELECT text FROM paragraph_history WHERE first_sequence = \(sequence)")
      #expect(found.count == 1 && Array(found[0].utf8) == Array(expected.utf8), "\(sequence)")
    }
    try file.close()
  }
}
