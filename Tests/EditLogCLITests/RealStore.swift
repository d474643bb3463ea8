import ArgumentParser
import EditJSON
import EditLog
import EditModel
import TestSupport
import Testing

@testable import EditLogCommands

/// A store in a temporary folder. Its entries are what a test says; verbs read it through the real
/// backend.
final class RealStore {
  let folder = TemporaryFolder()
  var path: String { folder.path("store") }

  /// A store of one document with these entries.
  init(_ entries: [HistoryEntry], document: String = "d") throws {
    try append(entries, to: document)
  }

  /// Adds entries to a document.
  func append(_ entries: [HistoryEntry], to document: String) throws {
    let writer = try StoreWriter(at: path)
    _ = try writer.append([(try #require(DocumentID(document)), entries)])
    try writer.close()
  }

  /// What a verb prints, and its exit status. The lines of `--json` must be as its schema says.
  func run<V: Verb>(
    _ verb: V.Type, _ arguments: [String], width: Int? = nil, coloured: Bool = false
  ) async throws -> (printed: String, noted: String, exitCode: Int32) {
    let result = try await run(width: width, coloured: coloured) { session in
      try await verb.parse(arguments).resolved(in: session).run(in: session)
    }
    if arguments.contains("--json") {
      let schema = JSONLine.schema(of: verb.jsonLines, verb: "\(verb)")
      for line in result.printed.split(separator: "\n") {
        let problems = JSONSchemaCheck.problems(of: try JSON.parse(Array(line.utf8)), schema)
        #expect(problems == [], "\(arguments)")
      }
    }
    return result
  }

  /// What `body` prints, and its exit status.
  func run(
    width: Int? = nil, coloured: Bool = false, _ body: (Session) async throws -> Void
  ) async throws -> (printed: String, noted: String, exitCode: Int32) {
    let backend = try await makeStoreBackend(path: path)
    let bench = Bench(backend, coloured: coloured, width: width)
    var exitCode: Int32 = 0
    do { try await body(bench.session) } catch let code as ExitCode {
      exitCode = code.rawValue
    }
    await backend.close()
    return (bench.printed, bench.noted, exitCode)
  }
}

/// Entries of a history, one after the other.
struct HistoryScript {
  private(set) var entries: [HistoryEntry] = []
  private var sequence: SequenceNumber = 0
  private var transaction: SequenceNumber = 0
  private var now: Timestamp

  /// A history that begins at a time (RFC 3339).
  init(at start: String = "2026-11-20T14:04:00Z") { now = time(start) }

  /// Continues at a time.
  mutating func wait(until moment: String) { now = time(moment) }

  /// Continues some seconds later.
  mutating func wait(seconds: Int64) {
    now = Timestamp(nanoseconds: now.nanoseconds + seconds * 1_000_000_000)
  }

  /// Adds an edit; a transaction of its own unless `isJoined` with the edit before.
  mutating func replace(
    _ range: Range<Int>, _ text: String, _ origin: Origin = .typing, author: String? = nil,
    isJoined: Bool = false, attributes: AttributeChange = .inherit
  ) throws {
    sequence += 1
    if !isJoined { transaction = sequence }
    let action = try EditAction(
      range: UTF16Range(range), replacement: UTF16Text(text), attributes: attributes)
    entries.append(
      .edit(
        Edit(
          sequence: sequence, action: action, origin: origin,
          transaction: transaction, author: author, time: now)))
  }

  /// Types characters, a tenth of a second each.
  mutating func type(_ text: String, at location: Int, author: String? = nil) throws {
    for (index, unit) in text.utf16.enumerated() {
      let place = location + index
      sequence += 1
      entries.append(
        .edit(
          Edit(
            sequence: sequence,
            action: EditAction(
              replacing: UTF16Range(place..<place), with: UTF16Text(units: [unit])),
            author: author, time: now)))
      now = Timestamp(nanoseconds: now.nanoseconds + 100_000_000)
    }
  }

  /// Adds an event.
  mutating func note(_ kind: HistoryEvent.Kind, author: String? = nil) {
    entries.append(.event(HistoryEvent(kind: kind, after: sequence, time: now, author: author)))
  }

  /// The number of the last edit.
  var last: SequenceNumber { sequence }
}
