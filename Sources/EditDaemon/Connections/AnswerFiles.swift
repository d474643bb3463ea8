import Glibc
import Synchronization

/// The files in which long answers wait, and how many bytes they may have together.
final class AnswerFiles: Sendable {
  private let folder: String
  private let bytesMax: Int
  private let bytes = Atomic<Int>(0)

  init(in folder: String, bytesMax: Int) { (self.folder, self.bytesMax) = (folder, bytesMax) }

  /// True if more than half of the room is taken. Clients that do not read their answers are then
  /// disconnected.
  var isScarce: Bool { bytes.load(ordering: .relaxed) > bytesMax / 2 }

  /// An empty file.
  func open() throws(AnswerFile.Failure) -> AnswerFile { try AnswerFile(in: folder) }

  fileprivate func take(_ count: Int) throws(AnswerFile.Failure) {
    guard bytes.add(count, ordering: .relaxed).newValue <= bytesMax else {
      give(count)
      throw AnswerFile.Failure(errno: EDQUOT)
    }
  }

  fileprivate func give(_ count: Int) { bytes.subtract(count, ordering: .relaxed) }
}

/// The room that one answer takes, given back with the last reference.
final class AnswerFileSpace: Sendable {
  private let files: AnswerFiles
  private let bytes = Atomic<Int>(0)

  init(_ files: AnswerFiles) { self.files = files }

  deinit { files.give(bytes.load(ordering: .relaxed)) }

  func add(_ count: Int) throws(AnswerFile.Failure) {
    try files.take(count)
    bytes.add(count, ordering: .relaxed)
  }
}
