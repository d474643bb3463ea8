import EditModel
import Replay
import TestSupport
import TextState

/// States with text, paragraphs and attributes.
enum StateSeeds {
  static var encoded: [[UInt8]] {
    (UInt64(1)...3).map { seed in
      var state = TextState()
      for edit in MixedHistory(seed: seed, editCount: 40).edits {
        _ = try? state.apply(edit.action)
      }
      return CheckpointCodec.encode(state)
    }
  }
}
