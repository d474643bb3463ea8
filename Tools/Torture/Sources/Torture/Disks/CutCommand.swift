import ArgumentParser
import EditProtocol
import Glibc
import Synchronization
import TestSupport

/// Power cuts on a real file system.
struct CutCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cut",
    abstract: "Cuts the power under the real daemon, on ext4 on a loop device. Needs root.",
    discussion: """
      What was acknowledged before the cut is there after it. What is acknowledged while the \
      file system shuts down does not count: the kernel says then that it flushed, and did not.
      """)

  @OptionGroup var options: RunOptions
  @OptionGroup var daemon: DaemonOptionGroup

  func run() throws {
    let program = daemon.daemon
    let campaign = Campaign("cut", options, defaultCount: 20)
    if let obstacle = LoopDisk.obstacle {
      campaign.skip(obstacle)
      return try campaign.finish()
    }
    let total = Atomic<Int>(0)
    try campaign.run(threads: 1) { seed, worker in
      do {
        try Self.cycles(program, seed, worker, total)
      } catch let failure as StateCheck.Failure {
        worker.found(failure.what, failure.detail)
      }
    } atEnd: {
      campaign.add("\(total.load(ordering: .relaxed)) acknowledged")
    }
  }

  /// Some cuts of one store.
  private static func cycles(
    _ program: String, _ seed: UInt64, _ worker: Worker, _ total: borrowing Atomic<Int>
  ) throws {
    let disk = try LoopDisk(memory: "200m")
    let folder = TemporaryFolder()
    var random = SplitMix64(seed: seed)
    for cycle in 0..<10 where !worker.campaign.isOver {
      worker.begin(cycle)
      try disk.mount()
      let daemon = DaemonProcess(program, store: "\(disk.path)/store", folder: folder.path)
      try daemon.start()
      let clients = DaemonClients(
        socket: daemon.socket, options: .init(patience: .milliseconds(400)))
      clients.start(count: 4, seed: seed * 100 + UInt64(cycle))
      usleep(UInt32(60_000 + random.next() % 150_000))
      let acknowledged = clients.acknowledged
      total.add(acknowledged.count, ordering: .relaxed)
      try disk.cut()
      daemon.kill()
      try clients.finish()
      disk.unmount()
      try disk.mount()
      if !acknowledged.isEmpty || access("\(daemon.store)/format", F_OK) == 0 {
        try clients.check(daemon.store, acknowledged: acknowledged, allowsGaps: true)
      }
      disk.unmount()
      worker.campaign.note()
    }
  }
}
