import TestSupport

/// A store's `format` file, or a document's `name`.
struct SmallFileTarget: Target {
  private let store = SampleStore(seed: 1)
  var format: (any Format)? { SmallFileFormat() }

  func seeds() -> [[UInt8]] {
    [SampleStore.name, SampleStore.format].compactMap { store.disk[$0] }
  }

  func run(_ bytes: [UInt8]) {
    let disk = store.disk
    disk[SmallFileFormat.isName(bytes) ? SampleStore.name : SampleStore.format] = bytes
    StoreReading.check(disk, with: bytes)
  }
}
