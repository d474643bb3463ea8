import EditModel
import GRDB
import Glibc
import Projections
import SQLiteProjection
import Testing
import TestSupport

/// A path in a folder of its own, which is removed with this object.
final class ScratchFile {
  let folder: String
  var path: String { folder + "/rows.db" }

  init() throws {
    var template = Array("/tmp/editlog-sqlite-XXXXXX".utf8CString)
    folder = String(cString: try #require(mkdtemp(&template)))
  }

  deinit {
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    rmdir(folder)
  }

  func open(store: String = "store-1") throws -> ProjectionFile {
    try ProjectionFile(at: path, store: store)
  }
}

let paper = document("paper")

func projector(_ file: ProjectionFile, _ name: DocumentID = paper) throws -> DocumentProjector {
  try DocumentProjector(name, number: 1, into: file) { 0 }
}

/// Writes a whole history in one transaction.
func fill(_ file: ProjectionFile, _ entries: [HistoryEntry]) throws {
  var projector = try projector(file)
  for entry in entries { try projector.apply(entry) }
  try projector.write()
}

extension ProjectionFile {
  /// The rows of a query, each as its values joined by `|`.
  func rows(_ sql: String) throws -> [String] {
    try database.read { db in
      try Row.fetchAll(db, sql: sql).map { row in
        row.databaseValues.map(\.text).joined(separator: "|")
      }
    }
  }

  /// All rows of all tables, in the order of their keys. Numbers of rows are left out.
  func allRows() throws -> [String: [String]] {
    var tables: [String: [String]] = [:]
    let order = [
      "documents": "1", "sessions": "1, 2", "edits": "1, 2", "paragraph_versions": "1, 2, 3",
      "paragraph_history": "1, 2, 3",
      "sections": "1, 2", "undo_steps": "1, 2", "marks": "1, 2", "events": "1, 2",
      "deletions": "1, 2",
    ]
    for (table, columns) in order {
      tables[table] = try rows("SELECT * FROM \(table) ORDER BY \(columns)")
    }
    let columns = try database.read { db in
      try db.columns(in: "paragraphs").map(\.name).filter { $0 != "row" }
    }.joined(separator: ", ")
    tables["paragraphs"] = try rows("SELECT \(columns) FROM paragraphs ORDER BY document, id")
    return tables
  }
}

extension DatabaseValue {
  var text: String {
    switch storage {
    case .null: "NULL"
    case .int64(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): value
    case .blob(let value): "\(value)"
    }
  }
}
