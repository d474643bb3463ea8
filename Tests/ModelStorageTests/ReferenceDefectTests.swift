import ModelStorage
import TestSupport
import Testing

/// Defects of the reference, DTModelStorage 7.4.1, that this storage does not have. The accumulation
/// strategies are in `AccumulationTests`.
@Suite struct ReferenceDefectTests {
  private struct Refusal: Error {}

  /// In the reference an inner batch delivers everything so far, and the rest goes out one by one.
  @Test func batchesNest() throws {
    var storage = storage("1a")
    var replica = StorageReplica(of: storage)
    let update = try storage.performUpdates { storage throws in
      #expect(try storage.append(entries("2b")) == nil)
      let inner = try storage.performUpdates { storage throws in
        #expect(try storage.append(entries("3c")) == nil)
      }
      #expect(inner == nil)
      #expect(try storage.append(entries("4d")) == nil)
    }
    #expect(update?.number == 1 && update?.steps.count == 3 && storage.number == 1)
    try replica.apply(try #require(update))
    #expect(replica.sections == storage.sections && storage.text == "1a 2b 3c 4d")
  }

  /// In the reference a change that a receiver makes while it handles an update is added to that
  /// update, which is then delivered twice.
  @Test func aChangeByAReceiverIsAnUpdateOfItsOwn() throws {
    var storage = storage("")
    let first = try #require(try storage.append(entries("1a")))
    let kept = first
    let second = try #require(try storage.append(entries("2b")))
    #expect(first == kept && first.steps.count == 1 && second.steps.count == 1)
    #expect((first.number, second.number) == (1, 2))
  }

  /// In the reference a receiver may apply updates out of order, with another result.
  @Test func updatesAreAppliedInOrderOnly() throws {
    var storage = storage("")
    var replica = StorageReplica(of: storage)
    let first = try #require(try storage.append(entries("1a")))
    let second = try #require(
      try storage.insert(Entry(id: 2, value: "b"), at: ItemPath(section: 0, item: 0)))
    #expect(throws: ReplicaError.outOfOrder(expected: 1, found: 2)) { try replica.apply(second) }
    #expect(replica.sections == [StorageSection([])])
    try replica.apply(first)
    #expect(throws: ReplicaError.outOfOrder(expected: 2, found: 1)) { try replica.apply(first) }
    try replica.apply(second)
    #expect(replica.sections == storage.sections)
    // A snapshot needs no earlier update, but must be newer than the copy.
    var late = StorageReplica(of: storageOf("9z"))
    let removal = storage.removeAllItems()
    let snapshot = try #require(removal)
    try late.apply(snapshot)
    #expect(late.sections == storage.sections && late.number == 3)
    #expect(throws: ReplicaError.outOfOrder(expected: 4, found: 3)) { try late.apply(snapshot) }
  }

  private func storageOf(_ text: String) -> Storage { storage(text) }

