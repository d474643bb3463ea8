import Glibc
import NIOConcurrencyHelpers
import Synchronization

/// The long answers, and the bound of their total size.
final class AnswerFiles: Sendable {
  /// The file of the answers that are not sent yet.
  private struct Current { weak var storage: AnswerStorage? }

  private let folder: String
  private let current = NIOLockedValueBox(Current())
  private let bytesMax: Synchronization.Atomic<Int>
  private let bytes = Synchronization.Atomic<Int>(0)

  init(in folder: String, bytesMax: Int) {
    self.folder = folder
    self.bytesMax = Atomic(bytesMax)
  }

  /// Uses another bound. Files that exist stay.
  func use(bytesMax: Int) { self.bytesMax.store(bytesMax, ordering: .relaxed) }

  /// True if more than half of the bytes are taken. Clients that do not read their answers are
  /// disconnected then.
  var isScarce: Bool { bytes.load(ordering: .relaxed) > bytesMax.load(ordering: .relaxed) / 2 }

  /// An empty answer. The file is closed with its last answer.
  func open() throws(AnswerFile.Failure) -> AnswerFile {
    try current.withLockedValue { current -> Result<AnswerFile, AnswerFile.Failure> in
      do throws(AnswerFile.Failure) {
        if let storage = current.storage, !storage.isFull {
          return .success(AnswerFile(in: storage))
        }
        let storage = try AnswerStorage(in: folder)
        current.storage = storage
        return .success(AnswerFile(in: storage))
      } catch { return .failure(error) }
    }.get()
  }

  fileprivate func take(_ count: Int) throws(AnswerFile.Failure) {
    let bytesMax = bytesMax.load(ordering: .relaxed)
    guard bytes.add(count, ordering: .relaxed).newValue <= bytesMax else {
      give(count)
      throw AnswerFile.Failure(errno: EDQUOT)
    }
  }

  fileprivate func give(_ count: Int) { bytes.subtract(count, ordering: .relaxed) }
}

/// The bytes that one answer takes. They are released with the last reference.
final class AnswerFileSpace: Sendable {
  private let files: AnswerFiles
  private let bytes = Synchronization.Atomic<Int>(0)

  init(_ files: AnswerFiles) { self.files = files }

  deinit { files.give(bytes.load(ordering: .relaxed)) }

  func add(_ count: Int) throws(AnswerFile.Failure) {
    try files.take(count)
    bytes.add(count, ordering: .relaxed)
  }
}
