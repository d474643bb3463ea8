import EditLog
import EditModel
import TestSupport

/// A store whose documents have attachments, as a kill or a stop leaves it.
struct AttachmentStore {
  /// An attachment that was acknowledged.
  struct Known {
    let document: DocumentID
    let digest: AttachmentDigest
    let content: [UInt8]
    let path: String
  }

  let snapshot: SimulatedFileSystem.Snapshot
  let seed: UInt64
  private(set) var known: [Known] = []

  init(seed: UInt64) throws {
    self.seed = seed
    let disk = SimulatedFileSystem()
    var random = SplitMix64(seed: seed)
    var source = EntrySource(seed: seed)
    let writer = try openWriter(disk, seed: seed)
    for (index, letter) in ["a", "b", "c"].enumerated() {
      let document = name(letter)
      _ = try writer.append([(document, source.entries(of: document, count: 4 + random.below(30)))])
      if random.below(2) == 0 { try writer.seal(document) }
      for count in 0..<random.below(4) {
        // Documents may have the same one.
        let content = Array("\(count) of \(random.below(2) == 0 ? letter : "all")".utf8)
        guard let stored = try writer.attach(content, to: document)?.attachment else { continue }
        let folder = "/store/documents/0000000000000000000\(index + 1)"
        known.append(
          Known(
            document: document, digest: stored.digest, content: content,
            path: "\(folder)/\(stored.digest).attachment"))
      }
    }
    if random.below(2) == 0 { try writer.close() }
    snapshot = disk.snapshot
  }
}
