import EditModel
import EditProtocol
import Synchronization

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

  func call(_ method: String, _ params: JSON) async throws -> JSON {
    log.withLock { $0.append("\(method) \(params)") }
    return try answer(method, try params.asObject())
  }

  func close() async {}
}

/// A backend that really keeps documents, as units and a list of requests, plainly.
final class MemoryBackend: Backend {
  struct Document {
    var units: [UInt16] = []
    var edits: [AppendEdit] = []
    var requests: [AppendRequest] = []
  }
  let documents = Mutex<[DocumentID: Document]>([:])

  func call(_ method: String, _ params: JSON) async throws -> JSON {
    let object = try params.asObject()
    if method == "editlog/append" { return try append(try AppendRequest(json: params)).json }
    let name = try object.document("document")
    guard let document = documents.withLock({ $0[name] }) else {
      throw ProtocolError.unknownDocument(name)
    }
    switch method {
    case "editlog/log": return ["entries": []]
    case "editlog/state":
      return [
        "sequence": JSON(document.edits.count), "text": JSON(UTF16Text(units: document.units)),
      ]
    default: throw ProtocolError.methodNotFound(method)
    }
  }

  func close() async {}

  private func append(_ request: AppendRequest) throws -> AppendResult {
    try documents.withLock { documents in
      var document = documents[request.document] ?? Document()
      let latest = SequenceNumber(document.edits.count)
      if let base = request.base, base != latest {
        throw ProtocolError.sequenceConflict(
          document: request.document, base: base, latest: latest)
      }
      for (index, edit) in request.edits.enumerated() {
        do throws(EditError) {
          try edit.action.validate(textLength: document.units.count)
        } catch {
          throw ProtocolError.invalidEdit(at: index, error)
        }
        if let replacement = edit.action.replacement {
          document.units.replaceSubrange(edit.action.range.bounds, with: replacement.units)
        }
        document.edits.append(edit)
      }
      document.requests.append(request)
      documents[request.document] = document
      return AppendResult(
        first: latest + 1, sequence: SequenceNumber(document.edits.count), durable: true)
    }
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
