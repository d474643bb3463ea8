import EditModel
import Glibc
import Synchronization

/// Removes the file of a trial and ends its command if SIGHUP, SIGINT or SIGTERM ends the program.
enum TrialSignals {
  private static let isArmed = Atomic<Bool>(false)
  /// The address of the file's path, which `malloc` made. 0 if there is none.
  fileprivate static let file = Atomic<UInt>(0)
  /// The command's process, or its group if negative. 0 if none runs.
  fileprivate static let process = Atomic<Int32>(0)
  /// True once a signal ends the program.
  fileprivate static let isEnding = Atomic<Bool>(false)

  /// Sets the handlers. A signal that is ignored stays ignored.
  static func arm() {
    note(file: nil)
    note(process: 0)
    isEnding.store(false, ordering: .relaxed)
    isArmed.store(true, ordering: .relaxed)
    for number in [SIGHUP, SIGINT, SIGTERM] {
      if unsafeBitCast(signal(number, endTrial), to: Int.self) == 1 { signal(number, SIG_IGN) }
    }
  }

  /// Waits for the end of the program, if the signal that ended the command ends it too: a terminal
  /// sends its signals to both.
  static func waitForEnd() async {
    guard isArmed.load(ordering: .relaxed) else { return }
    repeat {
      try? await Task.sleep(for: .milliseconds(100))
    } while isEnding.load(ordering: .relaxed)
  }

  /// Records the file to remove. Does nothing unless the handlers are set.
  static func note(file path: String?) {
    guard isArmed.load(ordering: .relaxed) else { return }
    let address = path.flatMap { strdup($0) }.map { UInt(bitPattern: $0) } ?? 0
    free(
      UnsafeMutableRawPointer(bitPattern: file.exchange(address, ordering: .acquiringAndReleasing)))
  }

  /// Records the process to end, its group if negative, or 0.
  static func note(process number: Int32) {
    guard isArmed.load(ordering: .relaxed) else { return }
    process.store(number, ordering: .relaxed)
  }
}

/// The handler. Calls only what signal-safety(7) allows.
private func endTrial(_ number: Int32) {
  TrialSignals.isEnding.store(true, ordering: .relaxed)
  let process = TrialSignals.process.load(ordering: .relaxed)
  if process != 0 { kill(process, number) }
  let file = UnsafePointer<CChar>(bitPattern: TrialSignals.file.load(ordering: .relaxed))
  if let file { unlink(file) }
  signal(number, SIG_DFL)
  raise(number)
}
