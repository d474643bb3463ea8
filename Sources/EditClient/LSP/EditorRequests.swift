import EditJSON
import EditProtocol
import Synchronization

/// The requests of the daemon that a bridge has passed on to its editor, under identifiers of its own, and its
/// notifications.
final class EditorRequests: Sendable {
  /// The requests that are passed on.
  private static let methods: Set<String> = ["workspace/applyEdit", "window/showDocument"]
  /// The maximum number of requests without an answer. The oldest is forgotten: the daemon does not wait
  /// for it any more.
  private static let countMax = 16

  private struct State {
    var lastID: Int64 = 0
    var waiting: [Int64: EditLogClient.Options.Reply] = [:]
  }
  private let state = Mutex(State())
  private let output: any BridgeOutput

  init(_ output: any BridgeOutput) { self.output = output }

  /// Passes a request on. Returns false if it is not one for editors. Never blocks: an editor may be slow
  /// to read.
  func take(
    _ method: String, _ params: JSON, _ reply: @escaping EditLogClient.Options.Reply
  ) -> Bool {
    guard Self.methods.contains(method) else { return false }
    let id = state.withLock { state in
      state.lastID += 1
      state.waiting[state.lastID] = reply
      state.waiting[state.lastID - Int64(Self.countMax)] = nil
      return state.lastID
    }
    let request = RPCMessage.request(id: .integer(id), method: method, params: params)
    // An error shows when the bridge writes its next answer.
    Task { try? await output.write(request.frame) }
    return true
  }

  /// Passes on a notification that is for editors. Never blocks, as `take`.
  func pass(_ method: String, _ params: JSON) {
    guard method == "window/showMessage" else { return }
    let message = RPCMessage.notification(method: method, params: params)
    Task { try? await output.write(message.frame) }
  }

  /// Passes the editor's answer back to the daemon.
  func answer(_ id: RPCID, _ result: Result<JSON, ProtocolError>) {
    guard case .integer(let id) = id else { return }
    state.withLock { $0.waiting.removeValue(forKey: id) }?(result)
  }
}
