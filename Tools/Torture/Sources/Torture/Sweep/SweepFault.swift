import Glibc
import TestSupport

/// A way in which an operation fails.
enum SweepFault: CaseIterable {
  case inputOutput, noSpace, quota, interrupted, descriptors, short, stopBefore, stopAfter
  /// A bit of a write changes silently on its way.
  case changedBit

  /// A stop is for ever anyway.
  var canBeForEver: Bool { !isStop && self != .changedBit }

  /// True if an operation can fail in this way. A changed bit is allowed only in bytes that are
  /// read back before they count: a segment under its temporary name.
  func concerns(_ operation: FaultyFileSystem.Operation) -> Bool {
    guard self == .changedBit else { return true }
    let name = operation.path.split(separator: "/").last ?? ""
    return operation.name == "write" && operation.path.contains("/documents/")
      && name.hasSuffix(".tmp") && name.dropLast(4).allSatisfy(\.isNumber)
  }

  /// True if the process ends there.
  var isStop: Bool { self == .stopBefore || self == .stopAfter }

  func plan(first: Int, forEver: Bool) -> FaultyFileSystem.Plan {
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code) = (first, forEver || isStop, code)
    plan.failuresAreShortWrites = self == .short
    plan.failuresAreChangedBits = self == .changedBit
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
