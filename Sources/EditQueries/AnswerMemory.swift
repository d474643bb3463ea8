/// Memory that was taken for the work on an answer, and for what is kept of it for the next part. It is
/// given back with the last reference.
package final class AnswerMemory: Sendable {
  /// Bytes.
  package let size: Int
  private let giveBack: @Sendable (Int) -> Void

  /// `size` bytes. `giveBack` is called once, unless they are none.
  package init(_ size: Int, giveBack: @escaping @Sendable (Int) -> Void) {
    (self.size, self.giveBack) = (size, giveBack)
  }

  deinit { if size > 0 { giveBack(size) } }
}
