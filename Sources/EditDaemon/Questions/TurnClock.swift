import Glibc
import NIOCore

/// The processor time of a turn.
///
/// The time that a thread waits for a processor does not count, so that a short answer is not taken for a
/// long one on a busy machine.
struct TurnClock {
  /// Nanoseconds up to the last sample.
  private var used: UInt64 = 0
  /// When the last sample was taken.
  private var sampleTime: UInt64 = 0
  /// The thread that works, its clock, and its processor time at the last sample. Nil while none works.
  private var worker: (thread: pthread_t, clock: clockid_t, time: UInt64)?
  /// The processor times of the threads that help it, when they last called `hasUsed`.
  private var helpers: [pthread_t: UInt64] = [:]

  /// Begins a turn. Its thread does not work yet, or has waited for this.
  mutating func begin() { (used, sampleTime, helpers) = (0, Self.now, [:]) }

  /// Returns the nanoseconds used so far, and begins at 0.
  mutating func takeUsed() -> UInt64 {
    sample()
    defer { used = 0 }
    return used
  }

  /// The calling thread begins to work. The one before it may not have noted its end.
  mutating func beginPart() {
    sample()
    let thread = pthread_self()
    var clock = clockid_t()
    guard pthread_getcpuclockid(thread, &clock) == 0, let time = Self.time(of: clock) else {
      worker = nil
      return
    }
    worker = (thread, clock, time)
  }

  /// The calling thread has ended its part. Another may have begun.
  mutating func endPart() {
    guard let worker, pthread_equal(worker.thread, pthread_self()) != 0 else { return }
    sample()
    self.worker = nil
  }

  /// True if `time` nanoseconds are used. What another thread than that of the part has used since its last call
  /// is counted too: it helps with the work.
  mutating func hasUsed(_ time: UInt64) -> Bool {
    noteHelper()
    // A thread does not work longer than the time that passes. To read its processor time takes longer.
    guard used + (Self.now &- sampleTime) >= time else { return false }
    sample()
    return used >= time
  }

  private mutating func noteHelper() {
    let thread = pthread_self()
    if let worker, pthread_equal(worker.thread, thread) != 0 { return }
    guard let time = Self.time(of: CLOCK_THREAD_CPUTIME_ID) else { return }
    // A thread that has ended may have had the same name.
    if let last = helpers[thread], last < time { used += time - last }
    helpers[thread] = time
  }

  private mutating func sample() {
    sampleTime = Self.now
    guard let worker, let time = Self.time(of: worker.clock), time > worker.time else { return }
    used += time - worker.time
    self.worker?.time = time
  }

  private static var now: UInt64 { NIODeadline.now().uptimeNanoseconds }

  /// Nil if the thread has ended.
  private static func time(of clock: clockid_t) -> UInt64? {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return nil }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
