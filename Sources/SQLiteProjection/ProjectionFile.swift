import CSQLite
public import EditModel
public import GRDB
import GRDBSQLite
import Glibc

/// An SQLite file with the rows of histories: edits, paragraphs, undo steps and more, as the article
/// <doc:Schema> describes them.
///
/// One program writes at a time. Any number may read meanwhile, and see only whole transactions: the
/// rows of a document are always those of one version, `documents.sequence`.
///
/// The process that writes observes changes with GRDB's `ValueObservation` on `database`, this one pool:
///
/// ```swift
/// let count = ValueObservation.tracking { db in
///   try Int.fetchOne(db, sql: "SELECT count(*) FROM paragraphs WHERE position IS NOT NULL")
/// }
/// let cancellable = count.start(in: file.database, onError: …, onChange: …)
/// ```
///
/// SQLite tells no other process of it, nor another pool of this one: an observation of a file that
/// `editlog project sqlite --follow` writes sees nothing. The article <doc:Following> shows what does.
public struct ProjectionFile: Sendable {
  /// The path of the file.
  public let path: String
  /// The connections: one that writes, and some that read.
  public let database: DatabasePool
  /// The tables, indexes, views and triggers that the file may have.
  private let schema: Set<SchemaObject>

  /// A document whose rows the file has.
  public struct Document: Hashable, Sendable {
    /// Its name.
    public var name: DocumentID
    /// Its number in the store, which never changes.
    public var number: UInt64
    /// The version that the rows are of.
    public var sequence: SequenceNumber
    /// The number of events after this version that have rows.
    public var events: Int
    /// The time of the last entry that has a row.
    public var lastTime: Timestamp?
  }

  /// Opens a file, or creates it, for the rows of the store with this identifier. A file without
  /// bytes counts as new. The tables of an older version are replaced by empty ones, so that projectors
  /// write all rows anew.
  ///
  /// The file may come from others. Whatever it has, nothing in it is run: it is refused if it has a
  /// table, index, view or trigger that this program does not make, now and in each transaction.
  ///
  /// - Throws: `SQLiteProjectionError` if the file is not a projection of this store, has a newer
  ///   version or another schema, or cannot be read or written. It is not changed then.
  public init(at path: String, store: String) throws(SQLiteProjectionError) {
    self.path = path
    do {
      schema = try SchemaObject.ofProjection()
      try Self.check(path, store, schema)
      database = try DatabasePool(path: path, configuration: Self.configuration)
      try database.write { [schema] db in
        if try Self.isNew(db) {
          try Schema.create(db, store: store)
        } else if try Self.check(db, path, store, schema) < Schema.version {
          try Schema.replace(db, store: store)
        }
        // The triggers write to a virtual table. They are ours, as each transaction finds out first.
        try db.execute(sql: "PRAGMA trusted_schema = ON")
      }
    } catch { throw SQLiteProjectionError(error, path) }
  }

