import Glibc

/// How many files the process may have open.
enum Descriptors {
  /// Those of the store, the threads and the listener, with room for jobs and questions.
  private static let ownCount = 48
  /// Fewer connections than this are not worth a daemon.
  private static let connectionCountMin = 8

  /// Raises the limit to the highest that the system allows, and lowers the counts of connections
  /// to what fits into it.
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
    limits.leavingCountMax = min(limits.leavingCountMax, room / 4)
    limits.connectionCountMax = min(limits.connectionCountMax, room - limits.leavingCountMax)
  }
}
