import CLinux
import Glibc

/// The system calls that a program may make, by seccomp: see seccomp(2). Other calls fail with `ENOSYS`, as
/// on a kernel that does not have them, and sockets of other families than Unix with `EAFNOSUPPORT`.
package enum CallFilter {
  /// The system call that `enter` makes.
  package static let call = "seccomp"

  /// The number of calls that are allowed.
  package static var count: Int { allowed.count + 1 }

  /// What the daemon calls after its start: itself, the C library, the Swift runtime, SwiftNIO and Dispatch.
  private static let allowed: [Int32] = files + sockets + waiting + threads + memory + old

  private static let files: [Int32] = [
    SYS_openat, SYS_close, SYS_read, SYS_write, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_lseek,
    SYS_fstat, SYS_newfstatat, SYS_statfs, SYS_getdents64, SYS_mkdirat, SYS_unlinkat, SYS_renameat,
    SYS_ftruncate, SYS_fallocate, SYS_fsync, SYS_fdatasync, SYS_fcntl, SYS_pipe2,
    SYS_inotify_init1, SYS_inotify_add_watch,
  ]

  /// Without `socket`, which has a rule of its own. Of messages, only those to the service manager and to
  /// the journal are sent.
  private static let sockets: [Int32] = [
    SYS_bind, SYS_listen, SYS_accept4, SYS_connect, SYS_getsockname, SYS_getpeername,
    SYS_getsockopt, SYS_setsockopt, SYS_shutdown, SYS_sendto,
  ]

  /// SwiftNIO and Dispatch wait in epoll; the times are of kernels without a vDSO.
  private static let waiting: [Int32] = [
    SYS_epoll_create1, SYS_epoll_ctl, SYS_eventfd2, SYS_timerfd_create, SYS_timerfd_settime,
    SYS_clock_gettime, SYS_clock_nanosleep, SYS_restart_syscall,
  ]

  /// With `clone` for kernels and containers without `clone3`, and `tgkill` for the end by `abort()`.
  private static let threads: [Int32] = [
    SYS_clone, SYS_clone3, SYS_exit, SYS_exit_group, SYS_futex, SYS_set_robust_list, SYS_rseq,
    SYS_gettid, SYS_getpid, SYS_geteuid, SYS_tgkill, SYS_setpriority, SYS_sched_getaffinity,
    SYS_sched_yield, SYS_prctl, SYS_prlimit64, SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
  ]

  private static let memory: [Int32] = [
    SYS_brk, SYS_mmap, SYS_mprotect, SYS_mremap, SYS_munmap, SYS_madvise, SYS_getrandom,
  ]

  #if arch(x86_64)
    /// Older forms of calls, which the C library uses on this processor.
    private static let old: [Int32] = [
      SYS_access, SYS_alarm, SYS_chmod, SYS_epoll_create, SYS_epoll_wait, SYS_mkdir, SYS_readlink,
      SYS_rename, SYS_unlink,
    ]
    private static let architecture = UInt32(0xC000_003E)
  #elseif arch(arm64)
    /// The forms of the same calls on this processor.
    private static let old: [Int32] = [
      SYS_faccessat, SYS_setitimer, SYS_fchmodat, SYS_epoll_pwait, SYS_readlinkat,
    ]
    private static let architecture = UInt32(0xC000_00B7)
  #else
    private static let old: [Int32] = []
    /// No processor: `enter` restricts nothing.
    private static let architecture: UInt32? = nil
  #endif

  /// Restricts all threads of this process, and all that they create, for good; or only this thread.
  ///
  /// - Returns: Why it is not possible here: then nothing is restricted. Nil if it is done.
  /// - Throws: `SandboxError`; then nothing is restricted.
  package static func enter(onlyThisThread: Bool = false) throws(SandboxError) -> SandboxGap? {
    guard let architecture = Optional(architecture) else { return .otherProcessor }
    guard linux_no_new_privileges() == 0 else { throw SandboxError(call: "prctl", code: errno) }
    var program = program(for: architecture)
    let code = program.withUnsafeMutableBufferPointer { buffer in
      var filter = sock_fprog(len: UInt16(buffer.count), filter: buffer.baseAddress)
      let flags = onlyThisThread ? 0 : UInt32(SECCOMP_FILTER_FLAG_TSYNC)
      let result = linux_seccomp_filter(&filter, flags)
      // More than zero is the number of a thread that has another filter.
      return result < 0 ? errno : result > 0 ? EBUSY : 0
    }
    guard code != 0 else { return nil }
    let error = SandboxError(call: call, code: code)
    guard let gap = SandboxGap(filter: error) else { throw error }
    return gap
  }

  /// The filter, a program of classic BPF over `struct seccomp_data`: number of the call at 0, processor
  /// at 4, arguments from 16 on.
  private static func program(for architecture: UInt32) -> [sock_filter] {
    func load(_ offset: UInt32) -> sock_filter {
      sock_filter(code: UInt16(BPF_LD | BPF_W | BPF_ABS), jt: 0, jf: 0, k: offset)
    }
    /// Skips `isEqual` instructions, or `isOther`.
    func compare(_ value: UInt32, isEqual: UInt8, isOther: UInt8) -> sock_filter {
      sock_filter(code: UInt16(BPF_JMP | BPF_JEQ | BPF_K), jt: isEqual, jf: isOther, k: value)
    }
    func end(_ action: UInt32) -> sock_filter {
      sock_filter(code: UInt16(BPF_RET | BPF_K), jt: 0, jf: 0, k: action)
    }
    let allow = end(UInt32(SECCOMP_RET_ALLOW))
    func refuse(_ code: Int32) -> sock_filter { end(UInt32(SECCOMP_RET_ERRNO) | UInt32(code)) }
    var program = [
      load(4), compare(architecture, isEqual: 1, isOther: 0), refuse(ENOSYS), load(0),
      compare(UInt32(SYS_socket), isEqual: 0, isOther: 4), load(16),
      compare(UInt32(AF_UNIX), isEqual: 0, isOther: 1), allow, refuse(EAFNOSUPPORT),
    ]
    for number in allowed {
      program += [compare(UInt32(number), isEqual: 0, isOther: 1), allow]
    }
    return program + [refuse(ENOSYS)]
  }
}
