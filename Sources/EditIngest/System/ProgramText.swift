import CLinux
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// The pages of the program and its libraries that cannot be written. Most are used at the start only.
package enum ProgramText {
  /// The time without work after which the pages are released.
  private static let delay = TimeAmount.seconds(2)

  /// When the pages are to be released. Nil if no timer runs.
  private static let due = Mutex<NIODeadline?>(nil)

  /// Takes the pages out of the memory of the process, 2 seconds after the last call. Those that are
  /// used again are mapped again from the page cache.
  package static func releaseLater() {
    let isFirst = due.withLock { due in
      defer { due = .now() + delay }
      return due == nil
    }
    if isFirst { wait(until: .now() + delay) }
  }

  private static func wait(until deadline: NIODeadline) {
    MultiThreadedEventLoopGroup.singleton.any().scheduleTask(deadline: deadline) {
      let later = due.withLock { due in
        if let time = due, time > .now() { return time as NIODeadline? }
        due = nil
        return nil
      }
      if let later { wait(until: later) } else { release() }
    }
  }

  private static func release() {
    linux_for_each_program(
      { program, _, _ in
        guard let program = program?.pointee else { return 0 }
        let pageMask = UInt(sysconf(Int32(_SC_PAGESIZE))) - 1
        for index in 0..<Int(program.segment_count) {
          let segment = program.segments[index]
          // A segment that can be written holds relocated addresses, even where it is protected later.
          guard segment.p_type == UInt32(PT_LOAD), segment.p_flags & UInt32(PF_W) == 0 else {
            continue
          }
          let start = (UInt(program.address) + UInt(segment.p_vaddr)) & ~pageMask
          let end = UInt(program.address) + UInt(segment.p_vaddr + segment.p_filesz)
          _ = madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_DONTNEED)
        }
        return 0
      }, nil)
  }
}
