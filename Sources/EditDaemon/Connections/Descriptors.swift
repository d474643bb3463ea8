import Glibc

/// How many files the process may have open.
enum Descriptors {
  /// Those of the store, the threads and the listener, with room for jobs and questions.
  private static let ownCount = 48
  /// Fewer connections than this are not worth a daemon.
  private static let connectionCountMin = 8

  /// Raises the limit as far as the system lets it be, and gives how many connections fit into
  /// it, at most `count`.
  ///
  /// - Throws: `DaemonError.tooFewDescriptors`.
  static func room(for count: Int) throws(DaemonError) -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return count }
    let wanted = rlim_t(count + ownCount + Doorkeeper.leavingCountMax)
    if limit.rlim_cur < wanted, limit.rlim_cur < limit.rlim_max {
      var raised = limit
      raised.rlim_cur = min(wanted, limit.rlim_max)
      if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
    }
    let fit = Int(clamping: limit.rlim_cur) - ownCount
    guard fit >= connectionCountMin else {
      throw .tooFewDescriptors(
        limit: Int(clamping: limit.rlim_cur), needed: ownCount + connectionCountMin)
    }
    return min(count, max(connectionCountMin, fit - min(fit / 4, Doorkeeper.leavingCountMax)))
  }
}
