import EditModel
import GRDB
import GRDBSQLite
import Projections

/// A prepared statement that takes its values one after the other, from the first parameter on.
///
/// GRDB prepares and keeps the statement. The values are bound without its `DatabaseValue`s, which
/// takes a third of the time.
struct RowWriter {
  private let statement: Statement
  private let pointer: OpaquePointer
  private var index: Int32 = 0
  /// The number of first parameters that keep their values.
  private var keptCount: Int32 = 0
  private var failure = SQLITE_OK

  /// The statement of this text, prepared once for each connection.
  init(_ db: Database, _ sql: String) throws {
    statement = try db.cachedStatement(sql: sql)
    pointer = statement.sqliteStatement
  }

  /// SQLite copies the bytes.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  mutating func bind(_ value: Int64?) {
    index += 1
    note(value.map { sqlite3_bind_int64(pointer, index, $0) } ?? sqlite3_bind_null(pointer, index))
  }

  mutating func bind(_ value: Int?) { bind(value.map { Int64($0) }) }
  /// Numbers above `Int64.max` do not occur: an edit takes longer than a nanosecond.
  mutating func bind(_ value: UInt64?) { bind(value.map { Int64(clamping: $0) }) }
  mutating func bind(_ value: Bool) { bind(value ? 1 : 0) }
  mutating func bind(_ value: Timestamp?) { bind(value?.nanoseconds) }
  mutating func bind(_ value: Origin?) { bind(value?.name) }
  mutating func bind(_ value: ParagraphID?) { bind(value?.description) }
  mutating func bind(_ value: UTF16Text?) { bind(value.map { String($0) }) }

  /// An edit's number, time and author.
  mutating func bind(_ stamp: EditStamp?) {
    bind(stamp?.sequence)
    bind(stamp?.time)
    bind(stamp?.author)
  }

  mutating func bind(_ value: String?) {
    index += 1
    guard var value = value?.withoutNulls else { return note(sqlite3_bind_null(pointer, index)) }
    note(
      value.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { chars in
          // A text without an address would be bound as NULL.
          chars.isEmpty
            ? sqlite3_bind_text(pointer, index, "", 0, Self.transient)
            : sqlite3_bind_text64(
              pointer, index, chars.baseAddress, UInt64(chars.count), Self.transient,
              UInt8(SQLITE_UTF8))
        }
      })
  }

  /// Keeps the values bound so far for all further runs.
  mutating func keep() { keptCount = index }

  /// Runs the statement with the values, and takes values for the parameters that do not keep theirs
  /// again.
  mutating func run() throws {
    index = keptCount
    let bound = failure
    failure = SQLITE_OK
    let result = bound == SQLITE_OK ? sqlite3_step(pointer) : bound
    guard result == SQLITE_DONE else {
      let message = String(cString: sqlite3_errmsg(sqlite3_db_handle(pointer)))
      sqlite3_reset(pointer)
      throw DatabaseError(resultCode: ResultCode(rawValue: result), message: message)
    }
    sqlite3_reset(pointer)
  }

  private mutating func note(_ result: Int32) { if failure == SQLITE_OK { failure = result } }
}

extension UTF16Text {
  /// The text as rows have it. A lone surrogate is U+FFFD.
  var stored: String { String(self).withoutNulls }
}

extension String {
  /// The string with U+FFFD for each U+0000, at which SQLite's functions end a text. The number of
  /// UTF-16 units stays.
  fileprivate var withoutNulls: String {
    guard utf8.contains(0) else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
  }
}
