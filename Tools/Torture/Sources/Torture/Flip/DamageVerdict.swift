import EditLog
import EditModel
import TestSupport

/// Reads a damaged store, and compares it with what it held.
struct DamageVerdict {
  typealias Failure = StateCheck.Failure

  let store: DamagedStore
  let damage: Damage
  /// True once something was shorter than it was and only its acknowledgement shows it.
  private(set) var isShownByHead = false
  /// How many gaps were reported to a reader.
  private var gaps: [DocumentID: Int] = [:]

  init(_ store: DamagedStore, _ damage: Damage) { (self.store, self.damage) = (store, damage) }

  /// - Throws: `Failure`.
  mutating func read(_ disk: SimulatedFileSystem) throws {
    let opened: Store
    do throws(LogError) { opened = try Store.open(at: "/store", fileSystem: disk) } catch {
      return try checkNamed(error)
    }
    if try checkBatch(opened) { return }
    for (document, expected) in store.lists {
      do {
        let history = try opened.history(of: document)
        gaps[document] = history?.damage.count
        try check(history, document, expected, isTold: !opened.damages.isEmpty)
        try checkMended(history, expected)
      } catch let error as LogError {
        if isMendable { throw Failure(what: "not mended", detail: "\(damage): \(error)") }
        try checkNamed(error)
      }
    }
    try checkCheckpoint(opened)
  }

  /// The batches after a missing or exchanged one reveal it. True if nothing else can be checked:
  /// the exchanged batch was written once, though not in this life.
  private func checkBatch(_ opened: Store) throws -> Bool {
    switch damage {
    case .spliced(let batch) where batch < store.batches.count - 1 && opened.damages.isEmpty:
      throw Failure(what: "a batch is not missed", detail: "\(damage)")
    case .exchanged(let batch):
      let (file, range) = store.batches[batch]
      let isOther = store.files[file].bytes[range] != store.otherLife[file][range]
      guard isOther, batch < store.batches.count - 1, opened.damages.isEmpty else { return isOther }
      throw Failure(what: "a batch of another life", detail: "\(damage)")
    default: return false
    }
  }

  /// Opens it for writing. What is then there is what was there before, or less and told.
  mutating func recover(_ disk: SimulatedFileSystem) throws {
    if case .exchanged = damage { return }
    let writer: StoreWriter
    do throws(LogError) {
      writer = try StoreWriter(
        at: "/store", fileSystem: disk, random: SeededBytes(seed: 1), options: .small)
    } catch { return try checkNamed(error) }
    if let violation = writer.invariantViolation() {
      throw Failure(what: "the writer's memory is inconsistent", detail: "\(damage): \(violation)")
    }
    for (document, expected) in store.lists {
      do {
        let history = try writer.history(of: document)
        let isTold = !writer.recovery.isSound || !writer.recovery.quarantined.isEmpty
        try check(history, document, expected, isTold: isTold)
        guard history?.damage.count ?? 0 >= gaps[document] ?? 0 else {
          throw Failure(what: "a gap is forgotten", detail: "\(damage) of \(document)")
        }
      } catch let error as LogError { try checkNamed(error) }
    }
    if isMendable { try repair(writer, disk) }
  }

  /// Has the segments repaired, and again after the same bit changed again. What they were before
  /// is kept, both times.
  private func repair(_ writer: StoreWriter, _ disk: SimulatedFileSystem) throws {
    guard case .bit(let file, let bit) = damage else { return }
    let path = store.files[file].path
    let before = try writer.status().quarantine.count
    let isMended = try writer.repair().contains { path.hasSuffix($0.file) }
    let after = try writer.status().quarantine.count
    guard isMended, after > before, var bytes = disk[path], bit / 8 < bytes.count else { return }
    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    disk[path] = bytes
    _ = try writer.repair()
    let count = try writer.status().quarantine.count
    guard count == after + 1 else {
      throw Failure(what: "not in quarantine", detail: "\(damage) of \(path), mended twice")
    }
  }

  /// One bit of a segment is always mended: what the unit held is in the others of its stripe.
  private var isMendable: Bool {
    guard case .bit(let file, _) = damage else { return false }
    return store.files[file].path.hasSuffix(".segment")
  }

  /// One bit of a journal is of one batch at most.
  private var isOneBatch: Bool {
    guard case .bit(let file, _) = damage else { return false }
    return store.files[file].path.hasSuffix(".journal")
  }

  private func checkMended(_ history: History?, _ expected: [HistoryEntry]) throws {
    guard isMendable, try entries(history) != expected else { return }
    throw Failure(what: "not mended", detail: "\(damage)")
  }

  private mutating func check(
    _ history: History?, _ document: DocumentID, _ expected: [HistoryEntry], isTold: Bool
  ) throws {
    let found = try entries(history)
    if found == expected { return }
    guard isSubsequence(found, of: expected) else {
      throw Failure(what: "wrong entries", detail: describe(document, found, expected))
    }
    guard !(history?.damage.isEmpty ?? true) || expected.starts(with: found) else {
      throw Failure(what: "a gap is not told", detail: describe(document, found, expected))
    }
    if isTold || !(history?.damage.isEmpty ?? true) {
      let unreachable = (history?.damage ?? []).reduce(0) { $0 + $1.unreachableEntries }
      let lost = expected.count - found.count - Int(unreachable)
      guard isOneBatch, lost > store.batchCounts[document] ?? 0 else { return }
      throw Failure(
        what: "more lost than one batch", detail: describe(document, found, expected))
    }
    if damage.mayOnlyShowByHead, expected.starts(with: found),
      let receipt = store.receipts[document],
      try !(history?.confirms(receipt.head, at: receipt.lastSequence) ?? false)
    {
      isShownByHead = true
      return
    }
    throw Failure(what: "silently shorter", detail: describe(document, found, expected))
  }

  private func describe(
    _ document: DocumentID, _ found: [HistoryEntry], _ expected: [HistoryEntry]
  ) -> String {
    let files = damage.files(of: store).map { store.files[$0].path }.joined(separator: ", ")
    return "\(found.count) of \(expected.count) entries of \(document) after \(damage) of \(files)"
  }

  /// True if `part` is `whole` with some entries left out.
  private func isSubsequence(_ part: [HistoryEntry], of whole: [HistoryEntry]) -> Bool {
    var rest = whole[...]
    for entry in part {
      guard let place = rest.firstIndex(of: entry) else { return false }
      rest = rest[(place + 1)...]
    }
    return true
  }

  /// An error says which file, and is of a kind that damage has.
  private func checkNamed(_ error: LogError) throws {
    switch error {
    case .damaged(let file, _, _) where !file.isEmpty: return
    case .noStore, .newerFormat, .refused: return
    default: throw Failure(what: "an error that does not name the damage", detail: "\(error)")
    }
  }

  private func checkCheckpoint(_ opened: Store) throws {
    let (document, sequence, bytes) = store.checkpoint
    guard let history = try? opened.history(of: document),
      let found = try? history.checkpoint(atOrBefore: sequence)
    else { return }
    if found.sequence == sequence, found.bytes != bytes {
      throw Failure(what: "a wrong checkpoint", detail: "\(damage)")
    }
  }
}
