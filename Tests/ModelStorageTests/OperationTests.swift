import ModelStorage
import TestSupport
import Testing

/// The operations of a storage, one by one.
@Suite struct OperationTests {
  private typealias Path = ItemPath

  /// A storage before, an operation, and the storage after; `nil` if nothing is to be told.
  private struct Case: Sendable {
    let before: String
    let operation: @Sendable (inout Storage) throws -> Update?
    let after: String?
  }

  private static let cases: [Case] = [
    Case(before: "1a", operation: { try $0.append(entries("2b 3c")) }, after: "1a 2b 3c"),
    // Missing sections are created.
    Case(before: "1a", operation: { try $0.append(entries("2b"), to: 2) }, after: "1a |  | 2b"),
    Case(
      before: "1a", operation: { try $0.insert(entries("2b")[0], at: Path(section: 1, item: 0)) },
      after: "1a | 2b"),
    Case(
      before: "1a 2b",
      operation: {
        // Each path counts the items before it.
        try $0.insert(
          entries("3c 4d"), at: [Path(section: 0, item: 2), Path(section: 0, item: 3)])
      }, after: "1a 2b 3c 4d"),
    Case(
      before: "1a 2b", operation: { $0.reload(Entry(id: 2, value: "x")) }, after: "1a 2x"),
    Case(before: "1a 2b", operation: { $0.reload(Entry(id: 9, value: "x")) }, after: nil),
    Case(
      before: "1a 2b 1c", operation: { try $0.replace(1, with: Entry(id: 7, value: "x")) },
      after: "7x 2b 1c"),
    Case(before: "1a 2b 1c", operation: { try $0.remove([1]) }, after: "2b 1c"),
    Case(before: "1a | 2b 1c", operation: { try $0.remove([1, 2, 1]) }, after: " | "),
    Case(
      before: "1a 2b 3c",
      operation: {
        $0.remove(at: [Path(section: 0, item: 0), Path(section: 0, item: 2)])
      }, after: "2b"),
    // A missing path, and one named twice, are left out.
    Case(
      before: "1a 2b 3c",
      operation: {
        $0.remove(
          at: [
            Path(section: 0, item: 1), Path(section: 0, item: 1), Path(section: 0, item: 3),
            Path(section: 4, item: 0), Path(section: -1, item: -1),
          ])
      }, after: "1a 3c"),
    Case(before: "1a 2b | 3c", operation: { $0.removeItems(in: 0) }, after: " | 3c"),
    Case(before: "1a 2b | 3c", operation: { $0.removeItems(in: 5) }, after: nil),
    Case(before: "1a | 2b | 3c", operation: { $0.deleteSections([0, 2, 7]) }, after: "2b"),
    Case(before: "1a | 2b", operation: { $0.deleteSections([7]) }, after: nil),
    Case(
      before: "1a | 3c",
      operation: { try $0.insertSection(StorageSection(entries("2b")), at: 1) },
      after: "1a | 2b | 3c"),
    Case(
      before: "1a | 2b | 3c", operation: { try $0.moveSection(from: 0, to: 2) },
      after: "2b | 3c | 1a"),
    Case(before: "1a", operation: { try $0.moveSection(from: 0, to: 2) }, after: " |  | 1a"),
    Case(
      before: "1a 2b 3c",
      operation: { try $0.move(from: Path(section: 0, item: 0), to: Path(section: 0, item: 2)) },
      after: "2b 3c 1a"),
    Case(
      before: "1a 2b",
      operation: { try $0.move(from: Path(section: 0, item: 0), to: Path(section: 2, item: 0)) },
      after: "2b |  | 1a"),
    Case(
      before: "1a 2b 3c", operation: { try $0.setItems(entries("3c 1x 9z")) }, after: "3c 1x 9z"),
    Case(before: "1a 2b", operation: { try $0.setItems(entries("1a 2b")) }, after: nil),
    Case(
      before: "1a | 2b", operation: { $0.setItemsOfAllSections([entries("9z")]) }, after: "9z"),
    Case(before: "1a | 2b", operation: { $0.removeAllItems() }, after: " | "),
    Case(before: "", operation: { try $0.append([]) }, after: nil),
    Case(before: "1a", operation: { $0.performUpdates { _ in } }, after: nil),
    Case(before: "1a", operation: { $0.performQuietly { _ in } }, after: nil),
  ]

