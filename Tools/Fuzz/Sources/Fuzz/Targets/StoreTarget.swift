import EditLog
import EditModel
import TestSupport

/// A file of a store: read, verified, opened for writing, mended, appended to, sealed, and read
/// again.
struct StoreTarget: Target {
  enum Kind { case journal, segment }

  private let kind: Kind
  private let store = SampleStore(seed: 1)
  var format: (any Format)? { kind == .journal ? JournalFormat() : SegmentFormat() }

  init(_ kind: Kind) { self.kind = kind }

  private var path: String { kind == .journal ? SampleStore.journal : SampleStore.segment }

  func seeds() -> [[UInt8]] {
    let stores =
      kind == .journal
      ? (UInt64(1)...4).map { SampleStore(seed: $0) }
      : (UInt64(1)...4).map {
        SampleStore(seed: $0, isCompacted: $0 % 2 == 0, count: $0 == 4 ? 300 : 60)
      }
    return stores.map { $0.disk[path] ?? [] }
  }

  func run(_ bytes: [UInt8]) {
    let disk = store.disk
    disk[path] = bytes
    StoreReading.check(disk, with: bytes)
  }
}
