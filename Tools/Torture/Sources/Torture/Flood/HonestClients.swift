import EditJSON
import EditModel
import EditProtocol
import Glibc
import Synchronization
import TestSupport

/// Clients that type: each sends an edit, waits for its answer, and pauses. They measure how long
/// they wait.
final class HonestClients: Sendable {
  private struct State {
    var latencies: [Double] = []
    var acks: [DaemonClients.Ack] = []
    var failure: String?
  }

  private let state = Mutex(State())
  private let isStopping = Atomic<Bool>(false)
  private let threads = Mutex<Threads?>(nil)
  private let pause: useconds_t
  private let questions: [String]

  /// Clients with a pause in microseconds after each answer. Each sixteenth asks for the texts of the
  /// documents in `questions` too, now and then.
  init(
    socket: String, count: Int, seed: UInt64, pause: useconds_t = 5_000, questions: [String] = []
  ) {
    (self.pause, self.questions) = (pause, questions)
    let started = Threads(count: count) { [self] number in
      do { try type(socket, "honest\(seed)-\(number)", number) } catch {
        state.withLock { $0.failure = "\(error)" }
      }
    }
    threads.withLock { $0 = started }
  }

  /// How long the slowest in a hundred waited, in seconds, since this was last asked.
  func takeLatency() -> Double {
    let all = state.withLock { state in
      defer { state.latencies = [] }
      return state.latencies.sorted()
    }
    return all.isEmpty ? .infinity : all[all.count * 99 / 100]
  }

  /// What was acknowledged so far.
  var acknowledged: [DaemonClients.Ack] { state.withLock { $0.acks } }

  /// Lets all end, whatever became of the daemon.
  func end() {
    isStopping.store(true, ordering: .relaxed)
    threads.withLock { $0 }?.wait {}
  }

  /// Lets all end, and gives what was acknowledged to them.
  func finish() throws -> [DaemonClients.Ack] {
    end()
    if let failure = state.withLock({ $0.failure }) {
      throw StateCheck.Failure(what: "an honest client failed", detail: failure)
    }
    return state.withLock { $0.acks }
  }

  private func type(_ socket: String, _ run: String, _ number: Int) throws {
    guard let session = SessionID(run), let name = DocumentID("d\(number)") else { return }
    let client = try HonestClient(socket)
    var counter: UInt64 = 0
    while !isStopping.load(ordering: .relaxed) {
      counter += 1
      let start = nanoseconds()
      let sequence = try client.append("x", to: name, session, counter)
      let ack = DaemonClients.Ack(
        session: session, counter: counter, document: name, sequence: sequence)
      state.withLock { state in
        state.latencies.append(Double(nanoseconds() - start) / 1e9)
        state.acks.append(ack)
      }
      if !questions.isEmpty, number % 16 == 0, counter % 4 == 1 {
        try client.askAway(questions[(number / 16 + Int(counter / 4)) % questions.count])
      }
      usleep(pause)
    }
  }
}

/// A connection that does one thing after the other.
final class HonestClient {
  struct Failure: Error, CustomStringConvertible { var description: String }

  private let descriptor: Int32

  /// Connects. `patience` is the number of seconds without a byte after which reading fails: far beyond what
  /// is allowed, so that only a daemon that never answers lets it pass.
  init(_ socket: String, patience: Int = 60) throws {
    guard let descriptor = connectedSocket(to: socket) else {
      throw Failure(description: "cannot connect: \(String(cString: strerror(errno)))")
    }
    self.descriptor = descriptor
    var limit = timeval(tv_sec: patience, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  static func waitUntilThere(_ socket: String) throws {
    for _ in 0..<2_000 {
      if (try? HonestClient(socket)) != nil { return }
      usleep(5_000)
    }
    throw Failure(description: "the daemon does not listen")
  }

  /// Makes a document of `length` units, in edits of a mebibyte.
  static func write(_ length: Int, to name: String, at socket: String) throws {
    guard let session = SessionID("writer"), let document = DocumentID(name) else { return }
    let client = try HonestClient(socket)
    let line = "0123456789 the quick brown fox jumps over the lazy dog\n"
    let piece = String(repeating: line, count: (1 << 20) / line.utf8.count)
    for counter in 1...max(1, length / piece.utf8.count) {
      _ = try client.append(piece, to: document, session, UInt64(counter))
    }
  }

  /// The number of the edit, once it is acknowledged.
  func append(
    _ text: String, to document: DocumentID, _ session: SessionID, _ counter: UInt64
  ) throws -> SequenceNumber {
    let edit = AppendEdit(
      action: EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text)))
    let request = AppendRequest(
      document: document, ticket: RequestTicket(session: session, counter: counter),
      edits: [edit])
    try send(RPCMessage.request(id: .integer(1), method: "editlog/append", params: request.params))
    let answer = try receive()
    guard case .integer(let sequence)? = answer["result"]?["sequence"] else {
      throw Failure(description: "refused: \(answer)")
    }
    return SequenceNumber(sequence)
  }

