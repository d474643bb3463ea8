import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import Glibc
import Logging

/// The store had no space for the last write.
struct Shortage {
  /// The time of the first write that failed.
  let since: Timestamp
  /// The size of the last write, in bytes.
  var neededSize: Int
}

extension Ingest {
  /// The smallest size of a write, in bytes: a block of a file system.
  private static let sizeMin = 4 << 10

  /// Records that there was no space for a write of `size` bytes.
  func noteShortage(of size: Int) {
    let size = max(size, Self.sizeMin)
    if shortage == nil {
      shortage = Shortage(since: clock.now(), neededSize: size)
      logger.warning("\(shortageMessage)")
    }
    shortage?.neededSize = size
  }

  /// Records that a write succeeded, so the disk is not full any more.
  func noteSpace() {
    guard shortage != nil else { return }
    shortage = nil
    logger.notice("the store has space again")
  }

  /// The writer's error as the answer to a refused request.
  func refusal(_ error: LogError) -> ProtocolError {
    guard case .noSpace = error, shortage != nil else { return ProtocolError(error) }
    return ProtocolError(
      .noSpace, "\(shortageMessage); free some space, then send this again",
      details: ["missingBytes": JSON(missingSize)])
  }

  /// The shortage, for the answer to `status`. Nil if there is none.
  var shownShortage: ShownShortage? {
    shortage.map {
      ShownShortage(since: $0.since, missingSize: missingSize, message: shortageMessage)
    }
  }

  private var shortageMessage: String {
    """
    the store at \(options.store.shown) has no space: at least \(missingSize) more bytes are needed; \
    edits are refused until there is space, and nothing that was acknowledged is lost
    """
  }

  /// The bytes that the disk lacks for the last write. If the disk has enough, as with a quota, all
  /// bytes of the write.
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
