import Glibc

/// A call of the kernel that failed.
package struct SandboxError: Error, Hashable, CustomStringConvertible {
  package var call: String
  /// As in errno(3).
  package var code: Int32

  package var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// Why a program cannot be restricted where it runs. It can run without that.
package enum SandboxGap: Hashable, Sendable, CustomStringConvertible {
  /// The system call does not exist here (`ENOSYS`). It is in Linux from the release `since` on.
  case unknownCall(String, since: String)
  /// The kernel has Landlock, and it is switched off (`EOPNOTSUPP`).
  case landlockOff
  /// The kernel's Landlock cannot allow renames between folders.
  case oldLandlock(version: Int)
  /// The kernel was built without filters of system calls (`EINVAL`).
  case noFilters
  /// There is no list of system calls for this processor.
  case otherProcessor
  /// The call is refused (`EPERM`, `EACCES`), as by a filter of system calls that is in force already.
  case refused(SandboxError)

  /// The gap for an error of a call of Landlock. Nil if it is no gap.
  init?(landlock error: SandboxError) {
    switch error.code {
    case ENOSYS: self = .unknownCall(error.call, since: "5.13")
    case EOPNOTSUPP: self = .landlockOff
    default: self.init(refused: error)
    }
  }

  /// The gap for an error of seccomp(2). Nil if it is no gap.
  init?(filter error: SandboxError) {
    switch error.code {
    case ENOSYS: self = .unknownCall(error.call, since: "3.17")
    case EINVAL: self = .noFilters
    default: self.init(refused: error)
    }
  }

  private init?(refused error: SandboxError) {
    guard error.code == EPERM || error.code == EACCES else { return nil }
    self = .refused(error)
  }

  /// The reason, and what to do.
  package var description: String {
    switch self {
    case .unknownCall(let call, let since):
      """
      there is no system call \(call) here; Linux has it since \(since), and the filter of a container \
      may hide it
      """
    case .landlockOff:
      "Landlock is switched off in this kernel; start Linux with landlock in its parameter lsm="
    case .oldLandlock(let version):
      """
      the kernel has Landlock \(version), which cannot allow renames between folders; Linux has \
      Landlock 2 since 5.19
      """
    case .noFilters: "the kernel has no seccomp filters; they are its option CONFIG_SECCOMP_FILTER"
    case .otherProcessor: "there is no list of system calls for this processor"
    case .refused(let error):
      """
      \(error.call) is refused (\(String(cString: strerror(error.code)))), as by a filter of system \
      calls; under systemd, add SystemCallFilter=\(error.call) to the unit
      """
    }
  }
}
