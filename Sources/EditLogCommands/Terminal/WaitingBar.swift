import EditModel
import Synchronization

/// A bar on standard error that shows how far the answer to a question is, if standard error is a
/// terminal and the answer takes more than a second.
final class WaitingBar: Sendable {
  private let session: Session
  private let start = SystemTime.monotonicNanoseconds
  private let isShown = Mutex(false)
  private static let delay: Int64 = 1_000_000_000

  init(_ session: Session) { self.session = session }

  /// Shows the part of the answer that is done, 0 to 1.
  func show(_ done: Double) {
    guard session.isWatched, SystemTime.monotonicNanoseconds - start >= Self.delay else { return }
    isShown.withLock { isShown in
      isShown = true
      draw(
        "\r\(ProgressBar.bar(min(max(done, 0), 1))) \(Int(min(max(done, 0), 1) * 100)) %\u{1B}[K")
    }
  }

  /// Erases the bar.
  func end() {
    isShown.withLock { isShown in
      if isShown { draw("\r\u{1B}[K") }
      isShown = false
    }
  }

  private func draw(_ text: String) {
    // If the bar cannot be drawn, the question is still answered.
    try? session.diagnostics.write(text)
    try? session.diagnostics.flush()
  }
}
