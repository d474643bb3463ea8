import Glibc

/// The limit of the process's open files.
enum Descriptors {
  /// Descriptors of the store, the threads, the listening socket, the jobs and the questions.
  private static let ownCount = 48
  /// Those of them that no connection ever takes, so that the store's jobs can open their files.
  private static let reservedCount = 16
  /// The minimum number of connections.
  private static let connectionCountMin = 8

  /// Raises the limit as far as needed and allowed, and reduces the numbers of connections to fit it.
  ///
  /// - Throws: `DaemonError.tooFewDescriptors`.
  static func fit(_ limits: inout DaemonLimits) throws(DaemonError) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let wanted = rlim_t(limits.connectionCountMax + limits.leavingCountMax + ownCount)
    if limit.rlim_cur < wanted, limit.rlim_cur < limit.rlim_max {
      var raised = limit
      raised.rlim_cur = min(wanted, limit.rlim_max)
      if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
    }
    let room = Int(clamping: limit.rlim_cur) - ownCount
    guard room >= connectionCountMin else {
      throw .tooFewDescriptors(
        limit: Int(clamping: limit.rlim_cur), needed: ownCount + connectionCountMin)
    }
    // Each new descriptor has the lowest number that is free.
    limits.descriptorMax = Int(clamping: limit.rlim_cur) - reservedCount
    limits.leavingCountMax = min(limits.leavingCountMax, room / 4)
    limits.connectionCountMax = min(limits.connectionCountMax, room - limits.leavingCountMax)
  }
}
