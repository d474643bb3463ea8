import EditClient
import EditModel
import EditProtocol

// Edits that the daemon has not received yet. They are in spool files of editors' bridges, outside
// of the store.
extension StatusCommand {
  /// The spool files with unsent edits.
  static func spools(_ session: Session) -> [WaitingSpool] {
    session.spoolFolder.map { WaitingSpool.all(in: $0) } ?? []
  }

  /// The line about a spool file.
  static func line(_ spool: WaitingSpool, _ session: Session) -> String {
    let count = Numbers.grouped(Int64(spool.requestCount))
    let deliverer = spool.isHeld ? "a running editor" : "the next editor that starts"
    return "waiting: \(count) message\(spool.requestCount == 1 ? "" : "s")"
      + " (\(Numbers.size(Int64(spool.size)))) in \(Excerpt.line(spool.path, width: nil)),"
      + " last written \(session.localTime(spool.lastWrite));"
      + " \(deliverer) delivers \(spool.requestCount == 1 ? "it" : "them") to the daemon"
  }
}
