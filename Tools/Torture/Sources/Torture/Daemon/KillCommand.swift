import ArgumentParser
import EditProtocol
import Glibc
import Synchronization
import TestSupport

/// Kills of the real daemon.
struct KillCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kill",
    abstract: "Kills the real daemon again and again under eight clients that send and resend.",
    discussion: """
      A cycle is a start and a SIGKILL at a random moment after it, also during recovery. After each \
      fifty the clients finish, the daemon is killed once more, and the files are read: nothing \
      acknowledged is lost, nothing is doubled, each session is in order.
      """)

  @OptionGroup var options: RunOptions
  @OptionGroup var daemon: DaemonOptionGroup

  private static let cycleCount = 50

  func run() throws {
    let program = daemon.daemon
    let campaign = Campaign("kill", options, defaultCount: 1_000)
    let acks = Atomic<Int>(0)
    try campaign.run(
      { seed, worker in
        worker.begin(0)
        do {
          acks.add(try Self.cycles(program, seed, campaign), ordering: .relaxed)
        } catch let failure as StateCheck.Failure {
          worker.found(failure.what, failure.detail)
        }
      },
      atEnd: { campaign.add("\(acks.load(ordering: .relaxed)) acknowledged") })
  }

  /// Fifty cycles over one store; gives how many edits were acknowledged.
  private static func cycles(
    _ program: String, _ seed: UInt64, _ campaign: Campaign
  ) throws -> Int {
    let folder = TemporaryFolder(in: scratchPlace)
    let daemon = DaemonProcess(program, store: folder.path("store"), folder: folder.path)
    var random = SplitMix64(seed: seed)
    try daemon.start()
    let clients = DaemonClients(socket: daemon.socket)
    clients.start(count: 8, seed: seed)
    for _ in 0..<cycleCount where !campaign.isOver {
      pause(clients, &random)
      try checkRunning(daemon)
      daemon.kill()
      try daemon.start()
      campaign.note()
    }
    try clients.finish()
    try checkRunning(daemon)
    daemon.kill()
    if let failure = clients.failures.first {
      throw StateCheck.Failure(what: "a client gave up", detail: failure)
    }
    let acknowledged = clients.acknowledged
    try clients.check(daemon.store, acknowledged: acknowledged)
    return acknowledged.count
  }

  /// One kill in four is somewhere in the start; the others are while edits come in.
  private static func pause(_ clients: DaemonClients, _ random: inout SplitMix64) {
    guard random.next() % 4 != 0 else {
      usleep(UInt32(random.next() % 30_000))
      return
    }
    let count = clients.count
    for _ in 0..<1_000 where clients.count == count { usleep(500) }
    usleep(UInt32(random.next() % 5_000))
  }

  private static func checkRunning(_ daemon: DaemonProcess) throws {
    guard !daemon.isRunning else { return }
    throw StateCheck.Failure(
      what: "the daemon ended by itself",
      detail: "status \(daemon.lastStatus ?? 0): \(daemon.lastWords)")
  }
}
