import ModelStorage
import TestSupport
import Testing

/// Random operations, in batches in batches, against plain lists; a copy that gets only updates.
@Suite struct StorageOracleTests {
  @Test(arguments: seeds(40)) func theStorageIsItsListsAndItsCopies(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var storage = Storage()
    storage.silencers.silence { _ in true }
    var lists: [[Entry]] = []
    var replica = StorageReplica(of: storage)
    // This one gets its updates late.
    var (late, waiting) = (replica, [Update]())
    for _ in 0..<80 {
      let number = storage.number
      let update = operate(&storage, &lists, depth: 0, &random)
      #expect(storage.number == number + (update == nil ? 0 : 1))
      #expect(storage.sections.map(\.items) == lists, "seed \(seed)")
      if let update {
        try replica.apply(update)
        waiting.append(update)
      }
      #expect(replica.sections == storage.sections, "seed \(seed)")
      guard random.below(10) == 0 else { continue }
      for update in waiting { try late.apply(update) }
      waiting = []
      #expect(late.sections == storage.sections)
    }
  }

  private func operate(
    _ storage: inout Storage, _ lists: inout [[Entry]], depth: Int, _ random: inout SplitMix64
  ) -> Update? {
    let kind = random.below(14)
    guard depth < 3, kind < 3 else { return change(&storage, &lists, &random) }
    func body(_ storage: inout Storage) {
      for _ in 0..<random.below(4) {
        let update = operate(&storage, &lists, depth: depth + 1, &random)
        #expect(update == nil)
      }
    }
    return kind == 0
      ? storage.performQuietly { body(&$0) } : storage.performUpdates { body(&$0) }
  }

  /// One operation, done to the lists in the plain way.
  private func change(
    _ storage: inout Storage, _ lists: inout [[Entry]], _ random: inout SplitMix64
  ) -> Update? {
    let section = random.below(lists.count + 2)
    let item = Entry(id: random.below(9), value: ["a", "b", "c"][random.below(3)])
    func grow(_ section: Int) { while lists.count <= section { lists.append([]) } }
    func count(_ section: Int) -> Int { section < lists.count ? lists[section].count : 0 }
    let index = random.below(count(section) + 2)
    switch random.below(10) {
    case 0:
      grow(section)
      lists[section].append(item)
      return try? storage.append([item], to: section)
    case 1:
      if index <= count(section) {
        grow(section)
        lists[section].insert(item, at: index)
      }
      return try? storage.insert(item, at: ItemPath(section: section, item: index))
    case 2:
      for list in lists.indices {
        guard let place = lists[list].firstIndex(where: { $0.id == item.id }) else { continue }
        lists[list][place] = item
        break
      }
      return storage.reload(item)
    case 3:
      for list in lists.indices {
        guard let place = lists[list].firstIndex(where: { $0.id == item.id }) else { continue }
        lists[list].remove(at: place)
        break
      }
      return try? storage.remove([item.id])
    case 4:
      let other = random.below(lists.count + 2)
      let place = random.below(count(other) + 2)
      let room = count(other) - (section == other ? 1 : 0)
      if index < count(section), place <= room {
        grow(other)
        let moved = lists[section].remove(at: index)
        lists[other].insert(moved, at: place)
      }
      return try? storage.move(
        from: ItemPath(section: section, item: index), to: ItemPath(section: other, item: place))
    case 5:
      if section < lists.count { lists.remove(at: section) }
      return storage.deleteSections([section])
    case 6:
      if section <= lists.count { lists.insert([item], at: section) }
      return try? storage.insertSection(StorageSection([item]), at: section)
    case 7:
      let other = random.below(lists.count + 1)
      grow(max(section, other))
      let moved = lists.remove(at: section)
      lists.insert(moved, at: other)
      return try? storage.moveSection(from: section, to: other)
    case 8:
      let items = random.entries(random.below(12), repeats: true)
      grow(section)
      lists[section] = items
      return random.below(2) == 0
        ? try? storage.setItems(items, in: section, by: HeckelDifference())
        : try? storage.setItems(items, in: section)
    default:
      return try? storage.setSupplementary(
        random.below(2) == 0 ? item.value : nil, .header,
        in: lists.isEmpty ? -1 : random.below(lists.count))
    }
  }
}
