import DaemonTestSupport
import EditClient
import EditJSON
import EditModel
import EditProtocol
import NIOCore
import Synchronization
import TestSupport

/// An editor with one document, behind a bridge of its own. Its buffer is an array of UTF-16 units: slow
/// and plainly right.
final class FakeEditor: Sendable {
  /// What it does when it is asked for an edit.
  enum Manner: Sendable {
    case applies
    /// Reports the edit before it answers.
    case reportsFirst
    case refuses
    case fails
    case ignores
    /// Answers that it has made the edit, and never does.
    case lies
    /// Makes the edit, and reports it after a time.
    case isLate(Duration)
    /// Types this at the start of the buffer, whatever the version says, then makes the edit where it was
    /// asked to.
    case typesBefore(String)
    /// Makes the edit, types this at the start, and reports both at once.
    case typesAfter(String)
    /// Ends.
    case dies
  }

  private struct State {
    var units: [UInt16] = []
    var version: Int64 = 1
    /// Changes that are not reported yet.
    var unreported: [DidChangeParams.Change] = []
    var manner: Manner
    var askedCount = 0
    /// The params of `window/showDocument`, in their order.
    var shown: [JSON] = []
    /// The answers to the requests of `ask`, by their identifiers.
    var answers: [RPCID: Result<JSON, ProtocolError>] = [:]
  }
  private let state: Mutex<State>
  private let encoding: PositionEncoding
  private let name: String
  private let (chunks, feed) = AsyncStream.makeStream(of: ByteBuffer.self)
  private let run: Mutex<Task<Void, Never>?> = Mutex(nil)

  /// Opens a document with a text.
  ///
  /// - Parameters:
  ///   - client: Its name in `clientInfo`: a client whose lines end at an LF only, as those of this one. One that
  ///     is named "emacs" counts code points.
  ///   - appliesEdits: Its capability.
  ///   - showsDocuments: Its capability to select a range.
  init(
    _ name: String, _ text: String, manner: Manner = .applies, client: String = "helix",
    appliesEdits: Bool = true, showsDocuments: Bool = false, socket: String, spool: String,
    seed: UInt64 = 1
  ) {
    self.name = name
    encoding = client == "emacs" ? .utf32 : .utf16
    state = Mutex(State(units: Array(text.utf16), manner: manner))
    var configuration = LSPBridge.Configuration(socketPath: socket, spoolDirectory: spool)
    (configuration.pauseMin, configuration.pauseMax) = (.milliseconds(1), .milliseconds(20))
    var generator = SplitMix64(seed: seed)
    let input = Input(chunks)
    let bridge = LSPBridge(
      configuration, input: input, output: Output(self), using: &generator, note: { _ in })
    run.withLock { $0 = Task { _ = try? await bridge.run() } }
    send(
      .request(
        id: .integer(1), method: "initialize",
        params: [
          "clientInfo": ["name": JSON(client)],
          "capabilities": [
            "workspace": ["applyEdit": .bool(appliesEdits)],
            "window": ["showDocument": ["support": .bool(showsDocuments)]],
          ],
        ]))
    notify(
      "textDocument/didOpen",
      DidOpenParams(uri: document(name), version: 1, text: UTF16Text(text)).json)
  }

  var text: String { state.withLock { String(decoding: $0.units, as: UTF16.self) } }
  /// How often it was asked for an edit.
  var askedCount: Int { state.withLock { $0.askedCount } }
  /// What it was asked to select.
  var shown: [JSON] { state.withLock { $0.shown } }

  /// Sends a request of its own, and returns the answer.
  func ask(_ method: String, _ params: JSON) async throws -> JSON {
    let id = RPCID.string(JSONString("ask \(method)"))
    state.withLock { $0.answers[id] = nil }
    send(.request(id: id, method: method, params: params))
    try await until { self.state.withLock { $0.answers[id] != nil } }
    return try state.withLock { $0.answers[id] }?.get() ?? .null
  }

  func set(_ manner: Manner) { state.withLock { $0.manner = manner } }

  private func send(_ message: RPCMessage) { feed.yield(message.frame) }
  private func notify(_ method: String, _ params: JSON) {
    send(.notification(method: method, params: params))
  }

  /// Types a text at an offset, which is clamped, and never inside a surrogate pair. It is reported by
  /// `report`.
  func type(_ text: String, at offset: Int, removing count: Int = 0) {
    state.withLock { state in
      let start = Self.snap(min(offset, state.units.count), in: state.units)
      let end = Self.snap(min(start + count, state.units.count), in: state.units)
      change(start..<max(start, end), Array(text.utf16), &state)
    }
  }

  private static func snap(_ offset: Int, in units: [UInt16]) -> Int {
    offset > 0 && offset < units.count && UTF16.isTrailSurrogate(units[offset])
      && UTF16.isLeadSurrogate(units[offset - 1]) ? offset - 1 : offset
  }

