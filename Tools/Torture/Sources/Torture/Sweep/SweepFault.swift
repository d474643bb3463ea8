import Glibc
import TestSupport

/// A way in which an operation fails.
enum SweepFault: CaseIterable {
  case inputOutput, noSpace, quota, interrupted, descriptors, short, stopBefore, stopAfter

  /// A stop is for ever anyway.
  var canBeForEver: Bool { self != .stopBefore && self != .stopAfter }

  /// True where the process ends there.
  var isStop: Bool { self == .stopBefore || self == .stopAfter }

  func plan(first: Int, forEver: Bool) -> FaultyFileSystem.Plan {
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code) = (first, forEver || isStop, code)
    plan.failuresAreShortWrites = self == .short
    plan.failedSyncsLoseBytes = !isStop
    return plan
  }

  private var code: Int32 {
    switch self {
    case .noSpace: ENOSPC
    case .quota: EDQUOT
    case .interrupted: EINTR
    case .descriptors: EMFILE
    default: EIO
    }
  }
}

/// What is under way when it fails.
enum SweepJob: CaseIterable {
  case open, append, roll, seal, checkpoint, recovery, close
}
