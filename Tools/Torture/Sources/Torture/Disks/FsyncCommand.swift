import ArgumentParser
import EditProtocol
import Glibc
import Synchronization
import TestSupport

/// Flushes that really fail.
struct FsyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fsync",
    abstract: "Lets flushes fail for real: ext4 on a loop device on a full tmpfs. Needs root.",
    discussion: """
      The disk under the file system is full, so flushes fail; then it has room again, and they \
      succeed, though what failed before is not on it. The daemon ends with the first failure \
      and is started again, as a service manager would. After a new mount everything that was \
      acknowledged is there once.
      """)

  @OptionGroup var options: RunOptions
  @OptionGroup var daemon: DaemonOptionGroup

  func run() throws {
    let program = daemon.daemon
    let campaign = Campaign("fsync", options, defaultCount: 3)
    if let obstacle = LoopDisk.obstacle {
      campaign.skip(obstacle)
      return try campaign.finish()
    }
    let total = Atomic<Int>(0)
    try campaign.run(threads: 1) { seed, worker in
      worker.begin(0)
      do { try Self.cycle(program, seed, campaign, total) } catch let failure
        as StateCheck.Failure
      {
        worker.found(failure.what, failure.detail)
      }
      campaign.note()
    } atEnd: {
      campaign.add("\(total.load(ordering: .relaxed)) acknowledged")
    }
  }

  private static func cycle(
    _ program: String, _ seed: UInt64, _ campaign: Campaign, _ total: borrowing Atomic<Int>
  ) throws {
    let disk = try LoopDisk(memory: "14m")
    try disk.mount()
    let folder = TemporaryFolder()
    // Not sealed: the image only grows where the journal does.
    let daemon = DaemonProcess(
      program, store: "\(disk.path)/store", folder: folder.path, sealAfter: 1 << 30)
    try daemon.start()
    let clients = DaemonClients(
      socket: daemon.socket, options: .init(textSize: 20_000, patience: .seconds(20)))
    clients.start(count: 4, seed: seed)
    var ends = 0
    // Until the image cannot grow, and half a second on.
    for tick in 0..<400 {
      usleep(25_000)
      if !daemon.isRunning {
        ends += 1
        guard ends < 20 else { break }
        try? daemon.start()
      }
      if disk.room < 65_536, tick > 20 { break }
    }
    for _ in 0..<20 {
      usleep(25_000)
      if !daemon.isRunning {
        ends += 1
        try? daemon.start()
      }
    }
    try disk.heal()
    usleep(300_000)
    let acknowledged = clients.acknowledged
    total.add(acknowledged.count, ordering: .relaxed)
    daemon.kill()
    // The cache goes with the mount: what is read now is on the disk.
    disk.unmount()
    try Shell.run("sync; echo 3 > /proc/sys/vm/drop_caches")
    try disk.mount()
    try clients.check(daemon.store, acknowledged: acknowledged, allowsGaps: true)
    if ends == 0 { campaign.skip("no flush failed in a run") }
    try? daemon.start()
    try clients.finish()
  }
}