  private func change(_ range: Range<Int>, _ text: [UInt16], _ state: inout State) {
    let places = LSPRange(
      start: position(range.lowerBound, state.units), end: position(range.upperBound, state.units))
    state.units.replaceSubrange(range, with: text)
    state.version += 1
    state.unreported.append(.init(range: places, text: UTF16Text(units: text)))
  }

  /// Sends the changes that are not reported yet.
  func report() {
    state.withLock { state in
      guard !state.unreported.isEmpty else { return }
      notify(
        "textDocument/didChange",
        DidChangeParams(uri: document(name), version: state.version, changes: state.unreported)
          .json)
      state.unreported = []
    }
  }

  /// Reads another text into the buffer, as after a change of the file, and reports that.
  func load(_ text: String) {
    state.withLock { change(0..<$0.units.count, Array(text.utf16), &$0) }
    report()
  }

  /// Reports that the buffer was saved, without its text.
  func save() {
    report()
    notify("textDocument/didSave", TextDocumentParams(uri: document(name)).json)
  }

  private func position(_ offset: Int, _ units: [UInt16]) -> LSPPosition {
    let before = units[..<offset]
    let line = before.count { $0 == 0x0A }
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let column = units[start..<offset]
    return LSPPosition(
      line: line,
      character: encoding == .utf16
        ? column.count : String(decoding: column, as: UTF16.self).unicodeScalars.count)
  }

  private func offset(_ place: LSPPosition, _ units: [UInt16]) -> Int? {
    // Of two offsets in a surrogate pair with one column, the second.
    (0...units.count).last { position($0, units) == place }
  }

  /// Closes the document, and ends the bridge.
  func quit() async {
    report()
    notify("textDocument/didClose", TextDocumentParams(uri: document(name)).json)
    feed.finish()
    await run.withLock { $0 }?.value
  }

  // MARK: Requests

  fileprivate func receive(_ message: RPCMessage) {
    switch message {
    case .response(let id, let result):
      state.withLock { $0.answers[id] = .success(result) }
    case .failure(let id?, let error): state.withLock { $0.answers[id] = .failure(error) }
    case .request(let id, "window/showDocument", let params):
      state.withLock { $0.shown.append(params) }
      send(.response(id: id, result: ["success": true]))
    case .request(let id, "workspace/applyEdit", let params): apply(params, id)
    default: break
    }
  }

  private func apply(_ params: JSON, _ id: RPCID) {
    let manner = state.withLock { state in
      state.askedCount += 1
      return state.manner
    }
    func answer(_ isApplied: Bool) {
      send(.response(id: id, result: ["applied": .bool(isApplied)]))
    }
    switch manner {
    case .applies:
      let isApplied = make(params)
      answer(isApplied)
      report()
    case .reportsFirst:
      let isApplied = make(params)
      report()
      answer(isApplied)
    case .refuses: answer(false)
    case .fails:
      send(.failure(id: id, ProtocolError(.internalError, "it is read-only")))
    case .ignores: break
    case .lies: answer(true)
    case .isLate(let time):
      answer(make(params))
      Task {
        try? await Task.sleep(for: time)
        report()
      }
    case .typesBefore(let text):
      type(text, at: 0)
      answer(make(params, anyVersion: true))
      report()
    case .typesAfter(let text):
      answer(make(params))
      type(text, at: 0)
      report()
    case .dies:
      feed.finish()
    }
  }

  /// Makes the edits of a request; false if they are for another version.
  private func make(_ params: JSON, anyVersion: Bool = false) -> Bool {
    state.withLock { state in
      guard case .array(let changes)? = params["edit"]?["documentChanges"], changes.count == 1,
        let change = changes.first, change["textDocument"]?["uri"] == JSON(name),
        anyVersion || change["textDocument"]?["version"] == .integer(state.version),
        case .array(let edits)? = change["edits"], edits.count == 1, let edit = edits.first,
        let range = edit["range"].flatMap({ try? LSPRange(json: $0) }),
        case .string(let text)? = edit["newText"],
        let start = offset(range.start, state.units), let end = offset(range.end, state.units)
      else { return false }
      // The positions may be for another version.
      let (first, last) = (Self.snap(start, in: state.units), Self.snap(end, in: state.units))
      self.change(first..<max(first, last), Array(text.description.utf16), &state)
      return true
    }
  }

  private final class Input: BridgeInput {
    private let chunks: AsyncStream<ByteBuffer>
    private let ending = Atomic(false)
    init(_ chunks: AsyncStream<ByteBuffer>) { self.chunks = chunks }

    func read() async throws -> ByteBuffer? {
      for await chunk in chunks { return chunk }
      return nil
    }
    func stop() { ending.store(true, ordering: .relaxed) }
    var isEnding: Bool { ending.load(ordering: .relaxed) }
  }

  private final class Output: BridgeOutput {
    private let editor: FakeEditor
    init(_ editor: FakeEditor) { self.editor = editor }

    func write(_ bytes: ByteBuffer) async throws {
      var (decoder, bytes) = (FrameDecoder(), bytes)
      while let body = try decoder.decode(buffer: &bytes) {
        editor.receive(try RPCMessage(body: body))
      }
    }
  }
}
