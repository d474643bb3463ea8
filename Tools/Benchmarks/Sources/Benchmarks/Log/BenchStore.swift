import EditLog
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
  func writer(_ options: StoreWriter.Options = .init()) throws -> StoreWriter {
    try StoreWriter(at: path, options: options)
  }

  /// Opens the store for reading, and the document in it.
  func history() throws -> History {
    guard let history = try Store.open(at: path).history(of: document) else {
      throw CommandError.data("\(path): no document")
    }
    return history
  }

  /// Appends entries in batches of `batchCount`, and seals behind each `sealCount`; nil seals not.
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

  /// Bytes in all files of the documents, the journal left out.
  func sealedBytes() throws -> Int {
    let folder = "\(path)/documents"
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
    return names.reduce(0) { sum, name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
      return sum + TraceFile.size(of: "\(folder)/\(name)")
    }
  }
}

extension StoreWriter.Options {
  /// As a history that rests is packed.
  static var compacted: Self {
    var options = Self()
    (options.blockEditCountMax, options.level) = (1 << 15, 19)
    return options
  }
}
