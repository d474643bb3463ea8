import Glibc

/// The cases that are being run, where a signal handler can read them: a trap is told as a
/// finding before the process ends.
enum CaseSlots {
  private static let countMax = 16

  struct Slot {
    var thread: pthread_t = 0
    var isActive = false
    var seed: UInt64 = 0
    var number = 0
    var start: UInt64 = 0
  }

  // Safe: allocated once and never freed; a slot is written by its own thread alone, and what
  // reads it meanwhile only prints it.
  nonisolated(unsafe) private static let slots: UnsafeMutablePointer<Slot> = {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: countMax)
    slots.initialize(repeating: Slot(), count: countMax)
    return slots
  }()
  // Safe: written once before any thread or handler starts.
  nonisolated(unsafe) private static var command: UnsafeMutablePointer<CChar>?

  /// Keeps the words of the command, and takes the signals of traps.
  static func prepare(command: String) {
    self.command = strdup(command)
    _ = slots
    // If SWIFT_BACKTRACE is set, Swift's own handler reports more about the cause of a trap.
    guard getenv("SWIFT_BACKTRACE") == nil else { return }
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
      signal(number) { number in CaseSlots.tellTrap(number) }
    }
  }

  static func set(_ slot: Int, seed: UInt64, number: Int) {
    slots[slot] = Slot(
      thread: pthread_self(), isActive: true, seed: seed, number: number, start: nanoseconds())
  }

  static func clear(_ slot: Int) { slots[slot].isActive = false }

  /// A case that has been under way for longer than this many nanoseconds.
  static func hanging(longerThan limit: UInt64) -> (seed: UInt64, number: Int)? {
    let now = nanoseconds()
    for slot in 0..<countMax where slots[slot].isActive && now > slots[slot].start + limit {
      return (slots[slot].seed, slots[slot].number)
    }
    return nil
  }

  /// Only calls that a signal handler may make, and no allocation.
  private static func tellTrap(_ signal: Int32) {
    put("{\"found\":\"trap\",\"detail\":\"signal ")
    put(UInt64(signal))
    put("\",\"command\":\"")
    if let command { _ = write(STDOUT_FILENO, command, strlen(command)) }
    for slot in 0..<countMax
    where slots[slot].isActive && pthread_equal(slots[slot].thread, pthread_self()) != 0 {
      put(" --seed ")
      put(slots[slot].seed)
      put(" --case ")
      put(UInt64(slots[slot].number))
    }
    put("\"}\n")
    _exit(1)
  }

  private static func put(_ text: StaticString) {
    _ = write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
  }

  private static func put(_ number: UInt64) {
    var divisor: UInt64 = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      var digit = UInt8(48 + number / divisor % 10)
      _ = write(STDOUT_FILENO, &digit, 1)
      divisor /= 10
    }
  }
}
