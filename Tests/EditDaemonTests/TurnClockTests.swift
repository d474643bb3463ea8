import EditLog
import Glibc
import NIOConcurrencyHelpers
import Testing

@testable import EditDaemon

/// What a turn uses is processor time.
struct TurnClockTests {
  private static let millisecond: UInt64 = 1_000_000

  /// Works for this many nanoseconds of processor time.
  static func work(_ time: UInt64) {
    func used() -> UInt64 {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
    let end = used() + time
    while used() < end {}
  }

  private static func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let end = ConditionLock(value: false)
    JobThread.run(.usual) {
      body()
      end.lock()
      end.unlock(withValue: true)
    }
    end.lock(whenValue: true)
    end.unlock()
  }

  @Test func aThreadThatWaitsUsesNothing() {
    var clock = TurnClock()
    clock.begin()
    clock.beginPart()
    usleep(30_000)
    let hasWaited = clock.hasUsed(20 * Self.millisecond)
    Self.work(20 * Self.millisecond)
    let hasWorked = clock.hasUsed(20 * Self.millisecond)
    let used = clock.takeUsed()
    let isUsedAgain = clock.hasUsed(1 * Self.millisecond)
    #expect(!hasWaited && hasWorked && !isUsedAgain)
    #expect(used < 30 * Self.millisecond)
  }

  @Test func nothingIsUsedBetweenParts() {
    var clock = TurnClock()
    clock.begin()
    clock.beginPart()
    Self.work(2 * Self.millisecond)
    clock.endPart()
    Self.work(30 * Self.millisecond)
    clock.beginPart()
    Self.work(2 * Self.millisecond)
    clock.endPart()
    let used = clock.takeUsed()
    #expect((4 * Self.millisecond..<20 * Self.millisecond).contains(used))
  }

  /// Any thread reads what the one that works has used.
  @Test func anotherThreadReadsTheTimeOfTheWorker() {
    let clock = NIOLockedValueBox(TurnClock())
    clock.withLockedValue {
      $0.begin()
      $0.beginPart()
    }
    usleep(30_000)
    Self.work(5 * Self.millisecond)
    let used = NIOLockedValueBox<UInt64>(0)
    Self.onAnotherThread {
      Self.work(20 * Self.millisecond)
      let value = clock.withLockedValue { $0.takeUsed() }
      used.withLockedValue { $0 = value }
    }
    let value = used.withLockedValue { $0 }
    #expect((5 * Self.millisecond..<20 * Self.millisecond).contains(value))
  }

  /// A thread that helps counts from its first call on.
  @Test func threadsThatHelpAreCounted() {
    let clock = NIOLockedValueBox(TurnClock())
    clock.withLockedValue {
      $0.begin()
      $0.beginPart()
    }
    let results = NIOLockedValueBox<[Bool]>([])
    Self.onAnotherThread {
      Self.work(20 * Self.millisecond)
      for time in [20 * Self.millisecond, 0] {
        let hasUsed = clock.withLockedValue { $0.hasUsed(20 * Self.millisecond) }
        results.withLockedValue { $0.append(hasUsed) }
        Self.work(time)
      }
    }
    let hasUsed = results.withLockedValue { $0 }
    let used = clock.withLockedValue { $0.takeUsed() }
    #expect(hasUsed == [false, true])
    #expect((20 * Self.millisecond..<40 * Self.millisecond).contains(used))
  }

  /// On a busy machine the next part may begin on another thread before the last one has noted its end.
  @Test func noPartIsLostWhenTheNextOneBeginsBeforeItsEnd() {
    let clock = NIOLockedValueBox(TurnClock())
    clock.withLockedValue {
      $0.begin()
      $0.beginPart()
    }
    Self.work(10 * Self.millisecond)
    Self.onAnotherThread { clock.withLockedValue { $0.beginPart() } }
    clock.withLockedValue { $0.endPart() }
    let used = clock.withLockedValue { $0.takeUsed() }
    #expect(used >= 10 * Self.millisecond)
  }

  /// A part that ends late ends no part that another thread began.
  @Test func aPartEndsOnItsOwnThread() {
    let clock = NIOLockedValueBox(TurnClock())
    clock.withLockedValue { $0.begin() }
    clock.withLockedValue { $0.beginPart() }
    Self.onAnotherThread { clock.withLockedValue { $0.endPart() } }
    Self.work(5 * Self.millisecond)
    let hasUsed = clock.withLockedValue { $0.hasUsed(5 * Self.millisecond) }
    #expect(hasUsed)
  }
}
