import EditLog
import EditModel
import TestSupport

/// A parsed journal: a header and batches. Writing it renumbers and rechains the batches.
struct JournalParts {
  var header: [UInt8]
  /// Each with the 64 bytes of its header.
  var batches: [[UInt8]] = []
  private let size: Int
  private let previous: [UInt8]
  private let first: Int

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 128, bytes[64] == 0x89 else { return nil }
    (header, size) = (Array(bytes[..<64]), bytes.count)
    (previous, first) = (Array(bytes[88..<120]), bytes.number(at: 72, size: 8))
    var offset = 64
    while offset + 64 <= bytes.count, bytes[offset] == 0x89 {
      let end = offset + 64 + bytes.number(at: offset + 16, size: 4)
      guard end <= bytes.count else { return nil }
      batches.append(Array(bytes[offset..<end]))
      offset = end
    }
  }

  func file(store: StoreID) -> [UInt8] {
    var (bytes, hash) = (header, previous)
    for (index, batch) in batches.enumerated() {
      var batch = batch
      batch.put(UInt64(first + index), at: 8, size: 8)
      batch.put(UInt64(batch.count - 64), at: 16, size: 4)
      batch.replaceSubrange(24..<56, with: hash)
      batch.seal(64..<batch.count, at: 56)
      batch.seal(0..<60, at: 60, from: CRC32C.checksum(store.bytes))
      hash = SHA256.hash(batch)
      bytes += batch
    }
    return bytes + [UInt8](repeating: 0, count: max(0, size - bytes.count))
  }
}

extension ForgeTarget {
  static let journals: [ForgeTarget] = [
    journal("batch-record") { parts, random in
      let full = parts.batches.indices.filter { parts.batches[$0].count > 64 }
      guard let batch = random.pick(full) else { return }
      random.change(&parts.batches[batch], in: 64..<parts.batches[batch].count)
    },
    journal("batch-gone") { parts, random in
      parts.batches.remove(at: random.below(parts.batches.count))
    },
    journal("batches-gone-at-the-end") { parts, random in
      parts.batches.removeLast(1 + random.below(parts.batches.count))
    },
    journal("batches-swapped") { parts, random in
      parts.batches.swapAt(random.below(parts.batches.count), random.below(parts.batches.count))
    },
    journal("batch-twice") { parts, random in
      guard let batch = random.pick(parts.batches) else { return }
      parts.batches.insert(batch, at: random.below(parts.batches.count + 1))
    },
    ForgeTarget(name: "journal-of-another-life") { store, random in
      guard let path = random.pick(store.paths(".journal")), let bytes = store.otherLife[path]
      else { return nil }
      return Forgery("all", path, bytes)
    },
    ForgeTarget(name: "journal-header") { store, random in
      guard let path = random.pick(store.paths(".journal")), var bytes = store.files[path] else {
        return nil
      }
      random.change(&bytes, in: 8..<60)
      bytes.seal(0..<60, at: 60)
      return Forgery("the header", path, bytes)
    },
    ForgeTarget(name: "journal-end") { store, random in
      guard let path = random.pick(store.paths(".journal")), var bytes = store.files[path] else {
        return nil
      }
      bytes += [UInt8](repeating: 0, count: random.below(600)) + [UInt8(1 + random.below(255))]
      return Forgery("bytes after the end", path, bytes, mustBeFound: true)
    },
  ]

  /// A change of a journal's batches. The mark is made to fit, so that nothing else tells.
  private static func journal(
    _ name: String, _ change: @escaping @Sendable (inout JournalParts, inout SplitMix64) -> Void
  ) -> ForgeTarget {
    ForgeTarget(name: name) { store, random in
      guard let path = random.pick(store.paths(".journal")), let bytes = store.files[path],
        var parts = JournalParts(bytes), !parts.batches.isEmpty
      else { return nil }
      guard var mark = MarkParts(store) else { return nil }
      let count = parts.batches.count
      change(&parts, &random)
      mark[.batch] = UInt64(max(0, Int(mark[.batch]) + parts.batches.count - count))
      return Forgery(
        name, files: [path: parts.file(store: store.id), MarkParts.path: mark.file])
    }
  }
}
