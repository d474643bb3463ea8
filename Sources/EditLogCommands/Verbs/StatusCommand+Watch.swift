import EditClient
import EditModel
import EditProtocol

// `--watch`: the status on a terminal, as it is now.
extension StatusCommand {
  /// Shows the status `count` times, with pauses. Without a daemon or a store, shows the reason instead.
  func watch(
    _ session: Session, count: Int = .max, pause: Duration = .seconds(1)
  ) async throws {
    guard session.width != nil else {
      throw CommandError.usage("--watch needs a terminal; without it the status is printed once")
    }
    var last: (edits: UInt64, time: Int64)?
    for round in 0..<count {
      let text: String
      do {
        let status = try await session.backend.ask(StatusRequest())
        let now = SystemTime.monotonicNanoseconds
        let rate = last.map { Self.rate(from: $0.edits, to: status.editCount, in: now - $0.time) }
        text = Self.text(status, Self.spools(session), session, rate: rate)
        last = (status.editCount, now)
      } catch let error as ProtocolError {
        text = session.style.paint(Excerpt.line(error.message, width: nil), .bad) + "\n"
        last = nil
      }
      // From the top, each line up to its end, then what is below: nothing flickers.
      let lines = text.split(separator: "\n").map { $0 + "\u{1B}[K\n" }.joined()
      try session.output.write((round == 0 ? "\u{1B}[2J" : "") + "\u{1B}[H\(lines)\u{1B}[J")
      try session.output.flush()
      try await Task.sleep(for: pause)
    }
  }

  /// Edits per second. 0 if a document was forgotten meanwhile.
  static func rate(from old: UInt64, to new: UInt64, in nanoseconds: Int64) -> UInt64 {
    guard new > old else { return 0 }
    return UInt64((Double(new - old) / (Double(max(nanoseconds, 1)) / 1e9)).rounded())
  }
}
