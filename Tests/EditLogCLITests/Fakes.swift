import EditIngest
import EditJSON
import EditModel
import EditProtocol
import EditQueries
import Synchronization
import TestSupport
import Testing

@testable import EditLogCommands

/// A backend with given answers, for what no real store gives twice: durations, sizes and damage of
/// each kind. It knows the document `essay`, and remembers what it was asked.
final class CannedBackend: Backend {
  private let answers: [any Sendable]
  private let failure: ProtocolError?
  private let log = Mutex<[String]>([])

  init(_ answers: any Sendable...) { (self.answers, failure) = (answers, nil) }

  /// A backend that refuses everything.
  init(failing error: ProtocolError) { (answers, failure) = ([], error) }

  /// Each call as `method params`.
  var calls: [String] { log.withLock { $0 } }

  func ask<Q: Question>(_ question: Q) async throws -> Q.Answer {
    if let document = (question as? any HistoryRequest)?.history.document,
      document.name != "essay"
    {
      throw ProtocolError.unknownDocument(document)
    }
    return try answer(question)
  }

  func perform<C: Change>(_ change: C) async throws -> C.Answer { try answer(change) }

  private func answer<Request: MethodRequest>(_ request: Request) throws -> Request.Answer {
    log.withLock { $0.append("\(Request.method) \(request.params)") }
    if let failure { throw failure }
    for answer in answers { if let answer = answer as? Request.Answer { return answer } }
    throw ProtocolError.methodNotFound(Request.method)
  }

  func close() async {}
}

extension VerifyAnswer {
  /// A verdict on a store of three documents.
  init(_ kinds: [Finding.Kind], isSound: Bool = true, editCount: UInt64 = 12) {
    self.init(
      isSound: isSound, documentCount: 3, editCount: editCount, eventCount: 0,
      badCheckpointCount: 0, confirmedCount: 0,
      findings: kinds.map {
        Finding($0, file: "f", offset: 7, what: "w", firstEdit: 3, lastEdit: 9, remedy: "d")
      }, heads: [])
  }
}

extension StatusAnswer {
  /// The status of a store.
  init(damage: [String] = [], quarantinedCount: Int = 0, daemon: DaemonStatus? = nil) {
    self.init(
      version: "0.1.0", store: "00", path: "/s", documentCount: 3, editCount: 259_778,
      sealedSize: 0, journalSize: 2048, damage: damage, acceptedLossCount: 0,
      quarantinedCount: quarantinedCount, daemon: daemon)
  }
}

/// The real backend over a store in a folder of its own. Remembers the requests that append.
final class StoreHarness: Backend {
  private let folder = TemporaryFolder()
  private let store: any Backend
  private let appended = Mutex<[AppendRequest]>([])

  init() async throws { store = try await makeStoreBackend(path: folder.path("store")) }

  /// The requests that append, in order, refused ones too.
  var requests: [AppendRequest] { appended.withLock { $0 } }

  func ask<Q: Question>(_ question: Q) async throws -> Q.Answer { try await store.ask(question) }

  func perform<C: Change>(_ change: C) async throws -> C.Answer {
    if let request = change as? AppendRequest { appended.withLock { $0.append(request) } }
    return try await store.perform(change)
  }

  func introduce(_ identity: ClientIdentity) async throws { try await store.introduce(identity) }

  func close() async { await store.close() }

  /// The units of a document; nil if there is none of this name.
  func units(of name: String) async throws -> [UInt16]? {
    do {
      return try await ask(StateRequest(Self.reference(name))).text.units
    } catch let error as ProtocolError where error.code == .unknownDocument { return nil }
  }

  /// The edits of a document.
  func edits(of name: String) async throws -> [Edit] {
    var (edits, after): ([Edit], SequenceNumber?) = ([], 0)
    while let start = after {
      let part = try await ask(LogRequest(Self.reference(name), HistoryPart(after: start)))
      for case .edit(let edit) in part.entries { edits.append(edit) }
      after = part.next
    }
    return edits
  }

  private static func reference(_ name: String) throws -> HistoryReference {
    HistoryReference(try #require(DocumentID(name)))
  }
}

extension Backend {
  /// Calls a method by its name, with params and an answer as they are sent over the socket.
  @discardableResult
  func call(_ method: String, _ params: JSON) async throws -> JSON {
    switch try Methods.request(method, params) {
    case let question as any Question: try await answer(question)
    case let change as any Change: try await result(change)
    default: throw ProtocolError.methodNotFound(method)
    }
  }

  private func answer<Q: Question>(_ question: Q) async throws -> JSON {
    Q.answerCodec.encode(try await ask(question))
  }

  private func result<C: Change>(_ change: C) async throws -> JSON {
    C.answerCodec.encode(try await perform(change))
  }
}

/// Central European time in 2026: clocks go forward on 29 March and back on 25 October, both at
/// 01:00 UTC.
@Sendable func berlin(_ seconds: Int64) -> Int {
  let spring = CivilTime(year: 2026, month: 3, day: 29, hour: 1).seconds
  let autumn = CivilTime(year: 2026, month: 10, day: 25, hour: 1).seconds
  return (spring..<autumn).contains(seconds) ? 7200 : 3600
}

func time(_ text: String) -> Timestamp {
  Timestamp(rfc3339: text) ?? Timestamp(nanoseconds: 0)
}

/// A session that collects what is printed.
struct Bench {
  let output = Output()
  let diagnostics = Output()
  var session: Session

  init(
    _ backend: any Backend, coloured: Bool = false, width: Int? = nil, watched: Bool = false
  ) {
    session = Session(
      backend: backend, output: output, diagnostics: diagnostics,
      style: Style(isColoured: coloured), width: width, isWatched: watched,
      now: time("2026-11-20T15:04:05Z"), utcOffset: berlin)
  }

  var printed: String { String(decoding: output.captured, as: UTF8.self) }
  var noted: String { String(decoding: diagnostics.captured, as: UTF8.self) }
}
