public import EditModel
import GRDB

/// An error of a projection's file. The message says what to do.
public enum SQLiteProjectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file is not a database, or one of another program.
  case foreignFile(path: String)
  /// The file has a table, index, view or trigger that differs from those that this program makes.
  case foreignSchema(path: String, object: String)
  /// The file has a schema of a newer version.
  case version(path: String, found: Int)
  /// The file has the rows of another store.
  case otherStore(path: String, found: String)
  /// There is no room for the file.
  case noSpace(path: String)
  /// Another process has written rows of this document at the same time, or is writing.
  case busy(path: String)
  /// The rows do not belong to this history, which was repaired or replaced.
  case otherHistory(document: DocumentID, sequence: SequenceNumber)
  /// An entry does not follow the state, or does not fit it.
  case entry(document: DocumentID, message: String)
  /// The file is damaged.
  case damaged(path: String, message: String)
  /// Any other failure of reading or writing the file.
  case file(path: String, message: String)

  /// The error for one of SQLite's.
  init(_ error: any Error, _ path: String) {
    switch error {
    case let error as SQLiteProjectionError: self = error
    case let error as DatabaseError:
      switch error.resultCode {
      case .SQLITE_NOTADB: self = .foreignFile(path: path)
      case .SQLITE_FULL: self = .noSpace(path: path)
      case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path)
      case .SQLITE_CORRUPT:
        self = .damaged(path: path, message: error.message ?? "\(error.resultCode)")
      case .SQLITE_CONSTRAINT:
        // The file has rows that no run of this program leaves.
        self = .damaged(path: path, message: error.message ?? "\(error.resultCode)")
      default: self = .file(path: path, message: error.message ?? "\(error.resultCode)")
      }
    case is RowDecodingError: self = .damaged(path: path, message: "a value has another type")
    default: self = .file(path: path, message: "\(error)")
    }
  }

  /// What is wrong, where, and what to do.
  public var description: String {
    switch self {
    case .foreignFile(let path):
      "\(path.shown) is no projection of EditLog; give the path of a new file"
    case .foreignSchema(let path, let object):
      """
      \(path.shown): the \(object.shown) is not as EditLog makes it; nothing in the file is run or \
      changed; give the path of a new file, and keep tables, indexes, views and triggers of your own \
      in another one
      """
    case .version(let path, let found):
      """
      \(path.shown) has tables of version \(found), and this program knows versions up to \
      \(Schema.version); give the path of a new file, or remove this one
      """
    case .otherStore(let path, let found):
      "\(path.shown) has the rows of another store (\(found)); give the path of a new file"
    case .noSpace(let path):
      """
      there is no room for \(path.shown); what it has is complete up to its last transaction; free \
      some space and run the command again
      """
    case .busy(let path):
      "another process is writing to \(path.shown); wait until it has ended"
    case .otherHistory(let document, let sequence):
      "the history of \(document.shown) is not the one whose edit \(sequence) the file has"
    case .entry(let document, let message): "\(document.shown): \(message)"
    case .damaged(let path, let message):
      "\(path.shown) is damaged (\(message)); move it away and run the command again"
    case .file(let path, let message): "\(path.shown): \(message)"
    }
  }
}
