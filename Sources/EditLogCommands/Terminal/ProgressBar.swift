import EditModel

/// A bar on standard error that shows the progress of an import, if standard error is a terminal.
package final class ProgressBar {
  private let session: Session
  private let start = SystemTime.monotonicNanoseconds
  private var lastShown: Int64 = 0
  private static let (width, pause) = (28, Int64(50_000_000))

  package init(_ session: Session) { self.session = session }

  /// Shows the part of the input that was sent, 0 to 1, and the number of acknowledged edits.
  package func show(_ done: Double, edits: UInt64) {
    let now = SystemTime.monotonicNanoseconds
    guard session.isWatched, now - lastShown >= Self.pause else { return }
    lastShown = now
    let rate = Double(edits) / (Double(max(now - start, 1)) / 1e9)
    draw(
      "\r\(Self.bar(done)) \(Int(min(max(done, 0), 1) * 100)) %  \(Numbers.grouped(edits)) edits, "
        + "\(Numbers.decimal(rate, 0))/s\u{1B}[K")
  }

  /// Erases the bar.
  package func end() {
    if session.isWatched, lastShown > 0 { draw("\r\u{1B}[K") }
  }

  /// The bar alone.
  static func bar(_ done: Double) -> String {
    let filled = Int((min(max(done, 0), 1) * Double(width)).rounded(.down))
    return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
  }

  private func draw(_ text: String) {
    // If the bar cannot be drawn, the import continues.
    try? session.diagnostics.write(text)
    try? session.diagnostics.flush()
  }
}
