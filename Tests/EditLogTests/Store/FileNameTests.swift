import EditModel
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// Names of files in stores of earlier versions, which stored URIs as editors wrote them; and long names.
@Suite struct FileNameTests {
  private let file: DocumentID
  private let spellings: [DocumentID]

  init() throws {
    file = try #require(DocumentID("file:///%C3%A9(1).md"))
    spellings = try [
      "file:///%c3%a9(1).md", "file:///%C3%A9(1).md", "file:///%C3%A9%281%29.md",
      "file:///a/..//%C3%A9(1).md",
    ].map { try #require(DocumentID(stored: $0)) }
  }

  private func edits(_ range: ClosedRange<UInt64>, at time: Int64, _ text: String) -> [HistoryEntry]
  {
    range.map { sequence in
      .edit(
        Edit(
          sequence: sequence,
          action: EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text)),
          time: Timestamp(nanoseconds: time + Int64(sequence))))
    }
  }

  private func reader(_ system: SimulatedFileSystem) throws -> Store {
    try Store.open(at: "/store", fileSystem: SimulatedFileSystem(system.snapshot))
  }

  @Test(arguments: [true, false])
  func `a file is found whatever spelling is stored`(isSealed: Bool) throws {
    for (index, spelling) in spellings.enumerated() {
      let system = SimulatedFileSystem()
      var writer = try openWriter(system)
      let old = edits(1...3, at: 0, "old")
      _ = try writer.append([(spelling, old)])
      if isSealed { try writer.seal(spelling) }
      try writer.close()
      #expect(try entries(reader(system).history(of: file)) == old)
      writer = try openWriter(system)
      #expect(writer.knows(file))
      #expect(writer.documentIDs == [file])
      let new = edits(4...4, at: 9, "new")
      _ = try writer.append([(file, new)])
      #expect(try entries(writer.history(of: file)) == old + new)
      let store = try reader(system)
      #expect(try entries(store.history(of: file)) == old + new)
      #expect(try store.documentNumbers() == [file: 1])
      // From now on the name is stored in the one form.
      try writer.seal(file)
      try writer.close()
      let catalog = try reader(system).catalog.catalog
      #expect(catalog?.documents[1]?.name.name == file.name, "spelling \(index)")
      #expect(try reader(system).verify().problems.isEmpty)
    }
  }

  @Test(arguments: seeds(8))
  func `of several histories of a file, the newest has its name`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let system = SimulatedFileSystem()
    var writer = try openWriter(system, seed: seed)
    let times = [10, 20, 30, 40].map { Int64($0) }.shuffled(using: &random)
    var expected: [(time: Int64, number: UInt64, list: [HistoryEntry])] = []
    for (index, spelling) in spellings.enumerated() {
      let list = edits(1...2, at: times[index] * 100, "\(index)")
      _ = try writer.append([(spelling, list)])
      if Bool.random(using: &random) { try writer.seal(spelling) }
      expected.append((times[index], UInt64(index + 1), list))
    }
    expected.sort { $0.time > $1.time }
    let others = try expected.dropFirst().map { try #require(file.otherHistory($0.number)) }
    let names = [file] + others
    func check(_ step: String) throws {
      let store = try reader(system)
      for (name, history) in zip(names, expected) {
        #expect(
          try entries(writer.history(of: name)) == history.list, "\(name) \(step) seed \(seed)")
        #expect(
          try entries(store.history(of: name)) == history.list, "\(name) \(step) seed \(seed)")
      }
      #expect(writer.otherHistories(of: file).count == spellings.count - 1)
      #expect(try Set(store.otherHistories(of: file)) == Set(others))
      #expect(try store.verify().problems.isEmpty)
    }
    try writer.close()
    writer = try openWriter(system, seed: seed)
    try check("opened")
    // An entry of an older one does not change which one has the name.
    let late = edits(3...3, at: 9_000, "late")
    expected[1].list += late
    _ = try writer.append([(others[0], late)])
    try check("appended")
    try writer.close()
    writer = try openWriter(system, seed: seed)
    try check("opened again")
    for name in names { try writer.seal(name) }
    try writer.close()
    writer = try openWriter(system, seed: seed)
    try check("sealed")
    try writer.close()
  }

  @Test func `earlier versions refuse a store with a long name`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    _ = try writer.append([(name("a"), edits(1...1, at: 0, "a"))])
    func flags() throws -> UInt32 {
      try StoreFormat.read(in: SimulatedFileSystem(system.snapshot).directory(at: "/store"))
        .incompatibleFlags
    }
    #expect(try flags() == FileHeader.catalogFlag)
    let long = try #require(DocumentID(String(repeating: "n", count: DocumentID.sizeMax)))
    _ = try writer.append([(long, edits(1...1, at: 0, "a"))])
    #expect(try flags() == FileHeader.catalogFlag | FileHeader.longNamesFlag)
    try writer.seal(long)
    #expect(try entries(reader(system).history(of: long)).count == 1)
    #expect(try reader(system).verify().problems.isEmpty)
    try writer.close()
  }

  @Test func `a former name in another spelling is found`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    _ = try writer.append([(spellings[0], edits(1...1, at: 0, "a"))])
    let event = HistoryEvent(
      kind: .renamed(from: spellings[0]), after: 1, time: Timestamp(nanoseconds: 5))
    _ = try writer.append(
      [(name("b"), [.event(event)])], renaming: [DocumentRename(spellings[0], to: name("b"))])
    #expect(try reader(system).documents(formerlyNamed: file) == [name("b")])
    try writer.close()
  }
}
