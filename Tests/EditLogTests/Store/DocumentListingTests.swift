import EditModel
import Synchronization
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// What is said of all documents without opening them.
@Suite struct DocumentListingTests {
  /// `concurrentMap` keeps the order of the elements and throws the first error.
  @Test(arguments: [0, 1, 1_024, 1_025, 5_000])
  func `results of several processors keep their order`(count: Int) throws {
    let numbers = Array(0..<count)
    #expect(numbers.concurrentMap { $0 * 2 } == numbers.map { $0 * 2 })
    guard count > 1 else { return }
    let error = #expect(throws: LogError.self) {
      try numbers.concurrentMap { number throws(LogError) in
        guard number < count / 2 else { throw .noSpace(path: "\(number)") }
      }
    }
    #expect(error == .noSpace(path: "\(count / 2)"))
  }

  /// A closed store of many documents, some with several segments, and a writer with more edits of
  /// every third that are not sealed.
  private func store(_ seed: UInt64) throws -> (SimulatedFileSystem, StoreWriter) {
    let system = SimulatedFileSystem()
    var options = StoreWriter.Options.small
    options.segmentSizeMax = 1
    let writer = try StoreWriter(
      at: "/store", fileSystem: system, clock: FixedClock(), random: SeededBytes(seed: seed),
      options: options)
    var source = EntrySource(seed: seed)
    for round in 1...4 {
      for number in 0..<12 where round == 4 ? number % 3 == 0 : number % round == 0 {
        _ = try writer.append([(name("\(number)"), source.entries(of: name("\(number)"), count: 9))]
        )
      }
      if round < 4 { try writer.sealAll() }
    }
    return (system, writer)
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `it is what the histories say`(seed: UInt64) throws {
    let (system, writer) = try store(seed)
    let reader = try Store.open(at: "/store", fileSystem: system)
    let expected = try reader.documentNumbers().sorted { $0.value < $1.value }.map {
      try #require(try reader.history(of: $0.key)?.summary())
    }
    #expect(expected.count == 12)
    #expect(try writer.documents() == expected)
    #expect(try writer.listing().summaries(openingUpTo: .max) == expected)
    #expect(try reader.documents() == expected)
    #expect(try reader.documents(openingUpTo: .max) == expected)
  }

  /// A listing that was taken before more was written and sealed is of its moment.
  @Test func `it is of one moment`() throws {
    let (_, writer) = try store(8)
    let listing = try writer.listing()
    let before = try writer.documents()
    var source = EntrySource(seed: 9)
    _ = try writer.append([(name("new"), source.entries(of: name("new"), count: 9))])
    try writer.sealAll()
    #expect(try listing.summaries() == before)
  }

  @Test func `no segment is read for it`() throws {
    let (system, writer) = try store(3)
    try writer.sealAll()
    try writer.close()
    let reads = Mutex(0)
    let faulty = FaultyFileSystem(system) { operation in
      guard operation.name == "read", operation.path.contains(".segment") else { return }
      reads.withLock { $0 += 1 }
    }
    let reader = try Store.open(at: "/store", fileSystem: faulty)
    #expect(try reader.documents().count == 12)
    #expect(reads.withLock { $0 } == 0)
    #expect(try reader.documents(openingUpTo: .max).count == 12)
    #expect(reads.withLock { $0 } > 0)
  }

  /// What was sealed is still said of a document whose last file is gone or cut.
  @Test(arguments: [true, false])
  func `a missing end is a problem`(isCut: Bool) throws {
    let (system, writer) = try store(4)
    try writer.sealAll()
    try writer.close()
    let sound = try Store.open(at: "/store", fileSystem: system).documents()
    let folder = "/store/documents/\(StoreLayout.name(of: 1))/"
    let path = try #require(
      system.filePaths.filter { $0.hasPrefix(folder) && $0.hasSuffix(".segment") }.max())
    system[path] = isCut ? system[path].map { Array($0.prefix(300)) } : nil
    for opening in [true, false] {
      let store = try Store.open(at: "/store", fileSystem: system)
      let rows = try store.documents(openingUpTo: opening ? 12 : 11)
      #expect(rows.map(\.lastSequence) == sound.map(\.lastSequence))
      #expect(rows.map { $0.problem == nil } == [false] + [Bool](repeating: true, count: 11))
    }
  }
}