  /// In the reference the error of an insertion is swallowed, and an empty section may stay behind.
  @Test func aFailedInsertionLeavesNoSection() throws {
    var storage = storage("1a")
    #expect(throws: StorageAnomaly.insertionOutside(ItemPath(section: 3, item: 1), count: 0)) {
      try storage.insert(Entry(id: 2, value: "b"), at: ItemPath(section: 3, item: 1))
    }
    #expect(storage.sections.count == 1)
  }

  /// In the reference an insertion of several items does nothing outside a batch.
  @Test func severalItemsAreInsertedWithoutABatch() throws {
    var storage = storage("1a")
    let paths = [ItemPath(section: 0, item: 0), ItemPath(section: 1, item: 0)]
    #expect(try storage.insert(entries("2b 3c"), at: paths) != nil)
    #expect(storage.text == "2b 1a | 3c")
    // Paths beyond the end are not skipped silently.
    #expect(throws: StorageAnomaly.self) {
      try storage.insert(
        entries("4d 5e"), at: [ItemPath(section: 0, item: 0), ItemPath(section: 0, item: 9)])
    }
    #expect(storage.text == "2b 1a | 3c")
  }

  /// In the reference, naming equal items twice removes a wrong neighbour: [1,2,1,3] minus [1,1] is
  /// [1,3].
  @Test func anIdentityNamedTwiceRemovesTwoItsOwn() throws {
    var storage = storage("1a 2b 1c 3d")
    try storage.remove([1, 1])
    #expect(storage.text == "2b 3d")
  }

  /// In the reference, setting items is delivered even if nothing changed, needs a receiver to take
  /// effect, and ignores batches.
  @Test func settingItemsNeedsNoReceiverAndRespectsBatches() throws {
    var storage = storage("1a")
    #expect(try storage.setItems(entries("1a")) == nil)
    let update = try storage.performUpdates { storage throws in
      #expect(try storage.setItems(entries("2b")) == nil)
      #expect(try storage.setItems(entries("2b 3c")) == nil)
    }
    #expect(update?.steps.count == 2 && storage.text == "2b 3c")
  }

  /// In the reference, reload requests inside changes without animation are lost.
  @Test func quietChangesAreExactlyOneSnapshot() throws {
    var storage = storage("1a | 2b")
    var replica = StorageReplica(of: storage)
    let update = try #require(
      try storage.performQuietly { storage throws in
        #expect(try storage.append(entries("3c")) == nil)
        #expect(storage.setItemsOfAllSections([entries("4d")]) == nil)
        let inner = try storage.performQuietly { storage throws in
          try storage.move(from: ItemPath(section: 0, item: 0), to: ItemPath(section: 1, item: 0))
        }
        #expect(inner == nil)
      })
    #expect(update.steps == [.snapshot(storage.sections)] && update.isSnapshot)
    #expect(storage.number == 1)
    try replica.apply(update)
    #expect(replica.sections == storage.sections && storage.text == " | 4d")
  }

  /// Quiet changes inside a batch make the whole batch one snapshot.
  @Test func aBatchWithQuietChangesIsOneSnapshot() throws {
    var storage = storage("1a")
    let update = try storage.performUpdates { storage throws in
      try storage.append(entries("2b"))
      try storage.performQuietly { storage throws in try storage.append(entries("3c")) }
      try storage.append(entries("4d"))
    }
    #expect(update?.steps == [.snapshot(storage.sections)] && storage.text == "1a 2b 3c 4d")
  }

  @Test func aBatchThatFailsChangesNothing() throws {
    var storage = storage("1a")
    #expect(throws: Refusal.self) {
      try storage.performUpdates { storage throws in
        try storage.append(entries("2b"))
        throw Refusal()
      }
    }
    #expect(storage.text == "1a" && storage.number == 0)
    #expect(try storage.append(entries("3c"))?.steps.count == 1)
  }

  /// In the reference a deleted section does not renumber the reports of those after it.
  @Test func aChangeAfterADeletedSectionHasItsNewIndex() throws {
    var storage = storage("1a | 2b | 3c")
    var replica = StorageReplica(of: storage)
    let deletion = storage.deleteSections([0])
    let reload = storage.reload(Entry(id: 3, value: "x"))
    try replica.apply(try #require(deletion))
    let update = try #require(reload)
    guard case .items(section: 1, let difference) = update.steps[0] else {
      Issue.record("the section's index is not 1")
      return
    }
    #expect(difference.updates == [.init(0, Entry(id: 3, value: "x"))])
    try replica.apply(update)
    #expect(replica.sections == storage.sections)
  }

  /// In the reference a section that replaced another one reports under the index of the last.
  @Test func aReplacedSectionReportsItsOwnIndex() throws {
    var storage = storage("1a | 2b | 3c")
    let section = StorageSection<Entry, String>(entries("4d"))
    try storage.perform([
      .sections(ListDifference(oldCount: 3, updates: [.init(0, section)]))
    ])
    let update = storage.reload(Entry(id: 4, value: "x"))
    let expected = ListDifference(oldCount: 1, updates: [.init(0, Entry(id: 4, value: "x"))])
    #expect(update?.steps == [.items(section: 0, expected)])
  }

  /// In the reference two updates are equal if only their contents differ.
  @Test func updatesOfOtherContentAreNotEqual() {
    var (left, right) = (storage("1a"), storage("1a"))
    let same = left.reload(Entry(id: 1, value: "x")) == right.reload(Entry(id: 1, value: "x"))
    let other = left.reload(Entry(id: 1, value: "y")) == right.reload(Entry(id: 1, value: "z"))
    #expect(same && !other)
  }

  /// Steps that do not fit are refused as a whole.
  @Test func stepsThatDoNotFitChangeNothing() {
    var storage = storage("1a")
    #expect(throws: DifferenceError.self) {
      try storage.perform([
        .items(section: 0, ListDifference(oldCount: 1, removals: [0])),
        .move(from: ItemPath(section: 0, item: 0), to: ItemPath(section: 0, item: 0)),
      ])
    }
    #expect(throws: DifferenceError.self) {
      try storage.perform([.supplementary(section: 1, key: .header, value: "x")])
    }
    #expect(storage.text == "1a" && storage.number == 0)
  }
}