  @Test(arguments: cases.indices) func anOperationTellsItsChanges(index: Int) throws {
    let test = Self.cases[index]
    var storage = storage(test.before)
    var replica = StorageReplica(of: storage)
    let update = try test.operation(&storage)
    #expect((update == nil) == (test.after == nil), "case \(index)")
    #expect(storage.text == test.after ?? test.before, "case \(index)")
    if let update { try replica.apply(update) }
    #expect(replica.sections == storage.sections, "case \(index)")
    #expect(storage.number == (update == nil ? 0 : 1))
  }

  @Test func queries() {
    let storage = storage("1a | 2b 1c")
    #expect(storage.itemCount == 3)
    #expect(storage[Path(section: 1, item: 1)] == Entry(id: 1, value: "c"))
    for path in [Path(section: 1, item: 2), Path(section: 2, item: 0), Path(section: 0, item: -1)] {
      #expect(storage[path] == nil)
    }
    #expect(storage.firstPath(of: 1) == Path(section: 0, item: 0))
    #expect(storage.firstPath(of: 9) == nil)
    #expect(storage.items(in: 1) == entries("2b 1c") && storage.items(in: 2) == nil)
  }

  @Test func supplementaryDataOfSections() throws {
    var storage = storage("1a")
    var replica = StorageReplica(of: storage)
    func check(_ update: Update?, changes: Bool = true) throws {
      #expect((update != nil) == changes)
      if let update { try replica.apply(update) }
      #expect(replica.sections == storage.sections)
    }
    try check(storage.setSupplementary("title", .header, in: 0))
    try check(storage.setSupplementary("title", .header, in: 0), changes: false)
    #expect(storage.supplementary(.header, in: 0) == "title")
    #expect(storage.supplementary(.footer, in: 0) == nil)
    #expect(storage.supplementary(.header, in: 3) == nil)
    // Missing sections are created, but not to remove what they do not have.
    try check(storage.setSupplementary(nil, .header, in: 3), changes: false)
    try check(storage.setSupplementaries(["one", "two", "three"], kind: "header"))
    #expect(storage.sections.count == 3 && storage.supplementary(.header, in: 2) == "three")
    try check(storage.setSupplementary("second", SupplementaryKey("header", index: 1), in: 0))
    try check(storage.setSupplementaries(["new"], kind: "header"))
    #expect(storage.supplementary(.header, in: 0) == "new")
    #expect(storage.supplementary(.header, in: 1) == "two")
    try check(storage.setSupplementary("end", .footer, in: 1))
    // An empty list clears the kind everywhere.
    try check(storage.setSupplementaries([], kind: "header"))
    #expect(storage.sections.map(\.supplementaries) == [[:], [.footer: "end"], [:]])
    try check(storage.setSupplementaries([], kind: "header"), changes: false)
    try check(storage.setSupplementary(nil, .footer, in: 1))
    #expect(storage.sections.map(\.supplementaries) == [[:], [:], [:]])
  }

