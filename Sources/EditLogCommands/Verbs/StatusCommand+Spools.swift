import EditModel
import EditProtocol
import EditSpool

// Edits that the daemon has not received yet. They are in spool files of editors' bridges, outside
// of the store.
extension StatusCommand {
  /// The spool files with unsent edits.
  static func spools(_ session: Session) -> [WaitingSpool] {
    session.spoolFolder.map { WaitingSpool.all(in: $0) } ?? []
  }

  /// The line about a spool file.
  static func line(_ spool: WaitingSpool, _ status: StatusAnswer, _ session: Session) -> String {
    let count = Numbers.grouped(Int64(spool.requestCount))
    let outlook =
      if !spool.isFor(storeAt: status.path), let store = spool.store {
        "a daemon of the store \(Excerpt.line(store, width: nil)), and no other, logs"
      } else if spool.isHeld {
        "a running editor sends"
      } else if status.daemon != nil {
        "the daemon logs"
      } else {
        "the daemon, when it starts, logs"
      }
    return "waiting: \(count) message\(spool.requestCount == 1 ? "" : "s")"
      + " (\(Numbers.size(Int64(spool.size)))) in \(Excerpt.line(spool.path, width: nil)),"
      + " last written \(session.localTime(spool.lastWrite));"
      + " \(outlook) \(spool.requestCount == 1 ? "it" : "them")"
  }

  /// The line about a spool that the daemon does not deliver.
  static func line(_ spool: RefusedSpool) -> String {
    "not delivered: \(Excerpt.line(spool.path, width: nil)): "
      + Excerpt.line(spool.message, width: nil)
  }
}
