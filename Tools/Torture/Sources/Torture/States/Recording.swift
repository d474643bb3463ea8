import EditLog
import EditModel
import TestSupport

/// A seeded run of writers over a simulated disk: the moments before each change of the disk.
///
/// A run opens the store several times: after a clean end, after a crash with a torn journal, and
/// in one run of four each after the process alone was killed, and after a bit of a journal has
/// changed.
struct Recording {
  /// What a store has to have after a crash.
  struct Expected {
    var oracle: Oracle
    /// Documents that lost something to damage, which has to be reported.
    var damaged: Set<DocumentID> = []
    /// True if the journals have damage, so that recovery need not be sound.
    var mayBeDamaged = false
  }

  struct Moment {
    var snapshot: SimulatedFileSystem.Snapshot
    var expected: Expected
    /// The operation that did not happen.
    var operation: String
    /// Changes with what is expected.
    var generation = 0
  }

  private(set) var moments: [Moment] = []
  private var random: SplitMix64
  private let workload: Workload

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed ^ 0x5EED)
    workload = Workload(seed: seed, renames: true)
    let system = SimulatedFileSystem()
    let steps = Int.random(in: seed % 4 == 1 ? 8...12 : 3...9, using: &random)
    try record(on: system) { [workload] system in
      let writer = try openWriter(system, seed: seed)
      for _ in 0..<steps { try workload.step(writer) }
      if seed % 2 == 0 { try writer.close() }
      workload.dropJobs()
    }
    // The writer after a killed one lets journals go at once, for what that one has sealed.
    let isEager = seed % 8 == 1
    let second =
      switch seed % 4 {
      case 3: try damaged(system.snapshot)
      case 1: try killed(isEager: isEager)
      default:
        try resumed(SimulatedFileSystem.crash(system.snapshot, .some(seed: random.next())))
      }
    try record(on: second.system, second.expected) { [workload] system in
      let writer = try openWriter(system, seed: seed &+ 1)
      if isEager { try writer.sealAll() }
      for _ in 0..<steps { try workload.step(writer) }
      try workload.finishJobs(writer)
      try writer.sealAll()
      try writer.close()
    }
  }

  private mutating func record(
    on system: SimulatedFileSystem, _ expected: Expected? = nil,
    _ body: (any FileSystem) throws -> Void
  ) throws {
    for moment in try workload.moments(on: system, body) {
      let operation = "\(moment.operation.name) \(moment.operation.path)"
      note(moment.snapshot, moment.oracle, expected, operation)
    }
    note(system.snapshot, workload.oracle, expected, "the end")
  }

  private mutating func note(
    _ snapshot: SimulatedFileSystem.Snapshot, _ oracle: Oracle, _ expected: Expected?,
    _ operation: String
  ) {
    var now = expected ?? Expected(oracle: oracle)
    now.oracle = oracle
    let acknowledged = oracle.acknowledged.values.reduce(0, +)
    let submitted = oracle.histories.values.reduce(0) { $0 + $1.count }
    moments.append(
      Moment(
        snapshot: snapshot, expected: now, operation: operation,
        generation: acknowledged &* 10_007 &+ submitted))
  }

  /// A disk that is gone on with after a crash.
  private func resumed(
    _ system: SimulatedFileSystem
  ) throws -> (system: SimulatedFileSystem, expected: Expected) {
    let store: Store
    do { store = try Store.open(at: "/store", fileSystem: system) } catch LogError.noStore {
      workload.resume(from: [:], names: [:])
      return (system, Expected(oracle: workload.oracle))
    }
    try resume(from: store)
    return (system, Expected(oracle: workload.oracle))
  }

  /// A moment at which the process was killed; the machine keeps what it has in memory.
  /// What was submitted and not acknowledged may be lost until the next writer has opened.
  private mutating func killed(
    isEager: Bool
  ) throws -> (system: SimulatedFileSystem, expected: Expected) {
    // Seals make the most names. Right after a rename, its folder is not flushed yet.
    let sealing = moments.filter { $0.operation.contains("/documents/") }
    let named = zip(moments, moments.dropFirst()).filter { before, _ in
      before.operation.hasPrefix("rename /store/documents/")
        && !before.operation.hasSuffix("name.tmp")
    }.map(\.1)
    let all = [isEager ? named : [], sealing].first { !$0.isEmpty } ?? moments
    let moment = all[Int(random.next() % UInt64(all.count))]
    let system = SimulatedFileSystem(moment.snapshot)
    let before = moment.expected.oracle
    workload.resume(from: before)
    do {
      try resume(from: try Store.open(at: "/store", fileSystem: system), isDurable: false)
    } catch LogError.noStore { workload.resume(from: [:], names: [:]) }
    return (system, Expected(oracle: workload.oracle))
  }

  private func resume(
    from store: Store, isDurable: Bool = true, isDamaged: Bool = false
  ) throws {
    let oracle = workload.oracle
    var lists: [DocumentID: [HistoryEntry]] = [:]
    var names: [DocumentID: DocumentID] = [:]
    for document in oracle.histories.keys {
      let history: History?
      do {
        history = try oracle.history(of: document, isDamaged: isDamaged, store.history)
      } catch LogError.damaged where isDamaged {
        // It has a folder, but its entries in the journal are lost: reported, and it starts over.
        history = nil
      }
      lists[document] = try entries(history)
      names[document] = history?.document ?? document
    }
    workload.resume(from: lists, names: names, isDurable: isDurable)
  }

  /// A disk with a bit of a journal changed, and what a reader gets of it.
  private mutating func damaged(
    _ snapshot: SimulatedFileSystem.Snapshot
  ) throws -> (system: SimulatedFileSystem, expected: Expected) {
    let system = SimulatedFileSystem(snapshot)
    let before = workload.oracle
    let journals = system.filePaths.filter { $0.hasSuffix(".journal") }
    guard let path = journals.randomElement(using: &random), var bytes = system[path],
      let last = bytes.lastIndex(where: { $0 != 0 })
    else { return try resumed(system) }
    bytes[Int.random(in: 0...last, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    system[path] = bytes
    let store = try Store.open(at: "/store", fileSystem: system)
    try resume(from: store, isDamaged: true)
    let after = workload.oracle
    var expected = Expected(oracle: after, mayBeDamaged: true)
    // Where the last batch of all was hit, and never confirmed, it counts as torn.
    for (document, list) in after.histories where !store.damages.isEmpty {
      if list.count < before.acknowledged[document] ?? 0 { expected.damaged.insert(document) }
    }
    return (system, expected)
  }

  /// The moments of recovery from a crash.
  static func recovery(
    of snapshot: SimulatedFileSystem.Snapshot, _ moment: Moment
  ) throws -> [Moment] {
    let moments = try Workload(seed: 0).moments(on: SimulatedFileSystem(snapshot)) { system in
      _ = try openWriter(system, seed: 5)
    }
    return moments.map { second in
      Moment(
        snapshot: second.snapshot, expected: moment.expected,
        operation: "\(moment.operation), then \(second.operation.name) \(second.operation.path)",
        generation: moment.generation)
    }
  }
}