  /// An operation that cannot be done throws its anomaly with its numbers, and changes nothing.
  private static let anomalies: [(@Sendable (inout Storage) throws -> Update?, StorageAnomaly)] = [
    (
      { try $0.insert(entries("9z")[0], at: Path(section: 0, item: 3)) },
      .insertionOutside(Path(section: 0, item: 3), count: 2)
    ),
    (
      { try $0.insert(entries("9z")[0], at: Path(section: 4, item: 1)) },
      .insertionOutside(Path(section: 4, item: 1), count: 0)
    ),
    (
      { try $0.append(entries("9z"), to: -1) },
      .insertionOutside(Path(section: -1, item: 0), count: 1)
    ),
    (
      { try $0.insertSection(at: 2) }, .insertionOutside(Path(section: 2, item: 0), count: 1)
    ),
    (
      { try $0.setItems([], in: -1) }, .insertionOutside(Path(section: -1, item: 0), count: 1)
    ),
    (
      { try $0.setSupplementary("x", .header, in: -1) },
      .insertionOutside(Path(section: -1, item: 0), count: 1)
    ),
    (
      { try $0.insert(entries("8y 9z"), at: [Path(section: 0, item: 0)]) },
      .batchCountMismatch(items: 2, paths: 1)
    ),
    ({ try $0.replace(9, with: entries("9z")[0]) }, .replaceNotFound(id: "9")),
    ({ try $0.remove([1, 9]) }, .removeNotFound(id: "9")),
    ({ try $0.remove([1, 1]) }, .removeNotFound(id: "1")),
    (
      { try $0.move(from: Path(section: 0, item: 2), to: Path(section: 5, item: 0)) },
      .moveSourceNotFound(Path(section: 0, item: 2))
    ),
    (
      { try $0.move(from: Path(section: 0, item: 0), to: Path(section: 0, item: 2)) },
      .moveDestinationOutside(Path(section: 0, item: 2), count: 1)
    ),
    (
      { try $0.move(from: Path(section: 0, item: 0), to: Path(section: 5, item: 1)) },
      .moveDestinationOutside(Path(section: 5, item: 1), count: 0)
    ),
    (
      { try $0.move(from: Path(section: -1, item: 0), to: Path(section: 0, item: 0)) },
      .movePathsInvalid(from: Path(section: -1, item: 0), to: Path(section: 0, item: 0))
    ),
    (
      { try $0.moveSection(from: -1, to: 3) },
      .movePathsInvalid(from: Path(section: -1, item: 0), to: Path(section: 3, item: 0))
    ),
  ]

  @Test(arguments: anomalies.indices) func anAnomalyIsThrownAndChangesNothing(index: Int) throws {
    let (operation, anomaly) = Self.anomalies[index]
    var storage = storage("1a 2b")
    #expect(throws: anomaly) { try operation(&storage) }
    #expect(storage.text == "1a 2b" && storage.sections.count == 1 && storage.number == 0)
    #expect(!anomaly.description.isEmpty)

    // Silenced by value: nothing is thrown, and nothing changes either.
    var silent = storage
    silent.silencers.silence(anomaly)
    #expect(try operation(&silent) == nil)
    #expect(silent.text == "1a 2b" && silent.silencedCount == 1 && silent.number == 0)
  }

  @Test func silencersStack() throws {
    var storage = storage("1a")
    storage.silencers.silence(.replaceNotFound(id: "9"))
    storage.silencers.silence { anomaly in
      if case .removeNotFound = anomaly { true } else { false }
    }
    #expect(try storage.replace(9, with: Entry(id: 9, value: "z")) == nil)
    #expect(try storage.remove([5]) == nil && storage.silencedCount == 2)
    // Another number is another anomaly.
    #expect(throws: StorageAnomaly.replaceNotFound(id: "8")) {
      try storage.replace(8, with: Entry(id: 9, value: "z"))
    }
    #expect(throws: StorageAnomaly.self) { try storage.insertSection(at: 7) }
  }
}

