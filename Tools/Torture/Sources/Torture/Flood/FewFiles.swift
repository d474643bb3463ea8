import EditModel
import Glibc
import TestSupport

/// A daemon that may open few files.
enum FewFiles {
  /// It says so and ends if they are too few; if they are just enough it does not spin, and
  /// serves clients once idle ones are gone.
  static func check(_ program: String) throws {
    try checkTooFew(program)
    let folder = TemporaryFolder(in: scratchPlace)
    let daemon = DaemonProcess(
      program, store: folder.path("store"), folder: folder.path, openFilesMax: 64)
    try daemon.start()
    try HonestClient.waitUntilThere(daemon.socket)
    var idlers: [Int32] = []
    defer { for idler in idlers { close(idler) } }
    for _ in 0..<120 {
      if let idler = connectedSocket(to: daemon.socket, waits: false) { idlers.append(idler) }
    }
    let start = try ProcessFigures(of: daemon)
    sleep(seconds: 1)
    let share = try ProcessFigures(of: daemon).cpuSeconds - start.cpuSeconds
    guard share < 0.3 else {
      throw StateCheck.Failure(
        what: "spins without descriptors",
        detail: "\(rounded(share * 100)) % of a processor, with 64 files and 120 idle connections")
    }
    try serve(daemon)
    try checkGone(idlers)
  }

  /// Those that sent nothing are sent away, wanted or not.
  private static func checkGone(_ idlers: [Int32]) throws {
    for _ in 0..<200 {
      var polled = idlers.map { pollfd(fd: $0, events: 0, revents: 0) }
      _ = poll(&polled, nfds_t(polled.count), 0)
      guard polled.contains(where: { Int32($0.revents) & POLLHUP == 0 }) else { return }
      usleep(100_000)
    }
    throw StateCheck.Failure(
      what: "idle connections stay", detail: "some that sent nothing were there 20 s later")
  }

  private static func serve(_ daemon: DaemonProcess) throws {
    guard let session = SessionID("late"), let document = DocumentID("late") else { return }
    var failure = ""
    for _ in 0..<40 {
      do {
        _ = try HonestClient(daemon.socket).append("x", to: document, session, 1)
        return
      } catch { failure = "\(error)" }
      sleep(seconds: 0.5)
    }
    throw StateCheck.Failure(what: "idle connections lock everyone out", detail: failure)
  }

  private static func checkTooFew(_ program: String) throws {
    let folder = TemporaryFolder(in: scratchPlace)
    let daemon = DaemonProcess(
      program, store: folder.path("store"), folder: folder.path, openFilesMax: 16)
    try daemon.start()
    for _ in 0..<1_000 where daemon.isRunning { usleep(5_000) }
    // As `waitpid` says it: exit status 71.
    guard daemon.lastStatus == 71 << 8 else {
      throw StateCheck.Failure(
        what: "too few files are not said",
        detail: "status \(daemon.lastStatus.map { "\($0)" } ?? "none"): \(daemon.lastWords)")
    }
  }
}
