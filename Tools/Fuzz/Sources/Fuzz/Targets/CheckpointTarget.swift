import EditLog
import EditModel
import Replay
import TestSupport

/// A checkpoint's file in a store; bytes that are none, as the state that a checkpoint holds.
struct CheckpointTarget: Target {
  private let store = SampleStore(seed: 1)
  var format: (any Format)? { CheckpointFormat() }

  func seeds() -> [[UInt8]] {
    [SampleStore.checkpoint].compactMap { store.disk[$0] } + StateSeeds.encoded
  }

  func run(_ bytes: [UInt8]) {
    guard bytes.starts(with: CheckpointFormat.magic) else { return decode(bytes) }
    let disk = store.disk
    disk[SampleStore.checkpoint] = bytes
    StoreReading.check(disk, with: bytes)
  }

  /// What decodes has one encoding, which decodes to the same.
  private func decode(_ bytes: [UInt8]) {
    guard let state = try? CheckpointCodec.decode(bytes) else { return }
    let encoded = CheckpointCodec.encode(state)
    guard let again = try? CheckpointCodec.decode(encoded) else {
      contradiction("a state's encoding does not decode")
    }
    if CheckpointCodec.encode(again) != encoded { contradiction("a state changes when encoded") }
  }
}
