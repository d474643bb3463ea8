package import EditJSON
import EditLog
package import EditModel
package import EditProtocol

/// What `editlog backup` copied, or would copy.
package struct BackupAnswer: Hashable, Sendable {
  /// The folder of the backup, as it was given.
  package var folder: String
  /// The store's identifier, which the backup has too.
  package var store: String
  /// True if nothing was changed.
  package var isDryRun: Bool
  /// Everything that was acknowledged before this time is in the backup.
  package var time: Timestamp
  /// That time of the run before; nil if there was none, or if it did not end.
  package var previousTime: Timestamp?
  /// True if a run before was interrupted.
  package var resumed: Bool
  /// The numbers of the documents in the backup, and of their edits.
  package var documentCount: Int
  package var editCount: UInt64
  /// The number of files that were copied, and their bytes.
  package var fileCount: Int
  package var size: Int
  /// The number of documents that the store no longer has, whose files were erased.
  package var removedDocumentCount: Int
  /// The time that the run took.
  package var nanoseconds: UInt64

  package static let codec = Codec<Self>(
    {
      BackupAnswer(
        folder: $0, store: $1, isDryRun: $2, time: $3, previousTime: $4, resumed: $5,
        documentCount: $6, editCount: $7, fileCount: $8, size: $9, removedDocumentCount: $10,
        nanoseconds: $11)
    },
    .required("folder", \.folder, .string), .required("store", \.store, .string),
    .required("dryRun", \.isDryRun, .bool), .required("time", \.time, .time),
    .optional("previousTime", \.previousTime, .time), .required("resumed", \.resumed, .bool),
    .required("documents", \.documentCount, .count), .required("edits", \.editCount, .unsigned),
    .required("files", \.fileCount, .count), .required("size", \.size, .count),
    .required("removedDocuments", \.removedDocumentCount, .count),
    .required("nanoseconds", \.nanoseconds, .unsigned))
}

/// Why a backup was not made.
package enum BackupFailure: Error, Hashable, Sendable {
  /// The folder cannot hold it.
  case folder(String)
  /// The folder is in use.
  case busy
  case failed(ProtocolError)
}

extension BackupAnswer {
  /// Copies the store at `path` into `folder`, or says what would be copied: see `StoreBackup`. `progress`
  /// gets the part of the documents that was compared, 0 to 1.
  package static func backup(
    of path: String, to folder: String, isDryRun: Bool, progress: (Double) -> Void = { _ in }
  ) throws(BackupFailure) -> BackupAnswer {
    let start = SystemTime.monotonicNanoseconds
    let backup = StoreBackup(of: path, to: folder)
    let report: BackupReport
    do throws(LogError) {
      report = isDryRun ? try backup.plan() : try backup.run(progress: progress)
    } catch {
      switch error {
      case .refused where error.isIn(folder): throw .folder("\(error)")
      case .locked: throw .busy
      default: throw .failed(ProtocolError(error))
      }
    }
    return BackupAnswer(
      folder: folder, store: "\(report.store)", isDryRun: isDryRun, time: report.time,
      previousTime: report.previousTime, resumed: report.resumed,
      documentCount: report.documentCount, editCount: report.editCount,
      fileCount: report.fileCount, size: report.size,
      removedDocumentCount: report.removedDocumentCount,
      nanoseconds: UInt64(max(0, SystemTime.monotonicNanoseconds - start)))
  }
}

extension LogError {
  /// True if it is about the folder or a file in it.
  fileprivate func isIn(_ folder: String) -> Bool {
    path.isExactly(folder) || path.startsExactly(with: folder + "/")
  }
}
