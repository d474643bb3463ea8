import CLinux
import Glibc

/// What a process leaves when it crashes. Its memory has the texts of documents.
package enum CrashOutput {
  /// The signals for which the Swift runtime prints a backtrace.
  private static let signals = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

  /// Forbids core files, the debuggers of this user, and the backtraces of the Swift runtime, which print
  /// registers and the memory that they point at. If `SWIFT_BACKTRACE` is in the environment, that
  /// decides about backtraces. Must be called before there is text in memory.
  package static func forbid() {
    // The limit does not stop a program that takes the core file through a pipe.
    _ = linux_not_dumpable()
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    guard getenv("SWIFT_BACKTRACE") == nil else { return }
    for number in signals { signal(number, SIG_DFL) }
  }
}
