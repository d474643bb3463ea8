import EditLog
import EditModel
import Glibc
import TestSupport

/// A daemon that may have little memory, with a long log and many clients.
struct MemoryCap {
  /// What it may have in memory, in bytes.
  static let residentMax = 256 << 20
  /// Its address space in bytes. It is larger, because stacks and the allocator's parts are reserved and
  /// hardly used: 286 MiB at rest, of which 22 MiB are in memory.
  private static let addressMax = 512 << 20
  /// Too little for what the clients ask.
  private static let narrowAddressMax = 320 << 20
  private static let clientCount = 500
  private static let documentCount = 13
  /// The text of each document in bytes.
  private static let documentSize = 10 << 20

  let program: String
  let seed: UInt64
  let seconds: Double

  /// What was measured.
  struct Figures: CustomStringConvertible {
    var logSize = 0
    var peak = 0
    var addressPeak = 0
    var acknowledged = 0
    var latency = 0.0
    var narrow = ""

    var description: String {
      "memory cap: \(acknowledged) acknowledged by 500 clients, a log of \(logSize >> 20) MiB, "
        + "peak \(peak >> 20) MiB (\(addressPeak >> 20) MiB of addresses), p99 "
        + "\(rounded(latency * 1e3)) ms; \(narrow)"
    }
  }

  /// - Throws: `StateCheck.Failure` if the daemon takes more, or loses what was acknowledged.
  func run() throws -> Figures {
    let folder = TemporaryFolder(in: scratchPlace)
    let store = folder.path("store")
    var figures = Figures()
    let names = try write(to: store, in: folder)
    figures.logSize = size(of: store)

    try crowd(store, folder, names, addressSpace: Self.addressMax, run: 1, into: &figures)
    guard figures.peak > 0, figures.peak <= Self.residentMax else {
      throw StateCheck.Failure(
        what: "memory beyond the cap",
        detail: "\(figures.peak >> 20) MiB, and \(Self.residentMax >> 20) MiB are allowed")
    }
    try crowdThatIsTooMuch(store, folder, names, &figures)
    return figures
  }

  /// With so few addresses that some of what it is asked cannot be done: it may end, and loses nothing.
  private func crowdThatIsTooMuch(
    _ store: String, _ folder: TemporaryFolder, _ names: [String], _ figures: inout Figures
  ) throws {
    var narrow = Figures()
    let life = try crowd(
      store, folder, names, addressSpace: Self.narrowAddressMax, run: 2, mayEnd: true, into: &narrow
    )
    figures.narrow =
      "with \(Self.narrowAddressMax >> 20) MiB of addresses it \(life), \(narrow.acknowledged) acknowledged"
  }

  /// Runs the daemon with clients, and compares the store with what was acknowledged to them. Returns how
  /// the daemon ended.
  @discardableResult
  private func crowd(
    _ store: String, _ folder: TemporaryFolder, _ names: [String], addressSpace: Int, run: UInt64,
    mayEnd: Bool = false, into figures: inout Figures
  ) throws -> String {
    let daemon = DaemonProcess(
      program, store: store, folder: folder.path, sealAfter: 65_536,
      addressSpaceMax: addressSpace >> 10,
      settings: ["--in-flight-max", "64", "--connection-in-flight-max", "8"])
    try daemon.start()
    do { try HonestClient.waitUntilThere(daemon.socket) } catch {
      guard mayEnd, !daemon.isRunning else { throw error }
      return "did not start"
    }
    let clients = HonestClients(
      socket: daemon.socket, count: Self.clientCount, seed: seed &* 4 &+ run, pause: 500_000,
      questions: names)
    let end = nanoseconds() + UInt64(seconds * 1e9)
    while nanoseconds() < end, daemon.isRunning { usleep(100_000) }
    let isAlive = daemon.isRunning
    if isAlive || !mayEnd {
      let now = try ProcessFigures(of: daemon)
      (figures.peak, figures.addressPeak) = (now.peak, now.addressPeak)
      figures.latency = clients.takeLatency()
    }
    if mayEnd { clients.end() } else { _ = try clients.finish() }
    daemon.stop()
    let acknowledged = clients.acknowledged
    figures.acknowledged = acknowledged.count
    // What reading finds unsealed is recovered as a start does.
    try StoreWriter(at: store).close()
    try DaemonClients(socket: daemon.socket)
      .check(store, acknowledged: acknowledged, allowsGaps: true)
    guard !isAlive else { return "lived" }
    let status = daemon.lastStatus ?? 0
    return status & 0x7F == 0 ? "ended with status \(status >> 8)" : "was ended by \(status & 0x7F)"
  }

  /// Makes the log: text that can hardly be compressed. Returns the names of the documents.
  private func write(to store: String, in folder: TemporaryFolder) throws -> [String] {
    let daemon = DaemonProcess(program, store: store, folder: folder.path, sealAfter: 65_536)
    try daemon.start()
    try HonestClient.waitUntilThere(daemon.socket)
    let client = try HonestClient(daemon.socket)
    var random = SplitMix64(seed: seed)
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 \n".utf8)
    let names = (0..<Self.documentCount).map { "long\($0)" }
    guard let session = SessionID("writer") else { return [] }
    var counter: UInt64 = 0
    for name in names {
      guard let document = DocumentID(name) else { continue }
      for _ in 0..<Self.documentSize >> 20 {
        counter += 1
        var bytes: [UInt8] = []
        bytes.reserveCapacity((1 << 20) + 16)
        while bytes.count < 1 << 20 {
          var word = random.next()
          for _ in 0..<10 {
            bytes.append(letters[Int(word & 63)])
            word >>= 6
          }
        }
        _ = try client.append(
          String(decoding: bytes, as: UTF8.self), to: document, session, counter)
      }
    }
    daemon.stop()
    return names
  }

  /// The bytes of all files in a folder.
  private func size(of folder: String) -> Int {
    guard let listing = opendir(folder) else { return 0 }
    defer { closedir(listing) }
    var total = 0
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name != ".", name != ".." else { continue }
      var status = stat()
      guard lstat("\(folder)/\(name)", &status) == 0 else { continue }
      total +=
        status.st_mode & S_IFMT == S_IFDIR ? size(of: "\(folder)/\(name)") : Int(status.st_size)
    }
    return total
  }
}
