import EditLog
import EditModel
import Synchronization
import TestSupport

/// What is done while a file cannot be read.
enum UnreadableWork: CaseIterable {
  case start, append, seal, attach, checkpoint, repair, accept, forget, read
}

/// A store with every kind of file, and a loss that is known and not accepted.
struct UnreadableStore {
  let seed: UInt64
  let disk: SimulatedFileSystem
  /// The keys of the losses.
  let losses: [String]
  static let attachment = Array("an attachment".utf8)

  init(seed: UInt64) throws {
    self.seed = seed
    disk = SimulatedFileSystem()
    var source = EntrySource(seed: seed)
    let first = try openWriter(disk, seed: seed)
    for (letter, count) in [("a", 60), ("b", 4)] {
      _ = try first.append([(name(letter), source.entries(of: name(letter), count: count))])
    }
    try first.sealAll()
    if let last = try first.lastSequence(of: name("a")) {
      try first.writeCheckpoint(name("a"), at: last, Array("state".utf8))
    }
    _ = try first.attach(Self.attachment, to: name("a"))
    _ = try first.append([(name("c"), source.entries(of: name("c"), count: 3))])
    try first.close()
    for journal in disk.names(at: "/store/journal") { disk["/store/journal/\(journal)"] = nil }
    let writer = try openWriter(disk, seed: seed &+ 2)
    _ = try writer.append([(name("b"), source.entries(of: name("b"), count: 3))])
    try writer.close()
    losses = writer.losses.map(\.key)
  }

  /// The operations of a work in which nothing fails.
  func operations(of work: UnreadableWork) throws -> [FaultyFileSystem.Operation] {
    let found = Mutex<[FaultyFileSystem.Operation]>([])
    let system = FaultyFileSystem(SimulatedFileSystem(disk.snapshot)) { operation in
      found.withLock { $0.append(operation) }
    }
    try perform(work, on: system)
    return found.withLock { $0 }
  }

  /// Does the work, from the start of the writer on.
  func perform(_ work: UnreadableWork, on system: any FileSystem) throws {
    if work == .read { return try read(system) }
    let writer = try openWriter(system, seed: seed &+ 4)
    var source = EntrySource(seed: seed &+ 1)
    switch work {
    case .start, .read: break
    case .append: _ = try writer.append([(name("d"), source.entries(of: name("d"), count: 2))])
    case .seal: try writer.sealAll()
    case .attach: _ = try writer.attach(Self.attachment, to: name("a"))
    case .checkpoint:
      guard let last = try writer.lastSequence(of: name("b")) else { return }
      try writer.writeCheckpoint(name("b"), at: last, Array("state".utf8))
    case .repair:
      _ = try writer.repair()
      _ = try writer.removeRecovered()
    case .accept: _ = try writer.acceptLosses()
    case .forget: _ = try writer.forget(name("b"))
    }
    _ = try writer.status()
    try writer.close()
  }

  private func read(_ system: any FileSystem) throws {
    let store = try Store.open(at: "/store", fileSystem: system)
    for document in [name("a"), name("b")] {
      _ = try entries(store.history(of: document))
    }
    _ = try store.attachmentLosses()
    _ = try store.documents()
    _ = try store.status()
    _ = try store.verify()
  }
}
