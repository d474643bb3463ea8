import EditLog
import EditModel
import Glibc
import TestSupport

/// A store on real files, one of which is replaced by something else.
struct HostileStore {
  private enum Plant: CaseIterable {
    case link, secondName, pipe, folder, writable, socket
    /// Only root can plant these two.
    case device, foreign
  }

  private static let places = [
    "lock", "format", "confirmed", "catalog", "journal/00000000000000000001.journal",
    "documents/00000000000000000001/00000000000000000001.segment",
    "journal", "documents", "quarantine", "documents/00000000000000000001",
  ]
  private static let fileCount = 6
  /// What is planted instead of files.
  private static let filePlants = plants(Plant.allCases)
  /// What is planted instead of folders; another file than a folder is none of the store's.
  private static let folderPlants = plants([.link, .pipe, .writable, .socket, .device, .foreign])
  /// Each place with each plant, and a second writer.
  static let caseCount =
    fileCount * filePlants.count + (places.count - fileCount) * folderPlants.count + 1

  private static func plants(_ all: [Plant]) -> [Plant] {
    geteuid() == 0 ? all : all.filter { $0 != .device && $0 != .foreign }
  }

  private let folder = TemporaryFolder(in: scratchPlace)
  private let document = name("a")
  private var path: String { folder.path("store") }

  init(seed: UInt64) throws {
    let writer = try open()
    var source = EntrySource(seed: seed)
    _ = try writer.append([(document, source.entries(of: document, count: 20))])
    try writer.seal(document)
    _ = try writer.append([(document, source.entries(of: document, count: 2))])
    try writer.close()
  }

  private func open() throws -> StoreWriter {
    var options = StoreWriter.Options.small
    // One journal, whatever is in it: its name is one of the places.
    (options.journalSizeMin, options.journalSizeMax) = (1 << 20, 1 << 20)
    return try StoreWriter(at: path, random: SeededBytes(seed: 1), options: options)
  }

  /// Plants the one of this number.
  ///
  /// - Throws: `StateCheck.Failure` where it is taken.
  func run(_ number: Int) throws {
    let (files, folders) = (Self.filePlants, Self.folderPlants)
    if number < Self.fileCount * files.count {
      try plant(files[number % files.count], in: Self.places[number / files.count])
    } else if number < Self.caseCount - 1 {
      let rest = number - Self.fileCount * files.count
      try plant(
        folders[rest % folders.count], in: Self.places[Self.fileCount + rest / folders.count])
    } else {
      let first = try open()
      try expectRefusal("a second writer", isLocked: true)
      withExtendedLifetime(first) {}
    }
  }

  private func plant(_ plant: Plant, in place: String) throws {
    let (target, aside) = ("\(path)/\(place)", folder.path("aside"))
    var result: Int32 = 0
    switch plant {
    case .link: result = rename(target, aside) | symlink(aside, target)
    case .secondName: result = link(target, aside)
    case .pipe: result = rename(target, aside) | mkfifo(target, 0o600)
    case .folder: result = rename(target, aside) | mkdir(target, 0o700)
    case .writable: result = chmod(target, 0o777)
    case .socket: result = rename(target, aside) | mknod(target, S_IFSOCK | 0o600, 0)
    // /dev/zero: reading it would not end.
    case .device: result = rename(target, aside) | mknod(target, S_IFCHR | 0o600, 1 << 8 | 5)
    case .foreign: result = chown(target, 65_534, 65_534)
    }
    guard result == 0 else {
      throw StateCheck.Failure(what: "nothing was planted", detail: "\(plant) at \(place)")
    }
    try expectRefusal("\(plant) at \(place)", isLocked: false)
  }

  /// Reads and writes in every way, and wants one of these to be refused for what it is.
  private func expectRefusal(_ what: String, isLocked: Bool) throws {
    var errors: [LogError] = []
    func attempt(_ body: () throws -> Void) throws {
      do { try body() } catch let error as LogError { errors.append(error) }
    }
    try attempt { _ = try entries(Store.open(at: path).history(of: document)) }
    try attempt {
      let writer = try open()
      _ = try entries(writer.history(of: document))
      try writer.sealAll()
    }
    let isRefused = errors.contains { error in
      switch error {
      case .refused: !isLocked
      case .locked: isLocked
      default: false
      }
    }
    guard isRefused else { throw StateCheck.Failure(what: "taken", detail: "\(what): \(errors)") }
  }
}
