import Glibc
import NIOCore

/// The processor time of a turn.
///
/// The time that a thread waits for a processor does not count, so that a short answer is not taken for a
/// long one on a busy machine.
struct TurnClock {
  /// Nanoseconds up to the last look.
  private var used: UInt64 = 0
  /// When the last look was.
  private var lookTime: UInt64 = 0
  /// The thread that works, and its processor time at the last look. Nil while none works.
  private var worker: (thread: pthread_t, time: UInt64)?

  /// Begins a turn. Its thread does not work yet, or has waited for this.
  mutating func begin() { (used, lookTime) = (0, Self.now) }

  /// Returns the nanoseconds used so far, and begins at 0.
  mutating func takeUsed() -> UInt64 {
    look()
    defer { used = 0 }
    return used
  }

  /// The calling thread begins to work.
  mutating func beginPart() {
    worker = (pthread_self(), Self.threadTime)
    lookTime = Self.now
  }

  /// The calling thread has ended its part, and another may have begun.
  mutating func endPart() {
    guard let worker, pthread_equal(worker.thread, pthread_self()) != 0 else { return }
    look()
    self.worker = nil
  }

  /// True if `time` nanoseconds are used.
  mutating func hasUsed(_ time: UInt64) -> Bool {
    // A thread does not work longer than the time that passes. To read its processor time takes longer.
    guard used + (Self.now &- lookTime) >= time else { return false }
    look()
    return used >= time
  }

  private mutating func look() {
    let (now, last) = (Self.now, lookTime)
    lookTime = now
    guard let worker else { return }
    // Of a second thread of the same work, only the time that passes is known.
    guard pthread_equal(worker.thread, pthread_self()) != 0 else {
      used += now &- last
      return
    }
    let time = Self.threadTime
    used += time &- worker.time
    self.worker = (worker.thread, time)
  }

  private static var now: UInt64 { NIODeadline.now().uptimeNanoseconds }

  private static var threadTime: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
