import ArgumentParser
import EditIngest
import EditLog
import EditModel
import EditProtocol
import EditQueries
import Synchronization
import TestSupport
import Testing

@testable import EditLogCommands

/// Verbs that read all documents ask for many at once.
@Suite struct ManyDocumentsTests {
  /// Counts the questions by method, and refuses those that an older daemon does not know.
  private final class CountingBackend: Backend {
    private let base: any Backend
    private let unknown: Set<String>
    private let counts = Mutex<[String: Int]>([:])

    init(_ base: any Backend, unknown: Set<String> = []) {
      (self.base, self.unknown) = (base, unknown)
    }

    var all: [String: Int] { counts.withLock { $0 } }

    func ask<Q: Question>(_ question: Q) async throws -> Q.Answer {
      counts.withLock { $0[Q.method, default: 0] += 1 }
      if unknown.contains(Q.method) { throw ProtocolError.methodNotFound(Q.method) }
      return try await base.ask(question)
    }

    func perform<C: Change>(_ change: C) async throws -> C.Answer {
      try await base.perform(change)
    }

    func close() async { await base.close() }
  }

  private static let documentCount = 1_100
  private let folder = TemporaryFolder()

  /// A store of many documents: each seventh has the word `needle`, which one of them lost.
  init() throws {
    let writer = try StoreWriter(at: folder.path("store"))
    var appends: [(DocumentID, [HistoryEntry])] = []
    for number in 0..<Self.documentCount {
      let text = number.isMultiple(of: 7) ? "a needle\n" : "hay\n"
      var script = HistoryScript(at: "2026-07-01T10:00:00Z")
      try script.replace(0..<0, text, author: "ann")
      if number == 7 { try script.replace(2..<8, "", .removal) }
      appends.append((name("d\(number)"), script.entries))
    }
    // A history that is too long to be read together with others.
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    try script.replace(0..<0, String(repeating: "hay needle\n", count: 8_000), author: "ann")
    appends.append((name("long"), script.entries))
    _ = try writer.append(appends)
    try writer.close()
  }

  private func run<V: Verb>(
    _ verb: V.Type, _ arguments: [String], unknown: Set<String> = []
  ) async throws -> (printed: String, noted: String, counts: [String: Int]) {
    let backend = CountingBackend(
      try await makeStoreBackend(path: folder.path("store")), unknown: unknown)
    let bench = Bench(backend)
    try await verb.parse(arguments).resolved(in: bench.session).run(in: bench.session)
    await backend.close()
    return (bench.printed, bench.noted, backend.all)
  }

  @Test(arguments: [
    ["needle"], ["needle", "--json"], ["needle", "--since", "2026-07-01T09:00:00Z"],
  ])
  func `grep asks for pages, and prints what it prints document by document`(
    arguments: [String]
  ) async throws {
    let many = try await run(GrepCommand.self, arguments)
    #expect(many.counts["editlog/documents"] == 1 && many.counts["editlog/grepMany"] == 3)
    // The long document, in parts.
    #expect(many.counts["editlog/grep", default: 0] <= 8)
    let each = try await run(GrepCommand.self, arguments, unknown: ["editlog/grepMany"])
    #expect(each.counts["editlog/grep", default: 0] > Self.documentCount)
    #expect(many.printed == each.printed && many.noted == each.noted)
    #expect(many.noted == "8,158 matches in 159 documents: 8,157 living, 1 deleted\n")
  }

  @Test(arguments: [[], ["--json"], ["--since", "2026-07-01T09:00:00Z"]])
  func `activity asks for pages, and prints what it prints document by document`(
    arguments: [String]
  ) async throws {
    let many = try await run(ActivityCommand.self, arguments)
    #expect(many.counts["editlog/activity", default: 0] == 1)
    #expect(many.counts["editlog/activityMany", default: 0] <= 12)
    let each = try await run(ActivityCommand.self, arguments, unknown: ["editlog/activityMany"])
    #expect(each.counts["editlog/activity", default: 0] == Self.documentCount + 1)
    #expect(many.printed == each.printed && many.noted == each.noted)
    #expect(!many.printed.isEmpty)
  }
}
