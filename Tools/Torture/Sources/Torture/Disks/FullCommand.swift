import ArgumentParser
import EditLog
import EditModel
import EditProtocol
import Glibc
import TestSupport

/// Disks without room.
struct FullCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "full",
    abstract: "Fills small disks under the real daemon: tmpfs from 16 KiB on in steps of 4 KiB.",
    discussion: """
      On a full disk, requests are refused and everything acknowledged can still be read. Once \
      there is room, the daemon continues by itself. Runs in a namespace of its own, so that it \
      needs no root.
      """)

  @OptionGroup var options: RunOptions
  @OptionGroup var daemon: DaemonOptionGroup

  @Flag(help: .hidden)
  var inNamespace = false

  private static let sizeCount = 1_020

  func run() throws {
    guard inNamespace else { return try enterNamespace() }
    let program = daemon.daemon
    let campaign = Campaign("full", options, defaultCount: 32)
    // Sizes in an order that spreads over all of them.
    try campaign.run { seed, worker in
      let size = 16 + 4 * Int(seed &* 379 % UInt64(Self.sizeCount))
      worker.begin(0)
      do { try Self.cycle(program, kibibytes: size, seed, campaign) } catch let failure
        as StateCheck.Failure
      {
        worker.found(failure.what, "\(size) KiB: \(failure.detail)")
      }
      campaign.note()
    }
  }

  /// Starts itself again as the root of a namespace.
  private func enterNamespace() throws {
    let campaign = Campaign("full", options, defaultCount: 32)
    do {
      try Shell.run("unshare -Urm mount -t tmpfs -o size=100k torture /mnt")
    } catch {
      campaign.skip("there is no namespace with a tmpfs here: \(error)")
      return try campaign.finish()
    }
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count - 1)
    guard count > 0 else { throw Shell.Failure(description: "no path of this program") }
    let program = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var list = ["unshare", "-Urm", program, "full", "--in-namespace", "--daemon", daemon.daemon]
    list += ["--seed", "\(options.seed)"]
    if let count = options.count { list += ["--count", "\(count)"] }
    if let minutes = options.minutes { list += ["--minutes", "\(minutes)"] }
    if let number = options.onlyCase { list += ["--case", "\(number)"] }
    let status = system(list.map { "'\($0)'" }.joined(separator: " "))
    if status != 0 { throw ExitCode(1) }
  }

  private static func cycle(
    _ program: String, kibibytes: Int, _ seed: UInt64, _ campaign: Campaign
  ) throws {
    let folder = TemporaryFolder()
    let disk = folder.path("disk")
    try Shell.run("mkdir -m 700 \(disk)")
    try Shell.run("mount -t tmpfs -o size=\(kibibytes)k,mode=700 torture \(disk)")
    defer { _ = try? Shell.run("umount -l \(disk)") }
    let daemon = DaemonProcess(program, store: "\(disk)/store", folder: folder.path)
    try daemon.start()
    let clients = DaemonClients(
      socket: daemon.socket, options: .init(textSize: 2_000, patience: .seconds(20)))
    clients.start(count: 2, seed: seed)
    let isStarted = fill(daemon, clients)
    // Read with no room at all.
    let acknowledged = clients.acknowledged
    if !acknowledged.isEmpty {
      try clients.check(daemon.store, acknowledged: acknowledged, allowsGaps: true)
    }
    try Shell.run("mount -o remount,size=64m \(disk)")
    if !isStarted || !daemon.isRunning {
      // Too small for a store to be made: refused, and started again once there is room.
      campaign.skip("the daemon did not start on so small a disk")
      try daemon.start()
    }
    try resume(daemon, clients, count: acknowledged.count)
    try clients.finish()
    daemon.kill()
    // A client that gave up may leave a gap.
    if let failure = clients.failures.first {
      throw StateCheck.Failure(what: "a client gave up", detail: failure)
    }
    try clients.check(daemon.store, acknowledged: clients.acknowledged)
  }

  /// Waits until nothing more is acknowledged; true if the daemon still runs.
  private static func fill(_ daemon: DaemonProcess, _ clients: DaemonClients) -> Bool {
    var (count, quiet) = (-1, 0)
    for _ in 0..<1_000 where quiet < 12 {
      usleep(20_000)
      guard daemon.isRunning else { return false }
      let now = clients.count
      quiet = now == count ? quiet + 1 : 0
      count = now
    }
    return true
  }

  /// The daemon resumes within a second plus the client's pause.
  private static func resume(
    _ daemon: DaemonProcess, _ clients: DaemonClients, count: Int
  ) throws {
    for _ in 0..<150 {
      if clients.count > count { return }
      usleep(20_000)
    }
    throw StateCheck.Failure(
      what: "service does not resume", detail: "3 s after there was room: \(daemon.lastWords)")
  }
}
