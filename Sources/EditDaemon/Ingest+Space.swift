import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import Glibc
import Logging

/// The store had no room for the last write.
struct Shortage {
  /// When that began.
  let since: Timestamp
  /// The bytes that the last write needed.
  var neededSize: Int
}

extension Ingest {
  /// The bytes that any write needs: a block of a file system.
  private static let sizeMin = 4 << 10

  /// A write had no room.
  ///
  /// - Parameter size: The bytes that it needed.
  func noteShortage(of size: Int) {
    let size = max(size, Self.sizeMin)
    if shortage == nil {
      shortage = Shortage(since: clock.now(), neededSize: size)
      logger.warning("\(shortageMessage)")
    }
    shortage?.neededSize = size
  }

  /// Something was written: the disk is not full any more.
  func noteRoom() {
    guard shortage != nil else { return }
    shortage = nil
    logger.notice("the store has room again")
  }

  /// A store's error for the client whose request was refused.
  func refusal(_ error: LogError) -> ProtocolError {
    guard case .noSpace = error, shortage != nil else { return ProtocolError(error) }
    return ProtocolError(
      .noSpace, "\(shortageMessage); free some, then send this again",
      details: ["missingBytes": JSON(missingSize)])
  }

  /// What a status says of a full store; nil if the last write had room.
  var shownShortage: ShownShortage? {
    shortage.map {
      ShownShortage(since: $0.since, missingSize: missingSize, message: shortageMessage)
    }
  }

  private var shortageMessage: String {
    """
    the store at \(options.store.shown) has no room: at least \(missingSize) bytes more are needed; \
    edits are refused until there is room, and nothing that was acknowledged is lost
    """
  }

  /// The bytes that the last write needed and the disk has not; all that it needed if the disk has
  /// them, as with a quota.
  private var missingSize: Int {
    let needed = shortage?.neededSize ?? 0
    var disk = statvfs()
    guard statvfs(options.store, &disk) == 0 else { return needed }
    let (free, isHuge) = Int(clamping: disk.f_bavail)
      .multipliedReportingOverflow(by: Int(clamping: disk.f_frsize))
    guard !isHuge else { return needed }
    return free < needed ? needed - free : needed
  }
}
