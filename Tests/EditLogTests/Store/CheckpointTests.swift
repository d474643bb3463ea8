import EditLog
import EditModel
import TestSupport
import Testing

/// Checkpoints that refer to one another, as the cache they are.
@Suite struct CheckpointTests {
  private let document = name("a")
  private let folder = "/store/documents/00000000000000000001"

  /// States that are alike, as the states of a text are.
  private func state(after sequence: SequenceNumber) -> [UInt8] {
    var random = SplitMix64(seed: 99)
    let size = Int(sequence) * 60
    return (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
      + Array("state \(sequence)".utf8)
  }

  /// A store with a checkpoint after each tenth edit.
  private func make(count: Int = 200, sizeMin: Int = 1 << 20) throws -> (
    SimulatedFileSystem, StoreWriter, [SequenceNumber]
  ) {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system) { $0.checkpointSizeMin = sizeMin }
    var source = EntrySource(seed: 5)
    _ = try writer.append([(document, (0..<count).map { _ in source.edit(of: document) })])
    try writer.seal(document)
    let sequences = stride(from: 10, through: count, by: 10).map { SequenceNumber($0) }
    let job = try writer.prepareCheckpoints(document) { sink throws(LogError) in
      for sequence in sequences { try sink.store(state(after: sequence), at: sequence) }
    }
    job?.run()
    try writer.finish(#require(job))
    return (system, writer, sequences)
  }

  private func path(_ sequence: SequenceNumber) -> String {
    let digits = String(sequence)
    return
      "\(folder)/\(String(repeating: "0", count: 20 - digits.count))\(digits).checkpoint"
  }

  private func remove(_ sequence: SequenceNumber, _ system: SimulatedFileSystem) throws {
    let name = try #require(path(sequence).split(separator: "/").last)
    try system.directory(at: folder).remove(String(name))
  }

  /// Whatever is found is the state that was stored there.
  private func found(
    _ system: SimulatedFileSystem, notAfter sequence: SequenceNumber
  ) throws -> SequenceNumber? {
    let history = try Store.open(at: "/store", fileSystem: system).history(of: document)
    let found = try history?.checkpoint(atOrBefore: sequence)
    if let found { #expect(found.bytes == state(after: found.sequence)) }
    return found?.sequence
  }

  @Test func mostRefersToTheOneBefore() throws {
    let (system, _, sequences) = try make()
    let size = sequences.reduce(0) { $0 + (system[path($1)]?.count ?? 0) }
    let stateSize = sequences.reduce(0) { $0 + state(after: $1).count }
    #expect(size < stateSize / 2)
    for sequence in sequences { #expect(try found(system, notAfter: sequence + 9) == sequence) }
  }

  /// Any subset may go: what is left is right, and what cannot be used any more is passed over.
  @Test(arguments: UInt64(0)..<12)
  func anySubsetMayBeMissing(seed: UInt64) throws {
    let (system, writer, sequences) = try make()
    var random = SplitMix64(seed: seed)
    let left = sequences.filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
    for sequence in sequences where !left.contains(sequence) { try remove(sequence, system) }
    for sequence in sequences {
      let found = try found(system, notAfter: sequence)
      #expect(found.map { left.contains($0) && $0 <= sequence } ?? true)
    }
    let report = try Store.open(at: "/store", fileSystem: system).verify()
    #expect(report.problems.isEmpty)
    // The next job removes those that lost their base; what it leaves can all be used.
    let job = try #require(try writer.prepareCheckpoints(document) { _ in })
    job.run()
    try writer.finish(job)
    for sequence in try writer.checkpoints(of: document) {
      #expect(try found(system, notAfter: sequence) == sequence)
    }
  }

  /// A flipped bit never gives another state.
  @Test(arguments: UInt64(0)..<3)
  func aDamagedOneIsPassedOverAndRemoved(seed: UInt64) throws {
    let (system, writer, sequences) = try make(count: 60)
    let disk = system.snapshot
    var random = SplitMix64(seed: seed)
    for sequence in sequences {
      for _ in 0..<20 {
        let system = SimulatedFileSystem(disk)
        let count = try #require(system[path(sequence)]?.count)
        let offset = Int.random(in: 0..<count, using: &random)
        system[path(sequence)]?[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        for other in sequences { _ = try found(system, notAfter: other) }
        #expect(try found(system, notAfter: sequence) != sequence, "byte \(offset)")
      }
    }
    // The writer sees it when it next seals, bad payload or not.
    let victim = sequences[1]
    system[path(victim)]?[200] ^= 1
    var source = EntrySource(seed: 6)
    _ = source.edit(of: document)
    let event = HistoryEvent(
      kind: .closed(unsaved: false), after: 60, time: Timestamp(nanoseconds: 1 << 40))
    _ = try writer.append([(document, [.event(event)])])
    try writer.seal(document)
    #expect(try !writer.checkpoints(of: document).contains(victim))
    for sequence in try writer.checkpoints(of: document) {
      #expect(try found(system, notAfter: sequence) == sequence)
    }
  }

  /// Where all together are larger than the history, old ones go before new ones, and none that
  /// another needs.
  @Test func oldOnesAreThinnedOut() throws {
    let (all, _, _) = try make()
    let total = all.names(at: folder).filter { $0.hasSuffix(".checkpoint") }
      .reduce(0) { $0 + (all["\(folder)/\($1)"]?.count ?? 0) }
    let (system, writer, sequences) = try make(sizeMin: total / 2)
    let left = try writer.checkpoints(of: document)
    let size = left.reduce(0) { $0 + (system[path($1)]?.count ?? 0) }
    let segments = system.names(at: folder).filter { $0.hasSuffix(".segment") }
      .reduce(0) { $0 + (system["\(folder)/\($1)"]?.count ?? 0) }
    #expect(size <= max(total / 2, 2 * segments))
    #expect(left.count < sequences.count && left.last == sequences.last)
    let middle = sequences[sequences.count / 2]
    #expect(left.count { $0 > middle } > left.count { $0 <= middle })
    for sequence in left { #expect(try found(system, notAfter: sequence) == sequence) }
  }

  /// The machine stops at any moment: nothing but time is lost.
  @Test func aCrashLosesNoHistory() throws {
    let (system, writer, _) = try make(count: 60)
    let list = try entries(writer.history(of: document))
    for seed in UInt64(0)..<20 {
      let after = SimulatedFileSystem.crash(system.snapshot, .some(seed: seed))
      for sequence in stride(from: UInt64(0), through: 60, by: 7) {
        _ = try found(after, notAfter: sequence)
      }
      #expect(try entries(openWriter(after).history(of: document)) == list)
    }
  }
}
