import Glibc
import Synchronization

/// Signals while a screen has the terminal: those that the loop handles come through a pipe; a crash
/// gives the terminal back first.
enum TerminalSignals {
  /// The end of the pipe that the handler writes to; -1 if there is none.
  fileprivate static let pipe = Atomic<Int32>(-1)
  /// The terminal's descriptor, for a crash; -1 if there is none.
  fileprivate static let terminal = Atomic<Int32>(-1)
  /// The address of the terminal's settings as they were, which `malloc` made. 0 if there are none.
  fileprivate static let settings = Atomic<UInt>(0)
  private static let handled = [SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT]
  private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT]

  /// Saves the terminal's settings, before a screen changes them.
  static func save(_ descriptor: Int32) {
    let address = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    address.initialize(to: termios())
    guard tcgetattr(descriptor, address) == 0 else { return address.deallocate() }
    settings.store(UInt(bitPattern: address), ordering: .relaxed)
    terminal.store(descriptor, ordering: .relaxed)
  }

  /// Sets the handlers. Each signal is written to `descriptor` as a byte.
  static func arm(_ descriptor: Int32) {
    pipe.store(descriptor, ordering: .relaxed)
    for number in handled { signal(number, noteSignal) }
    for number in crashes { signal(number, restoreTerminal) }
  }

  /// Removes the handlers.
  static func disarm() {
    for number in handled + crashes { signal(number, SIG_DFL) }
    pipe.store(-1, ordering: .relaxed)
    terminal.store(-1, ordering: .relaxed)
  }

  /// Stops the process as the terminal's ^Z does, and returns when it is continued.
  static func stop() {
    signal(SIGTSTP, SIG_DFL)
    // A thread of Dispatch blocks signals. It must get this one itself, so that the process stops before
    // the handler is set again.
    var (set, before) = (sigset_t(), sigset_t())
    sigemptyset(&set)
    sigaddset(&set, SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &set, &before)
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    signal(SIGTSTP, noteSignal)
  }
}

// The handlers call only what signal-safety(7) allows.

private func noteSignal(_ number: Int32) {
  let saved = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = write(TerminalSignals.pipe.load(ordering: .relaxed), &byte, 1)
  errno = saved
}

private func restoreTerminal(_ number: Int32) {
  let descriptor = TerminalSignals.terminal.load(ordering: .relaxed)
  if descriptor >= 0 {
    // The frame as far as it came, no mouse, the usual screen, a visible cursor, no attributes.
    let sequence: StaticString =
      "\u{1B}[?2026l\u{1B}[?1002l\u{1B}[?1000l\u{1B}[?1006l\u{1B}[?1049l\u{1B}[?25h\u{1B}[0m"
    _ = write(descriptor, sequence.utf8Start, sequence.utf8CodeUnitCount)
    if let settings = UnsafePointer<termios>(
      bitPattern: TerminalSignals.settings.load(ordering: .relaxed))
    {
      tcsetattr(descriptor, TCSANOW, settings)
    }
  }
  signal(number, SIG_DFL)
  raise(number)
}
