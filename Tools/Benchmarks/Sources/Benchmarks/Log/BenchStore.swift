import EditLog
import EditLogCommands
import EditModel
import Foundation

/// A store in a folder that goes when this does: in memory where the system has a place for it,
/// so that figures are the log's and not a disk's.
final class BenchStore {
  let path: String
  /// The one document.
  let document: DocumentID

  init() throws {
    guard let document = DocumentID("bench") else { throw CommandError.data("no document") }
    self.document = document
    let memory = "/dev/shm"
    let parent =
      FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
    path = "\(parent)/editlog-bench-\(UUID().uuidString)"
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Opens the store for writing.
  func writer() throws -> StoreWriter { try StoreWriter(at: path) }

  /// Opens the store for reading, and the document in it.
  func history() throws -> History {
    guard let history = try Store.open(at: path).history(of: document) else {
      throw CommandError.data("\(path): no document")
    }
    return history
  }

  /// Appends entries in batches of `batchCount`, and seals after each `sealCount`; nil never seals.
  func record(
    _ entries: [HistoryEntry], in writer: StoreWriter, batchCount: Int = 1_000,
    sealCount: Int? = nil
  ) throws {
    var unsealed = 0
    for start in stride(from: 0, to: entries.count, by: batchCount) {
      let batch = Array(entries[start..<min(start + batchCount, entries.count)])
      _ = try writer.append([(document, batch)])
      unsealed += batch.count
      if let sealCount, unsealed >= sealCount {
        try writer.seal(document)
        unsealed = 0
      }
    }
    if sealCount != nil, unsealed > 0 { try writer.seal(document) }
  }

  /// Packs the document for rest, as the daemon does when it is idle.
  func compact(_ writer: StoreWriter) throws {
    while let job = try writer.prepareCompaction(document) {
      job.run()
      let producedFile = job.producedFile
      try writer.finish(job)
      if !producedFile { return }
    }
  }

  /// Bytes in all files of the documents, without the journal: the data that a reader needs, and
  /// the parity after it.
  func sealedBytes() throws -> (data: Int, parity: Int) {
    let folder = "\(path)/documents"
    var (data, parity) = (0, 0)
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
      let size = Self.dataSize(of: bytes) ?? bytes.count
      (data, parity) = (data + size, parity + bytes.count - size)
    }
    return (data, parity)
  }

  /// Bytes in all checkpoints.
  func checkpointBytes() throws -> Int { try bytes(ending: ".checkpoint") }

  /// Bytes of the files whose names have this ending.
  func bytes(ending: String) throws -> Int {
    let folder = "\(path)/documents"
    return try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(ending) }
      .reduce(0) { $0 + (FileManager.default.contents(atPath: "\(folder)/\($1)")?.count ?? 0) }
  }

  /// What the header at the end of a parity area says of the segment before it; nil without one.
  private static func dataSize(of file: Data) -> Int? {
    let header = Array(file.suffix(64))
    guard header.starts(with: [0x89, 0x45, 0x4C, 0x50, 0x0D, 0x0A, 0x1A, 0x0A]) else { return nil }
    return header[8..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
