import EditJSON
import EditLogFormat
import EditModel
import EditProtocol
import EditSpool
import Glibc
import TestSupport

/// The requests of one session in one document, with the counters in any order, and what must become of them.
struct CounterSession {
  private enum Way: UInt64, CaseIterable {
    case append, forward, native, spool
  }

  /// A request: its counter, and the text that it inserts at the start.
  private struct Request: CustomStringConvertible {
    var counter: UInt64
    var text: String
    var description: String { "\(counter): \(text)" }
  }

  private let daemon: DaemonProcess
  private let way: Way
  private let spool: String
  private let name: String
  private let session: SessionID

  init(_ daemon: DaemonProcess, spool: String, _ number: Int, _ random: inout SplitMix64) {
    (self.daemon, self.spool) = (daemon, spool)
    way = Way(rawValue: random.next() % UInt64(Way.allCases.count)) ?? .append
    name = "untitled:\(number)"
    session = SessionID("run-\(number)-\(random.next() % 1_000_000)") ?? SessionID.newRun(of: "run")
  }

  func run(_ random: inout SplitMix64) throws {
    let requests = Self.requests(&random)
    let expected = Self.expected(of: requests)
    let answers: [Bool?]
    switch way {
    case .append: answers = try append(requests)
    case .forward: answers = try forward(requests)
    case .native: answers = try native(requests)
    case .spool: answers = try leave(requests, isWhole: expected.isWhole)
    }
    for (index, answer) in answers.enumerated() {
      guard let answer, answer != expected.accepted[index] else { continue }
      throw failure(
        answer ? "a request was acknowledged that was never logged" : "a request was refused",
        "request \(index + 1) of \(requests)")
    }
    let reader = try PlainConnection(to: daemon.socket)
    var text: String?
    for _ in 0..<1_000 where text != expected.text {
      text = try reader.call("editlog/state", ["document": JSON(name)])["result"]?["text"]?
        .anyString
      if way == .spool, text != expected.text { usleep(5_000) } else { break }
    }
    guard text == expected.text else {
      throw failure("another text", "\(text ?? "none") is not \(expected.text) of \(requests)")
    }
  }

  private func failure(_ what: String, _ detail: String) -> StateCheck.Failure {
    StateCheck.Failure(what: "\(way): \(what)", detail: detail)
  }

  /// Counters from 2 on that are sometimes skipped and sent later, or sent again, also with another text.
  private static func requests(_ random: inout SplitMix64) -> [Request] {
    var requests = [Request(counter: 1, text: "0")]
    var next: UInt64 = 2
    for _ in 0..<12 {
      let text = "\(random.next() % 10)"
      switch random.next() % 6 {
      case 0 where next > 2:
        // One that was used, or skipped.
        let counter = 2 + random.next() % (next - 2)
        let used = requests.first { $0.counter == counter }
        requests.append(
          Request(counter: counter, text: random.next() % 2 == 0 ? used?.text ?? text : text))
      case 1: next += 1 + random.next() % 2
      default:
        requests.append(Request(counter: next, text: text))
        next += 1
      }
    }
    return requests
  }

  /// Which requests must be acknowledged, the text of those that are logged, and whether no counter is missing
  /// and no request refused.
  private static func expected(
    of requests: [Request]
  ) -> (accepted: [Bool], text: String, isWhole: Bool) {
    var (logged, last, text): ([UInt64: String], UInt64, String) = ([:], 0, "")
    var (accepted, isWhole): ([Bool], Bool) = ([], true)
    for request in requests {
      if request.counter > last {
        if last > 0, request.counter > last + 1 { isWhole = false }
        (logged[request.counter], last) = (request.text, request.counter)
        text = request.text + text
        accepted.append(true)
      } else {
        accepted.append(logged[request.counter] == request.text)
      }
    }
    return (accepted, text, isWhole && accepted.allSatisfy(\.self))
  }

  // MARK: The ways

  private func append(_ requests: [Request]) throws -> [Bool?] {
    let connection = try PlainConnection(to: daemon.socket)
    return try requests.map { request in
      let params = AppendRequest(
        document: try document, ticket: ticket(request), edits: [Self.edit(request)])
      return try connection.call("editlog/append", params.json).errorCode == nil
    }
  }

  private func forward(_ requests: [Request]) throws -> [Bool?] {
    let connection = try PlainConnection(to: daemon.socket)
    let header = SpoolHeader(session: session, initialize: .null, open: [])
    _ = try connection.call("initialize", header.initializeParams)
    return try requests.map { request in
      try connection.call("editlog/forward", try message(request).json).errorCode == nil
    }
  }

  private func native(_ requests: [Request]) throws -> [Bool?] {
    let connection = try PlainConnection(to: daemon.socket)
    var hello = ByteWriter()
    NativeHello(client: nil, session: session).write(to: &hello)
    try connection.send(hello.bytes)
    return try requests.map { request in
      var bytes = ByteWriter()
      var scratch = RecordScratch()
      try NativeBatch.write(
        AppendRequest(document: try document, edits: [Self.edit(request)]),
        counter: request.counter, to: &bytes, with: &scratch)
      try connection.send(bytes.bytes)
      while true {
        switch try connection.nextFrame() {
        case .ack: return true
        case .nack: return false
        default: continue
        }
      }
    }
  }

  /// Leaves the messages in a spool. What becomes of each is seen in the text, and in what becomes of the file.
  private func leave(_ requests: [Request], isWhole: Bool) throws -> [Bool?] {
    let path: String
    do {
      try SpoolFolder(path: spool).prepare()
      let file = try SpoolFile.create(
        in: spool,
        SpoolHeader(
          session: session, socket: SpoolHeader.name(ofSocket: daemon.socket), initialize: .null,
          open: []))
      for request in requests { _ = try file.append(try message(request).json.serialized()) }
      path = file.path
    }
    for _ in 0..<4_000 where access(path, F_OK) == 0 { usleep(5_000) }
    let isKept = access(path + ".damaged", F_OK) == 0
    guard access(path, F_OK) != 0, isKept != isWhole else {
      throw failure(
        isKept ? "a whole spool was kept" : "a spool with a gap was removed", "\(requests)")
    }
    return []
  }

  // MARK: Requests

  private var document: DocumentID {
    get throws {
      guard let document = DocumentID(name) else {
        throw PlainConnection.Failure(description: name)
      }
      return document
    }
  }

  private func ticket(_ request: Request) -> RequestTicket {
    RequestTicket(session: session, counter: request.counter)
  }

  private static func edit(_ request: Request) -> AppendEdit {
    AppendEdit(action: EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(request.text)))
  }

  private func message(_ request: Request) throws -> ForwardRequest {
    let (id, text) = (try document, UTF16Text(request.text))
    guard request.counter > 1 else {
      return ForwardRequest(
        ticket: ticket(request), method: "textDocument/didOpen",
        params: DidOpenParams(uri: id, version: 1, text: text).json)
    }
    let start = LSPPosition(line: 0, character: 0)
    let change = DidChangeParams.Change(range: LSPRange(start: start, end: start), text: text)
    return ForwardRequest(
      ticket: ticket(request), method: "textDocument/didChange",
      params: DidChangeParams(uri: id, changes: [change]).json)
  }
}
