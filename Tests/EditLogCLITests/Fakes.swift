import EditIngest
import EditJSON
import EditModel
import EditProtocol
import EditQueries
import Synchronization
import TestSupport
import Testing

@testable import EditLogCommands

/// A backend that answers from a closure and remembers what it was asked.
final class FakeBackend: Backend {
  typealias Answer = @Sendable (_ method: String, _ params: JSONObject) throws -> JSON
  private let answer: Answer
  private let log = Mutex<[String]>([])

  init(_ answer: @escaping Answer) { self.answer = answer }

  /// A backend that knows one method.
  convenience init(_ method: String, _ result: JSON) {
    self.init { asked, _ in
      guard asked == method else { throw ProtocolError.methodNotFound(asked) }
      return result
    }
  }

  /// Each call as `method params`.
  var calls: [String] { log.withLock { $0 } }

  func ask<Q: Question>(_ question: Q) async throws -> Q.Answer {
    // It knows no document of a file: `d` means one document.
    if let document = (question as? any HistoryRequest)?.history.document,
      document.name.contains("://")
    {
      throw ProtocolError.unknownDocument(document)
    }
    return try call(question)
  }

  func perform<C: Change>(_ change: C) async throws -> C.Answer { try call(change) }

  private func call<Request: MethodRequest>(_ request: Request) throws -> Request.Answer {
    let (method, params) = (Request.method, request.params)
    log.withLock { $0.append("\(method) \(params)") }
    var complete = Self.base(method)
    for member in try answer(method, try params.asObject()).asObject().members {
      complete[member.name] = member.value
    }
    return try Request.answer(.object(complete))
  }

  /// A complete answer, of which a test gives the members that it is about.
  private static func base(_ method: String) -> JSONObject {
    let answer: JSON? =
      switch method {
      case StateRequest.method:
        DocumentID("d").map {
          StateAnswer.codec.encode(
            StateAnswer(
              document: $0, sequence: 0, time: nil, length: 0, paragraphCount: 1, text: "",
              attributeRuns: []))
        }
      case StatusRequest.method:
        StatusAnswer.codec.encode(
          StatusAnswer(
            version: "0.1.0", store: "00", path: "/s", documentCount: 0, editCount: 0,
            sealedSize: 0, journalSize: 0, damage: [], acceptedLossCount: 0,
            quarantinedCount: 0))
      case VerifyRequest.method:
        VerifyAnswer.codec.encode(
          VerifyAnswer(
            isSound: true, documentCount: 0, editCount: 0, eventCount: 0,
            badCheckpointCount: 0, confirmedCount: 0, findings: [], heads: []))
      default: nil
      }
    return (try? answer?.asObject()) ?? [:]
  }

  func close() async {}
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
