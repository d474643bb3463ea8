import EditModel
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// Documents that reuse each other's names, with seals, kills and restarts in between.
@Suite struct RenameTests {
  /// All entries of each document, by its present name.
  private struct Known {
    var entries: [DocumentID: [HistoryEntry]] = [:]

    mutating func rename(_ renames: [DocumentRename]) -> [(DocumentID, [HistoryEntry])] {
      let moved = renames.map { rename in
        let list = entries.removeValue(forKey: rename.old) ?? []
        let event = HistoryEvent(
          kind: .renamed(from: rename.old), after: list.last?.place ?? 0,
          time: list.last?.time ?? Timestamp(nanoseconds: 0))
        return (rename.new, list + [.event(event)])
      }
      for (name, list) in moved { entries[name] = list }
      return moved.map { ($0.0, Array($0.1.suffix(1))) }
    }

    mutating func append(to name: DocumentID) -> [HistoryEntry] {
      var list = entries[name] ?? []
      let first = (list.last?.place ?? 0) + 1
      let new = (first..<first + 3).map { sequence in
        HistoryEntry.edit(
          Edit(
            sequence: sequence,
            action: EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(name.name))))
      }
      list += new
      entries[name] = list
      return new
    }
  }

  @Test(arguments: seeds(12))
  func `names are reused`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var system = SimulatedFileSystem()
    var writer = try openWriter(system, seed: seed)
    var known = Known()
    let names = ["a", "b", "c", "d"].map { name($0) }
    for step in 0..<60 {
      let free = names.filter { known.entries[$0] == nil }
      let taken = names.filter { known.entries[$0] != nil }
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<3:
        let name = names[Int.random(in: 0..<4, using: &random)]
        _ = try writer.append([(name, known.append(to: name))])
      case 3..<5 where !free.isEmpty && !taken.isEmpty:
        let old = taken.randomElement(using: &random) ?? taken[0]
        let renames = [DocumentRename(old, to: free.randomElement(using: &random) ?? free[0])]
        _ = try writer.append(known.rename(renames), renaming: renames)
      case 5 where taken.count > 1:
        let shuffled = taken.shuffled(using: &random)
        let renames = zip(taken, shuffled).filter { $0 != $1 }.map { DocumentRename($0, to: $1) }
        _ = try writer.append(known.rename(renames), renaming: renames)
      case 6..<8:
        if let name = taken.randomElement(using: &random) { try writer.seal(name) }
      case 8: try writer.markDurable()
      default:
        if Bool.random(using: &random) { try writer.close() }
        system = SimulatedFileSystem(system.snapshot)
        writer = try openWriter(system, seed: seed)
      }
      let store = try Store.open(at: "/store", fileSystem: SimulatedFileSystem(system.snapshot))
      for name in names {
        #expect(try entries(writer.history(of: name)) == known.entries[name] ?? [], "step \(step)")
        #expect(try entries(store.history(of: name)) == known.entries[name] ?? [], "step \(step)")
        let former = known.entries.filter { document, list in
          document != name
            && list.contains {
              if case .event(let event) = $0 { event.kind == .renamed(from: name) } else { false }
            }
        }
        #expect(try Set(store.documents(formerlyNamed: name)) == Set(former.keys), "step \(step)")
      }
      let problems = try store.verify().problems
      #expect(problems.isEmpty, "step \(step): \(problems)")
    }
    try writer.close()
  }
}
