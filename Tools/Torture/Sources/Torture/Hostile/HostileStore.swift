import EditLog
import EditModel
import Glibc
import TestSupport

/// A store on real files, one of which is replaced by something else.
struct HostileStore {
  private enum Plant: CaseIterable { case link, secondName, pipe, folder, writable }

  private static let places = [
    "lock", "format", "journal/00000000000000000001.journal",
    "documents/00000000000000000001/00000000000000000001.segment",
    "journal", "documents", "quarantine", "documents/00000000000000000001",
  ]
  private static let fileCount = 4
  /// Each file with each plant, each folder with a link and with a wrong mode, and a second writer.
  static let caseCount =
    fileCount * Plant.allCases.count + (places.count - fileCount) * 2 + 1

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
    let plantCount = Plant.allCases.count
    if number < Self.fileCount * plantCount {
      try plant(Plant.allCases[number % plantCount], in: Self.places[number / plantCount])
    } else if number < Self.caseCount - 1 {
      let rest = number - Self.fileCount * plantCount
      try plant(rest % 2 == 0 ? .link : .writable, in: Self.places[Self.fileCount + rest / 2])
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
