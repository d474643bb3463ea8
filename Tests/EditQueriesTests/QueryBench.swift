import DaemonTestSupport
import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import Synchronization
import TestSupport
import Testing
import TextState

/// A store of one known history, and an engine that reads it.
struct QueryBench {
  static let name = "file:///note.md"
  static let now = Timestamp(nanoseconds: 1_800_000_000_000_000_000)

  let folder = TemporaryFolder()
  let mixed: MixedHistory
  /// `states[n]` is the version n.
  let states: [TextState]
  let engine: QueryEngine

  init(seed: UInt64, editCount: Int = 60) throws {
    try self.init(MixedHistory(seed: seed, editCount: editCount))
  }

  init(_ mixed: MixedHistory) throws {
    self.mixed = mixed
    var state = TextState()
    states =
      try [state]
      + mixed.edits.map { edit in
        try state.apply(edit.action)
        return state
      }
    var options = StoreWriter.Options()
    options.blockEditCountMax = 8
    let document = try #require(DocumentID(Self.name))
    let writer = try StoreWriter(at: folder.path("store"), options: options)
    let entries = mixed.entries
    for (count, half) in [
      entries.prefix(entries.count * 2 / 3), entries.dropFirst(entries.count * 2 / 3),
    ]
    .enumerated() {
      _ = try writer.append([(document, Array(half))])
      if count == 0 { try writer.seal(document) }
    }
    try writer.close()
    let ticks = Mutex<UInt64>(0)
    let clock = QueryClock(
      now: { Self.now }, utcOffset: { _ in 3_600 },
      monotonic: {
        ticks.withLock { ticks in
          ticks += 10
          return ticks
        }
      })
    engine = QueryEngine(try StoreFiles(at: folder.path("store")), clock: clock)
  }

  /// The result of a method about the document.
  func ask(_ method: String, _ params: JSONObject = [:]) async throws(ProtocolError) -> JSONObject {
    var params = params
    params["document"] = JSON(Self.name)
    let result = try await engine.answer("editlog/\(method)", .object(params))
    guard case .object(let object) = result else {
      throw ProtocolError(.internalError, "the answer is no object")
    }
    return object
  }

  /// The error of a method called with these params.
  func refusal(_ method: String, _ params: JSON) async -> ProtocolError? {
    do throws(ProtocolError) {
      _ = try await engine.answer("editlog/\(method)", params)
      return nil
    } catch { return error }
  }
}
