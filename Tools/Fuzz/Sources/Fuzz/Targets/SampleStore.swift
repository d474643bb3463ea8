import EditLog
import EditModel
import TestSupport

/// A small store on a simulated disk. All have the same name, so that a file of one is at home
/// in another.
struct SampleStore: Sendable {
  static let journal = "/store/journal/00000000000000000002.journal"
  static let folder = "/store/documents/00000000000000000001"
  static let segment = folder + "/00000000000000000001.segment"
  static let checkpoint = folder + "/00000000000000000040.checkpoint"
  static let name = folder + "/name"
  static let format = "/store/format"
  static let documents = [EditLogName.a, EditLogName.b]

  private let snapshot: SimulatedFileSystem.Snapshot
  /// A copy of the disk.
  var disk: SimulatedFileSystem { SimulatedFileSystem(snapshot) }

  /// A document with a segment of two blocks, compacted where `isCompacted`, and a checkpoint;
  /// then entries of it and of another in the second journal.
  init(seed: UInt64, isCompacted: Bool = false, count: Int = 60) {
    let disk = SimulatedFileSystem()
    do {
      var source = EntrySource(seed: seed)
      var writer = try openWriter(disk)
      _ = try writer.append([(EditLogName.a, source.entries(of: EditLogName.a, count: count))])
      try writer.seal(EditLogName.a)
      if isCompacted, let job = try writer.prepareCompaction(EditLogName.a) {
        job.run()
        try writer.finish(job)
      }
      try writer.writeCheckpoint(EditLogName.a, at: 40, Array("the state after edit 40".utf8))
      try writer.close()
      writer = try openWriter(disk, seed: 2)
      for document in [EditLogName.a, EditLogName.b, EditLogName.a] {
        _ = try writer.append([(document, source.entries(of: document, count: 3))])
      }
      try writer.close()
    } catch { contradiction("no sample store: \(error)") }
    snapshot = disk.snapshot
  }
}

/// The names of the documents in sample stores.
enum EditLogName {
  static let a = name("a")
  static let b = name("b")
}
