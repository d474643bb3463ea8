import Synchronization

/// Memory that was taken for the work on an answer, and for what is kept of it for the next part. It is
/// given back with the last reference.
package final class AnswerMemory: Sendable {
  private let bytes: Atomic<Int>
  private let giveBack: @Sendable (Int) -> Void

  /// `size` bytes. `giveBack` is called once, unless they are none.
  package init(_ size: Int, giveBack: @escaping @Sendable (Int) -> Void) {
    bytes = Atomic(size)
    self.giveBack = giveBack
  }

  deinit {
    let size = handOver()
    if size > 0 { giveBack(size) }
  }

  /// Bytes.
  package var size: Int { bytes.load(ordering: .relaxed) }

  /// Leaves the bytes to the caller, which has to give them back.
  package func handOver() -> Int { bytes.exchange(0, ordering: .relaxed) }
}
