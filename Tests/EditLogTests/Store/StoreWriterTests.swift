import EditLog
import EditModel
import Testing
import TestSupport

@Suite struct StoreWriterTests {
  /// Random work, reopened now and then: the store gives what a plain list holds, to the writer
  /// and to a reader.
  @Test(arguments: UInt64(0)..<5)
  func agreesWithLists(seed: UInt64) throws {
    let system = SimulatedFileSystem()
    let workload = Workload(seed: seed)
    for run in 0..<5 {
      let writer = try openWriter(system)
      #expect(writer.recovery.isSound && writer.recovery.tornBytes == 0)
      for _ in 0..<14 { try workload.step(writer) }
      try check(workload.oracle, writer, system)
      if run % 2 == 0 { try writer.close() }
      workload.dropJobs()
    }
    let writer = try openWriter(system)
    try writer.sealAll()
    try check(workload.oracle, writer, system)
    #expect(writer.unsealedCounts.isEmpty)
  }

  private func check(_ oracle: Oracle, _ writer: StoreWriter, _ system: any FileSystem) throws {
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(store.damages.isEmpty)
    for (document, expected) in oracle.histories {
      for history in [try writer.history(of: document), try store.history(of: document)] {
        #expect(try entries(history) == expected)
        #expect(history?.damage == [])
        #expect(
          try history?.events()
            == expected.compactMap {
              if case .event(let event) = $0 { event } else { nil }
            })
      }
      let own = try writer.history(of: document)
      let other = try store.history(of: document)
      #expect(try own?.head == other?.head)
      #expect(try own?.sessions() == other?.sessions())
    }
    #expect(try Set(store.documentNumbers().keys) == Set(oracle.histories.keys))
  }
}
