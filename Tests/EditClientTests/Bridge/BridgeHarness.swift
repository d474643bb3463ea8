import EditClient
import EditJSON
import EditModel
import EditProtocol
import Glibc
import NIOCore
import Synchronization
import TestSupport
import Testing

/// A folder for a socket and spools, and bridges that use them.
final class BridgeHarness: Sendable {
  private let folder = TemporaryFolder()
  private let lines = Mutex<[String]>([])

  var socket: String { folder.path("s") }
  var spool: String { folder.path("spool") }
  var notes: [String] { lines.withLock { $0 } }
  func note(_ line: String) { lines.withLock { $0.append(line) } }

  /// The names in the spool folder, sorted.
  var spoolNames: [String] {
    guard let directory = opendir(spool) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// A bridge that starts to run.
  func start(
    seed: UInt64 = 1, _ change: (inout LSPBridge.Configuration) -> Void = { _ in }
  ) -> RunningBridge {
    var configuration = LSPBridge.Configuration(socketPath: socket, spoolDirectory: spool)
    configuration.pauseMin = .milliseconds(1)
    configuration.pauseMax = .milliseconds(20)
    configuration.shutdownPatience = .seconds(60)
    configuration.endPatience = .seconds(60)
    change(&configuration)
    var generator = SplitMix64(seed: seed)
    let (input, output) = (TestInput(), TestOutput())
    let bridge = LSPBridge(configuration, input: input, output: output, using: &generator) {
      line in self.note(line)
    }
    return RunningBridge(input: input, output: output, run: Task { try await bridge.run() })
  }

  /// A bridge that hardly waits, for a daemon that does not run.
  func startHasty(seed: UInt64 = 1) -> RunningBridge {
    start(seed: seed) {
      $0.shutdownPatience = .milliseconds(5)
      $0.endPatience = .milliseconds(5)
    }
  }
}

/// Waits until the condition holds. After five minutes, which no busy machine takes, that it does
/// not is an issue.
func eventually(
  sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async {
  let deadline = ContinuousClock.now + .seconds(300)
  while !condition() {
    guard .now < deadline else {
      Issue.record("waited for five minutes", sourceLocation: sourceLocation)
      return
    }
    try? await Task.sleep(for: .milliseconds(1))
  }
}

/// A task that did not end.
struct NotAfterFiveMinutes: Error {}

/// What a task returns; throws after five minutes even if the task ignores that it is cancelled.
func value<Success: Sendable>(of task: Task<Success, any Error>) async throws -> Success {
  return try await withCheckedThrowingContinuation { continuation in
    let waiting = Mutex<CheckedContinuation<Success, any Error>?>(continuation)
    let take: @Sendable () -> CheckedContinuation<Success, any Error>? = {
      waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
    }
    let limit = Task {
      try await Task.sleep(for: .seconds(300))
      take()?.resume(throwing: NotAfterFiveMinutes())
      task.cancel()
    }
    Task {
      let result = await task.result
      limit.cancel()
      take()?.resume(with: result)
    }
  }
}

/// A bridge under way, and the editor at its other end.
struct RunningBridge {
  let input: TestInput
  let output: TestOutput
  let run: Task<LSPBridge.End, any Error>

  func send(_ message: RPCMessage) { input.send(message.frame) }
  func notify(_ method: String, _ params: JSON = .null) {
    send(.notification(method: method, params: params))
  }

  /// Sends a request and waits for its answer.
  func call(_ id: Int64, _ method: String, _ params: JSON = .null) async -> RPCMessage {
    send(.request(id: .integer(id), method: method, params: params))
    return await output.answer(to: .integer(id))
  }

  func initialize() async -> RPCMessage { await call(0, "initialize", ["processId": 7]) }

  /// Ends as LSP has it.
  func leave() async throws -> LSPBridge.End {
    _ = await call(-1, "shutdown")
    notify("exit")
    return try await value(of: run)
  }

  /// Closes the bridge's input.
  func hangUp() async throws -> LSPBridge.End {
    input.end()
    return try await value(of: run)
  }

  func open(_ uri: String, _ text: String = "") {
    let params = DidOpenParams(uri: document(uri), version: 0, text: UTF16Text(text))
    notify("textDocument/didOpen", params.json)
  }

  func change(_ uri: String, _ text: String) {
    let params = DidChangeParams(
      uri: document(uri), changes: [.init(range: nil, text: UTF16Text(text))])
    notify("textDocument/didChange", params.json)
  }

  func close(_ uri: String) {
    notify("textDocument/didClose", TextDocumentParams(uri: document(uri)).json)
  }
}

func document(_ uri: String) -> DocumentID {
  guard let document = DocumentID(uri) else { preconditionFailure("a test's name is one") }
  return document
}

/// What the editor sends, chunk by chunk.
final class TestInput: BridgeInput {
  private struct State {
    var chunks: [ByteBuffer] = []
    var isEnding = false
    var waiting: CheckedContinuation<Void, Never>?
  }
  private let state = Mutex(State())

  func send(_ bytes: ByteBuffer) { update { $0.chunks.append(bytes) } }
  func stop() { update { $0.isEnding = true } }
  func end() { stop() }
  var isEnding: Bool { state.withLock { $0.isEnding } }
  /// Chunks that were not read.
  var unread: Int { state.withLock { $0.chunks.count } }

  private func update(_ change: (inout State) -> Void) {
    let waiting = state.withLock { state in
      change(&state)
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  func read() async throws -> ByteBuffer? {
    while true {
      let next: ByteBuffer?? = state.withLock { state in
        if !state.chunks.isEmpty { return .some(state.chunks.removeFirst()) }
        return state.isEnding ? .some(nil) : nil
      }
      if let next { return next }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          guard state.chunks.isEmpty, !state.isEnding else { return true }
          state.waiting = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }
}

/// What the editor receives.
final class TestOutput: BridgeOutput {
  private let messages = Mutex<[RPCMessage]>([])

  /// All messages so far.
  var all: [RPCMessage] { messages.withLock { $0 } }

  func write(_ bytes: ByteBuffer) async throws {
    var (decoder, bytes) = (FrameDecoder(), bytes)
    while let body = try decoder.decode(buffer: &bytes) {
      let message = try RPCMessage(body: body)
      messages.withLock { $0.append(message) }
    }
  }

  /// Waits for the answer to a request.
  func answer(to id: RPCID) async -> RPCMessage {
    var answer: RPCMessage?
    await eventually {
      answer = all.first { message in
        switch message {
        case .response(id, _), .failure(id, _): true
        default: false
        }
      }
      return answer != nil
    }
    return answer ?? .failure(id: id, ProtocolError(.internalError, "no answer"))
  }
}

func session(_ name: String) -> SessionID {
  guard let session = SessionID(name) else { preconditionFailure("a test's name is one") }
  return session
}
