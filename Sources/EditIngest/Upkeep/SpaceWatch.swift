import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import Glibc
import Logging

/// Whether the store had space for the last write, and what is said about it.
struct SpaceWatch {
  /// The smallest size of a write, in bytes: a block of a file system.
  private static let sizeMin = 4 << 10

  private let store: String
  private let clock: any WallClock
  private let logger: Logger
  /// The time of the first write that failed, and the size of the last one in bytes. Nil if the last write
  /// succeeded.
  private var shortage: (since: Timestamp, neededSize: Int)?

  /// - Parameter store: The path of the store's folder.
  init(_ store: String, _ clock: any WallClock, _ logger: Logger) {
    (self.store, self.clock, self.logger) = (store, clock, logger)
  }

  /// Records that there was no space for a write of `size` bytes.
  mutating func noteShortage(of size: Int) {
    let isNew = shortage == nil
    shortage = (shortage?.since ?? clock.now(), max(size, Self.sizeMin))
    if isNew { logger.warning("\(message)") }
  }

  /// Records that a write succeeded, so the disk is not full any more.
  mutating func noteSpace() {
    guard shortage != nil else { return }
    shortage = nil
    logger.notice("the store has space again")
  }

  /// The writer's error as the answer to a refused request.
  func refusal(_ error: LogError) -> ProtocolError {
    guard case .noSpace = error, shortage != nil else { return ProtocolError(error) }
    return ProtocolError(
      .noSpace, "\(message); free some space, then send this again",
      details: ["missingBytes": JSON(missingSize)])
  }

  /// The shortage, for the answer to `status`. Nil if there is none.
  var shown: ShownShortage? {
    shortage.map { ShownShortage(since: $0.since, missingSize: missingSize, message: message) }
  }

  private var message: String {
    """
    the store at \(store.shown) has no space: at least \(missingSize) more bytes are needed; \
    edits are refused until there is space, and nothing that was acknowledged is lost
    """
  }

  /// The bytes that the disk lacks for the last write. If the disk has enough, as with a quota, all
  /// bytes of the write.
  private var missingSize: Int {
    let needed = shortage?.neededSize ?? 0
    var disk = statvfs()
    guard statvfs(store, &disk) == 0 else { return needed }
    let (free, isHuge) = Int(clamping: disk.f_bavail)
      .multipliedReportingOverflow(by: Int(clamping: disk.f_frsize))
    guard !isHuge else { return needed }
    return free < needed ? needed - free : needed
  }
}