  /// Subscribes to a document, from a place on or from now on, and does not wait for the answer.
  func subscribe(to document: String, after: Int?, credit: Int) throws {
    let request = SubscribeRequest(
      DocumentID(document), from: after.map { HistoryPosition(after: SequenceNumber($0)) },
      credit: credit)
    try send(
      RPCMessage.request(
        id: .integer(3), method: "editlog/subscribe", params: request.params))
  }

  /// The next delivery.
  func delivery() throws -> JSON {
    while true {
      let message = try receive()
      if message["error"] != nil { throw Failure(description: "refused: \(message)") }
      if message["method"] == "editlog/deliver", let params = message["params"] { return params }
    }
  }

  /// The last number in the deliveries that have come already, or in the answer to the subscription. Nil
  /// if nothing has come.
  func deliveredSoFar() throws -> Int? {
    var scratch = [UInt8](repeating: 0, count: 64 << 10)
    // What waits in the socket, and not what the daemon sends on once there is room.
    let count = recv(descriptor, &scratch, scratch.count, Int32(MSG_DONTWAIT))
    var last: Int?
    let text = String(decoding: scratch.prefix(max(0, count)), as: UTF8.self)
    for part in text.split(separator: "Content-Length: ") {
      guard let end = part.firstRange(of: "\r\n\r\n"), let size = Int(part[..<end.lowerBound]),
        part[end.upperBound...].utf8.count == size
      else { continue }
      let message = try JSON.parse(String(part[end.upperBound...]))
      if case .integer(let after)? = (message["params"] ?? message["result"])?["after"] {
        last = Int(after)
      }
    }
    return last
  }

  /// The answer to a request, without deliveries.
  func ask(_ method: String, _ params: JSON) throws -> JSON {
    try send(RPCMessage.request(id: .integer(4), method: method, params: params))
    while true {
      let message = try receive()
      if message["id"] == 4 { return message }
    }
  }

  /// Sends a request, and does not wait for the answer.
  func begin(_ method: String, _ params: JSON) throws {
    try send(RPCMessage.request(id: .integer(5), method: method, params: params))
  }

  /// Asks for the text of a document, and reads the answer away.
  func askAway(_ document: String) throws {
    _ = try askAway("editlog/state", ["document": JSON(document)])
  }

  /// Asks, and reads the answer away. Returns its size in bytes.
  func askAway(_ method: String, _ params: JSON) throws -> Int {
    try send(RPCMessage.request(id: .integer(2), method: method, params: params))
    let size = try answerSize()
    var rest = size
    var scratch = [UInt8](repeating: 0, count: 64 << 10)
    while rest > 0 {
      let count = Glibc.read(descriptor, &scratch, min(rest, scratch.count))
      guard count > 0 else { throw Failure(description: "no answer: \(Self.error)") }
      rest -= count
    }
    return size
  }

  private func send(_ message: RPCMessage) throws {
    let body = message.json.serialized()
    let bytes = Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      guard count > 0 else { throw Failure(description: "cannot send: \(Self.error)") }
      sent += count
    }
  }

  private func receive() throws -> JSON { try JSON.parse(try read(answerSize())) }

  /// The size of the next frame's body, once its header is read.
  private func answerSize() throws -> Int {
    var header: [UInt8] = []
    while !header.suffix(4).elementsEqual([13, 10, 13, 10]) {
      header += try read(1)
    }
    let digits = header.drop { !(0x30...0x39).contains($0) }.prefix { (0x30...0x39).contains($0) }
    guard let size = Int(String(decoding: digits, as: UTF8.self)) else {
      throw Failure(description: "no frame")
    }
    return size
  }

  private func read(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let taken = bytes[filled...].withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      guard taken > 0 else { throw Failure(description: "no answer: \(Self.error)") }
      filled += taken
    }
    return bytes
  }

  private static var error: String { errno == 0 ? "closed" : String(cString: strerror(errno)) }
}

/// A socket that is connected to `path`; non-blocking if asked for.
func connectedSocket(to path: String, waits: Bool = true) -> Int32? {
  let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (waits ? 0 : SOCK_NONBLOCK.rawValue)
  let descriptor = socket(AF_UNIX, Int32(flags), 0)
  guard descriptor >= 0 else { return nil }
  var name = sockaddr_un()
  name.sun_family = sa_family_t(AF_UNIX)
  let bytes = Array(path.utf8.prefix(MemoryLayout.size(ofValue: name.sun_path) - 1))
  withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
  let result = withUnsafePointer(to: &name) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  guard result == 0 else {
    let code = errno
    close(descriptor)
    errno = code
    return nil
  }
  return descriptor
}
