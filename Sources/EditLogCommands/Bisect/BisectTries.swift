import EditJSON
import EditModel

/// The versions that `bisect` has tried.
struct BisectTries: Sendable {
  /// One run of the command.
  struct Try: Hashable, Sendable {
    let version: SequenceNumber
    /// The time of the version's last edit. Nil for version 0.
    let time: Timestamp?
    let verdict: Bisection.Verdict
    let ending: Trial.Ending
  }

  /// The tries, in order.
  private(set) var all: [Try] = []
  private let width: Int

  /// No tries. `lastVersion` is the largest version that can follow.
  init(lastVersion: SequenceNumber) { width = "\(lastVersion)".count }

  mutating func append(_ next: Try) { all.append(next) }

  /// The number of versions that were skipped.
  var skippedCount: Int { all.count { $0.verdict == .skipped } }

  /// Prints the last try: `good  1234  2026-11-20 15:04:05  56 edits left, about 6 runs`. `left` is the
  /// number of edits between the versions that are known to be good and bad.
  func noteLast(left: SequenceNumber?, _ session: Session) {
    guard let last = all.last else { return }
    var line = [last.verdict == .skipped ? "skip" : last.verdict.rawValue.padded(to: 4)]
    line.append("\(last.version)".padded(to: width))
    line.append(last.time.map { session.localTime($0) } ?? "the empty document")
    if last.ending == .tookTooLong { line.append("took too long") }
    if let left, left > 1 {
      let runs = SequenceNumber.bitWidth - (left - 1).leadingZeroBitCount
      line.append(
        "\(Numbers.grouped(left)) edits left, about \(runs) \(runs == 1 ? "run" : "runs")")
    }
    session.note(line.joined(separator: "  "))
  }
}
