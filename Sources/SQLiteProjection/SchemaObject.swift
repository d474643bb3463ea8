import GRDB

/// A table, index, view or trigger of a file.
struct SchemaObject: Hashable {
  var type: String
  var name: String
  var table: String
  /// The statement that made it. Nil for an index that belongs to a key.
  var sql: String?

  /// Those of a file. None of them is used by that.
  static func all(_ db: Database) throws -> Set<SchemaObject> {
    let rows = try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, sql FROM main.sqlite_master")
    return try Set(
      rows.map { row in
        SchemaObject(
          type: try row.decode(String.self, atIndex: 0),
          name: try row.decode(String.self, atIndex: 1),
          table: try row.decode(String.self, atIndex: 2),
          sql: try row.decode(String?.self, atIndex: 3))
      })
  }

  /// Those of a projection, as this version of SQLite writes them.
  static func ofProjection() throws -> Set<SchemaObject> {
    try DatabaseQueue().write { db in
      try Schema.create(db, store: "")
      return try all(db)
    }
  }

  /// What `ANALYZE` adds, which only says how many rows there are.
  private static let statistics: Set<SchemaObject> = [
    SchemaObject(
      type: "table", name: "sqlite_stat1", table: "sqlite_stat1",
      sql: "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
    SchemaObject(
      type: "table", name: "sqlite_stat4", table: "sqlite_stat4",
      sql: "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
  ]

  /// Refuses a file of an older version that has objects which no version makes. What is left can be dropped,
  /// and nothing in it is run by that: indexes and plain tables of the same names as ours, which may have other
  /// columns, and besides them the same objects as ours.
  static func checkOlder(_ db: Database, _ expected: Set<SchemaObject>, path: String) throws {
    let names = Set(expected.map(\.name))
    let other = try all(db).subtracting(expected).subtracting(statistics).filter { object in
      let isPlain = object.sql?.hasPrefix("CREATE TABLE ") ?? false
      return
        !(names.contains(object.name)
        && (object.type == "index" || object.type == "table" && isPlain))
    }
    guard let other = other.min(by: { $0.name < $1.name }) else { return }
    throw SQLiteProjectionError.foreignSchema(path: path, object: "\(other.type) \(other.name)")
  }

  /// Refuses a file that has others than `expected`: what they say would be run with the rights of this
  /// user, by writing a row or by reading a table.
  static func check(_ db: Database, _ expected: Set<SchemaObject>, path: String) throws {
    let found = try all(db)
    let other =
      found.subtracting(expected).subtracting(statistics).min { $0.name < $1.name }
      ?? expected.subtracting(found).min { $0.name < $1.name }
    guard let other else { return }
    throw SQLiteProjectionError.foreignSchema(path: path, object: "\(other.type) \(other.name)")
  }
}
