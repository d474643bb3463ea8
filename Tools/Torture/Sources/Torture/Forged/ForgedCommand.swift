import ArgumentParser
import EditLog
import EditModel
import Glibc
import TestSupport

/// Files that lie, with every checksum right.
struct ForgedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forged",
    abstract: "Forges lengths, offsets, counts and compressed frames, with right checksums.",
    discussion: """
      Each is read wholly, and opened for writing. Nothing traps; nothing takes more memory than \
      1 MiB and the largest file, or more than 5 ms of the processor for either over what the \
      sound store takes. One thread, so that the memory is that of the case.
      """)

  @OptionGroup var options: RunOptions

  private static let memoryMax = 1 << 20
  /// Half of it for the reader, half for the writer.
  private static let secondsMax = 0.010

  func run() throws {
    let store = try DamagedStore(seed: options.seed, tailSize: 4096)
    let cases = try ForgedCase.all(of: store)
    let campaign = Campaign("forged", options, defaultCount: cases.count)
    var worst = (kibibytes: 0, seconds: 0.0)
    let base = try Self.baseline(store)
    let worker = Worker(campaign, slot: 0)
    worker.seed = options.seed
    for (number, make) in cases.enumerated() where worker.wants(number) {
      let forged = make()
      worker.begin(number)
      var cost = Self.cost(store, forged)
      // Another process may have been in the way for a moment: a virtual machine counts that too.
      for _ in 0..<5 where cost.seconds > base + Self.secondsMax {
        usleep(50_000)
        cost.seconds = min(cost.seconds, Self.cost(store, forged).seconds)
      }
      worker.end()
      campaign.note()
      let limit = Self.memoryMax + max(forged.bytes.count, 1 << 16) * 4
      if cost.bytes > limit {
        campaign.found(
          "too much memory", "\(cost.bytes) bytes: \(forged.name) in \(forged.path)",
          seed: options.seed, case: number)
      }
      if cost.seconds > base + Self.secondsMax {
        campaign.found(
          "too slow", "\(cost.seconds) s: \(forged.name) in \(forged.path)",
          seed: options.seed, case: number)
      }
      worst.kibibytes = max(worst.kibibytes, cost.bytes >> 10)
      worst.seconds = max(worst.seconds, cost.seconds)
    }
    campaign.add(
      "worst \(worst.kibibytes) KiB and \(rounded(worst.seconds * 1000)) ms (sound: "
        + "\(rounded(base * 1000)) ms)")
    try campaign.finish()
  }

  /// What the sound store takes of the processor, the longest of several.
  private static func baseline(_ store: DamagedStore) throws -> Double {
    guard let file = store.files.first else { return 0 }
    let sound = ForgedCase(name: "sound", path: file.path, bytes: file.bytes)
    return (0..<20).map { _ in cost(store, sound).seconds }.max() ?? 0
  }

  private static func cost(
    _ store: DamagedStore, _ forged: ForgedCase
  ) -> (bytes: Int, seconds: Double) {
    let disk = SimulatedFileSystem(store.snapshot)
    disk[forged.path] = forged.bytes
    PeakMemory.reset()
    let before = PeakMemory.bytes
    let start = threadNanoseconds()
    read(disk, store)
    _ = try? StoreWriter(
      at: "/store", fileSystem: disk, random: SeededBytes(seed: 1), options: .small)
    return (max(0, PeakMemory.bytes - before), Double(threadNanoseconds() - start) / 1e9)
  }

  private static func read(_ disk: SimulatedFileSystem, _ store: DamagedStore) {
    guard let opened = try? Store.open(at: "/store", fileSystem: disk) else { return }
    for document in store.lists.keys {
      guard let history = try? opened.history(of: document) else { continue }
      try? history.forEachEntry { _ in }
      _ = try? history.checkpoint(atOrBefore: .max)
      _ = try? history.events()
      _ = try? history.sessions()
    }
  }
}

/// The most memory this process had at once.
enum PeakMemory {
  /// Restarts the measurement. Only Linux can; elsewhere the peak is that of the whole run.
  static func reset() {
    let file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = write(file, "5", 1)
    close(file)
  }

  static var bytes: Int {
    let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return 0 }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(file, &buffer, buffer.count)
    let text = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }) else {
      return 0
    }
    return (Int(line.filter(\.isNumber)) ?? 0) << 10
  }
}