  /// How files are opened. See "Defense Against The Dark Arts" of SQLite's documentation.
  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(2)
    configuration.label = "projection"
    configuration.prepareDatabase { db in
      guard sqlite_make_defensive(db.sqliteConnection) == SQLITE_OK else {
        throw DatabaseError(resultCode: .SQLITE_ERROR, message: "SQLite is too old")
      }
      try db.execute(
        sql: """
          PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;
          """)
      // The file can be made again, but must not be torn: a power cut may undo transactions.
      try db.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768")
    }
    return configuration
  }

  /// True if the file has no content.
  private static func isNew(_ db: Database) throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
  }

  /// Refuses a file with content that is not ours, before anything is written to it.
  private static func check(_ path: String, _ store: String, _ schema: Set<SchemaObject>) throws {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SQLiteProjectionError.file(
        path: path, message: "this is not a regular file; give the path of a new file")
    }
    guard status.st_size > 0 else { return }
    guard !RollbackJournal.namesOtherFile(beside: path) else {
      throw SQLiteProjectionError.foreignFile(path: path)
    }
    var configuration = configuration
    configuration.readonly = true
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    try queue.read { db in
      if try !isNew(db) { try check(db, path, store, schema) }
    }
  }

  /// Refuses content that is not ours. Returns the version of the tables.
  @discardableResult
  private static func check(
    _ db: Database, _ path: String, _ store: String, _ schema: Set<SchemaObject>
  ) throws -> Int {
    let application = try Int.fetchOne(db, sql: "PRAGMA application_id")
    guard application == Schema.applicationID else {
      throw SQLiteProjectionError.foreignFile(path: path)
    }
    let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    guard (1...Schema.version).contains(version) else {
      throw SQLiteProjectionError.version(path: path, found: version)
    }
    // Before the first table is read, which may be a view.
    if version == Schema.version {
      try SchemaObject.check(db, schema, path: path)
    } else {
      try SchemaObject.checkOlder(db, schema, path: path)
    }
    let found = try String.fetchOne(db, sql: "SELECT identifier FROM store") ?? ""
    guard found == store else {
      throw SQLiteProjectionError.otherStore(path: path, found: found)
    }
    return version
  }

  /// The process that follows the histories and writes their rows as they are edited, if one said so with
  /// `setFollower` and runs on this machine. Nil if none does.
  public func follower() throws(SQLiteProjectionError) -> Int32? {
    let process = try read { db in try Int64.fetchOne(db, sql: "SELECT follower FROM store") }
    guard let number = process.flatMap({ Int32(exactly: $0) }), number > 0 else { return nil }
    // A process that was killed is still named.
    return kill(number, 0) == 0 || errno == EPERM ? number : nil
  }

  /// Says in the file which process follows; nil if none does.
  public func setFollower(_ process: Int32?) throws(SQLiteProjectionError) {
    try write { db in
      try db.execute(sql: "UPDATE store SET follower = ?", arguments: [process])
    }
  }

  /// The documents whose rows the file has, by number. O(their number).
  public func documents() throws(SQLiteProjectionError) -> [Document] {
    try read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT document, number, sequence, events, last_time FROM documents ORDER BY number"
      ).compactMap { row in
        // A subscript of a row traps on a value of another type, which a damaged file may have.
        guard let name = DocumentID(stored: try row.decode(String.self, atIndex: 0)) else {
          return nil
        }
        return Document(
          name: name, number: UInt64(clamping: try row.decode(Int64.self, atIndex: 1)),
          sequence: UInt64(clamping: try row.decode(Int64.self, atIndex: 2)),
          events: try row.decode(Int.self, atIndex: 3),
          lastTime: try row.decode(Int64?.self, atIndex: 4).map(Timestamp.init(nanoseconds:)))
      }
    }
  }

  /// Removes all rows of a document, in one transaction. Their bytes are overwritten.
  public func remove(_ document: Document) throws(SQLiteProjectionError) {
    try write { db in
      try db.execute(sql: "PRAGMA secure_delete = ON")
      defer { try? db.execute(sql: "PRAGMA secure_delete = OFF") }
      for table in Schema.documentTables {
        try db.execute(
          sql: "DELETE FROM \(table) WHERE document = ?", arguments: [document.name.name])
      }
      // The removed words are in the pages of the index until they are merged.
      try db.execute(
        sql: "INSERT INTO paragraph_search(paragraph_search) VALUES('optimize')")
    }
  }

  /// Gives the rows of documents their present names, in one transaction. Documents may exchange
  /// names.
  public func rename(
    _ documents: [(document: Document, to: DocumentID)]
  ) throws(SQLiteProjectionError) {
    guard !documents.isEmpty else { return }
    try write { db in
      // A name that no document can have, because a name is not empty and has at most that many bytes.
      let passing = String(repeating: "/", count: DocumentID.sizeMax)
      for table in Schema.documentTables {
        let sql = "UPDATE \(table) SET document = ? WHERE document = ?"
        for (document, _) in documents {
          try db.execute(
            sql: sql, arguments: ["\(passing)\(document.number)", document.name.name])
        }
        for (document, name) in documents {
          try db.execute(sql: sql, arguments: [name.name, "\(passing)\(document.number)"])
        }
      }
    }
  }

  /// Writes what is in the log beside the file into the file, so that it is one file with all rows, and
  /// closes it. The file cannot be used after that.
  public func close() throws(SQLiteProjectionError) {
    do {
      try database.close()
      // The pool's last connection is one that reads, which leaves the log. The last one that writes
      // removes it.
      let last = try DatabaseQueue(path: path, configuration: Self.configuration)
      try last.read { db in _ = try Row.fetchAll(db, sql: "SELECT 1 FROM store") }
      try last.close()
    } catch { throw SQLiteProjectionError(error, path) }
  }

  func read<Value>(_ body: (Database) throws -> Value) throws(SQLiteProjectionError) -> Value {
    do {
      return try database.read { db in
        try SchemaObject.check(db, schema, path: path)
        return try body(db)
      }
    } catch { throw SQLiteProjectionError(error, path) }
  }

  func write<Value>(_ body: (Database) throws -> Value) throws(SQLiteProjectionError) -> Value {
    do {
      return try database.write { db in
        try SchemaObject.check(db, schema, path: path)
        return try body(db)
      }
    } catch { throw SQLiteProjectionError(error, path) }
  }
}