/// What programs pass, and what they bring.
@Suite struct HostileArgumentTests {
  /// An index that no storage can have is an anomaly, as any other: nothing is made, and nothing traps.
  @Test(arguments: [Int.max, Int.min, -1, Storage.sectionCountMax])
  func sectionsOutsideAreAnomalies(section: Int) {
    let path = ItemPath(section: section, item: 0)
    let operations: [(inout Storage) throws -> Update?] = [
      { storage in try storage.append(entries("2b"), to: section) },
      { storage in try storage.insert(entries("2b"), at: [path]) },
      { storage in try storage.setItems(entries("2b"), in: section) },
      { storage in
        try storage.accumulate(entries("2b"), by: .additive, in: section)
      },
      { storage in
        try storage.move(from: ItemPath(section: 0, item: 0), to: path)
      },
      { storage in try storage.move(from: path, to: path) },
      { storage in try storage.moveSection(from: 0, to: section) },
      { storage in try storage.moveSection(from: section, to: 0) },
      { storage in try storage.insertSection(at: section) },
      { storage in
        try storage.setSupplementary("x", .header, in: section)
      },
    ]
    for (number, operation) in operations.enumerated() {
      var storage = storage("1a")
      #expect(throws: StorageAnomaly.self, "\(number)") { try operation(&storage) }
      #expect(storage.text == "1a" && storage.number == 0, "\(number)")
      storage.silencers.silence { _ in true }
      #expect(throws: Never.self, "\(number)") { try operation(&storage) }
      #expect(storage.text == "1a" && storage.silencedCount == 1, "\(number)")
    }
    var storage = storage("1a")
    #expect(storage[path] == nil && storage.items(in: section) == nil)
    #expect(storage.removeItems(in: section) == nil && storage.deleteSections([section]) == nil)
    #expect(storage.remove(at: [path, ItemPath(section: 0, item: section)]) == nil)
    #expect(throws: StorageAnomaly.self) {
      try storage.insert(entries("2b"), at: [ItemPath(section: 0, item: section)])
    }
    #expect(throws: StorageAnomaly.self) {
      try storage.move(
        from: ItemPath(section: 0, item: 0), to: ItemPath(section: 0, item: section))
    }
  }

  /// Differences that a program's algorithm got wrong.
  struct WrongDifference: DifferenceAlgorithm {
    let kind: Int

    func difference<Item: StorageItem>(from old: [Item], to new: [Item]) -> ListDifference<Item> {
      switch kind {
      case 0: ListDifference(oldCount: old.count)
      case 1: ListDifference(oldCount: old.count + 1, removals: [0])
      case 2: ListDifference(oldCount: old.count, removals: [old.count])
      case 3: ListDifference(oldCount: old.count, removals: [0, 0])
      case 4: ListDifference(oldCount: old.count, insertions: [.init(.max, new[0])])
      case 5: ListDifference(oldCount: old.count, moves: [ListMove(from: 0, to: -1)])
      case 6: ListDifference(oldCount: old.count, updates: [.init(old.count, new[0])])
      default: ListDifference(oldCount: old.count, removals: Array(0..<old.count))
      }
    }
  }

  @Test(arguments: 0..<8) func aWrongDifferenceIsAnAnomaly(kind: Int) throws {
    var storage = storage("1a 2b")
    let new = entries("3c 1a")
    let wrong = StorageAnomaly.wrongDifference(section: 0, oldCount: 2, newCount: 2)
    #expect(throws: wrong) { try storage.setItems(new, by: WrongDifference(kind: kind)) }
    #expect(throws: StorageAnomaly.self) {
      try storage.accumulate(new, by: .deleteOld, difference: WrongDifference(kind: kind))
    }
    // A section that would have been created is not.
    #expect(throws: StorageAnomaly.self) {
      try storage.setItems(new, in: 1, by: WrongDifference(kind: 1))
    }
    #expect(storage.text == "1a 2b" && storage.number == 0)
    storage.silencers.silence(wrong)
    #expect(try storage.setItems(new, by: WrongDifference(kind: kind)) == nil)
    #expect(storage.silencedCount == 1)
  }

  /// Single changes of items and supplementary data do not copy the items of their section.
  @Test func singleChangesAreMadeInPlace() throws {
    var storage = Storage([
      StorageSection((0..<100).map { Entry(id: $0, value: "a") }), StorageSection([]),
    ])
    func address() -> UInt? {
      storage.sections[0].items.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }
    let before = address()
    let update = try storage.perform([
      .items(
        section: 0,
        ListDifference(oldCount: 100, updates: [.init(7, Entry(id: 7, value: "b"))])),
      .supplementary(section: 0, key: .header, value: "x"),
    ])
    #expect(update?.steps.count == 2 && address() == before)
    // All or none.
    let sections = storage.sections
    #expect(throws: DifferenceError.self) {
      try storage.perform([
        .supplementary(section: 0, key: .header, value: "y"),
        .items(section: 0, ListDifference(oldCount: 100, removals: [100])),
      ])
    }
    #expect(storage.sections == sections)
  }
}
