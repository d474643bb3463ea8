import EditLog
import EditModel
import TestSupport

/// Recovers a state of the disk, and compares it with what has to be there.
struct StateCheck {
  struct Failure: Error {
    var what: String
    var detail: String
  }

  let expected: Recording.Expected
  typealias Lists = [DocumentID: [HistoryEntry]]

  /// - Throws: `Failure`, or the error with which the store refuses to open.
  func check(_ snapshot: SimulatedFileSystem.Snapshot) throws {
    let system = SimulatedFileSystem(snapshot)
    try read(snapshot)
    let found = try recover(system, seed: 2)
    // What recovery did is durable: a crash right after it changes nothing.
    let again = SimulatedFileSystem.crash(system.snapshot, .all)
    let writer = try openWriter(again, seed: 3)
    guard try lists(of: writer) == found else {
      throw Failure(what: "recovered twice, and not the same", detail: counts(found))
    }
    let grown = try append(to: writer, found)
    let after = SimulatedFileSystem.crash(again.snapshot, .all)
    let last = try openWriter(after, seed: 4)
    guard try lists(of: last) == grown else {
      throw Failure(what: "lost what was appended after recovery", detail: counts(grown))
    }
  }

  /// A reader sees a crash's remains as no damage.
  private func read(_ snapshot: SimulatedFileSystem.Snapshot) throws {
    guard !expected.mayBeDamaged else { return }
    let store: Store
    do {
      store = try Store.open(at: "/store", fileSystem: SimulatedFileSystem(snapshot))
    } catch LogError.noStore { return }
    guard store.damages.isEmpty else {
      throw Failure(what: "a reader sees damage", detail: "\(store.damages)")
    }
  }

  private func recover(_ system: SimulatedFileSystem, seed: UInt64) throws -> Lists {
    let writer = try openWriter(system, seed: seed)
    guard writer.recovery.isSound || expected.mayBeDamaged else {
      throw Failure(what: "recovery is not sound", detail: "\(writer.recovery)")
    }
    let kept = try writer.status().quarantine
    guard writer.recovery.quarantined.allSatisfy({ kept[$0] != nil }) else {
      throw Failure(what: "not in quarantine", detail: "\(writer.recovery.quarantined)")
    }
    let found = try lists(of: writer)
    for (document, submitted) in expected.oracle.histories {
      let list = found[document] ?? []
      let acknowledged = expected.oracle.acknowledged[document] ?? 0
      guard list.count >= acknowledged else {
        throw Failure(
          what: "lost", detail: "\(list.count) of \(acknowledged) entries of \(document)")
      }
      guard submitted.starts(with: list) else {
        throw Failure(what: "wrong entries", detail: "\(list.count) of \(document)")
      }
      if expected.damaged.contains(document) { try checkTold(document, writer) }
      // One bit makes one gap, however often a stop makes recovery start over.
      let gaps = try expected.oracle.history(of: document, writer.history)?.damage ?? []
      guard gaps.count < 2 else { throw Failure(what: "a gap is told twice", detail: "\(gaps)") }
    }
    return found
  }

  /// A history reports what it lacks if it can know. If no entry of the document follows a lost
  /// batch, it is not known whether the batch had entries of it: then the store reports the loss.
  private func checkTold(_ document: DocumentID, _ writer: StoreWriter) throws {
    let history = try expected.oracle.history(of: document, writer.history)
    guard history?.damage.isEmpty ?? true, writer.recovery.damages.isEmpty,
      try writer.status().quarantine.isEmpty
    else { return }
    throw Failure(what: "silently shorter", detail: "\(document)")
  }

  private func lists(of writer: StoreWriter) throws -> Lists {
    var lists: Lists = [:]
    for document in expected.oracle.histories.keys {
      lists[document] = try entries(expected.oracle.history(of: document, writer.history))
    }
    return lists
  }

  /// Appends an edit to one document, and gives what is there then.
  private func append(to writer: StoreWriter, _ found: Lists) throws -> Lists {
    guard let document = found.keys.min(by: { $0.name < $1.name }) else { return found }
    let name = try expected.oracle.history(of: document, writer.history)?.document ?? document
    let last = try writer.lastSequence(of: name) ?? 0
    let edit = HistoryEntry.edit(
      Edit(
        sequence: last + 1, action: EditAction(replacing: UTF16Range(0..<0), with: "more"),
        time: Timestamp(nanoseconds: 1 << 60)))
    _ = try writer.append([(name, [edit])])
    var lists = found
    lists[document, default: []].append(edit)
    return lists
  }

  private func counts(_ lists: Lists) -> String {
    lists.sorted { $0.key.name < $1.key.name }.map { "\($0.key): \($0.value.count)" }
      .joined(separator: ", ")
  }
}
