import EditJSON
public import EditModel
public import EditProtocol
import EditSpool
import NIOCore

/// The language server that an editor starts: it forwards what the editor sends about its documents
/// to the daemon, and loses nothing while the daemon is away.
///
/// - It answers the editor itself and at once, whatever the daemon does. Notifications that matter
///   for the log go to the daemon as `editlog/forward` through a `ForwardingClient`.
/// - What is not acknowledged soon is also written to a spool file. What is left there when
///   the bridge ends, however it ends, the daemon takes up; or the next bridge, before anything of its
///   own, if the daemon does not run.
/// - Memory and spool are bounded. If the spool is full, the bridge stops reading: an editor that
///   waits loses less than one whose edits are dropped.
public struct LSPBridge: Sendable {
  /// What may be chosen.
  public struct Configuration: Sendable {
    /// The daemon's socket.
    public var socketPath: String
    /// The folder of the spool files; made if it is missing.
    public var spoolDirectory: String
    /// Bytes in the spool above which the bridge stops reading from the editor until the daemon
    /// has acknowledged everything in it. One message may go past it.
    public var spoolSizeMax = 64 << 20
    /// Bytes of messages in memory; more are in the spool only.
    public var memorySizeMax = 8 << 20
    /// Unacknowledged messages above which the bridge stops reading.
    public var messageCountMax = 1 << 18
    /// Bytes of messages sent and not yet acknowledged. A larger message is sent alone.
    public var flightSizeMax = 4 << 20
    /// Messages sent and not yet acknowledged.
    public var flightCountMax = 4096
    /// Bytes in the largest frame taken from the editor.
    public var frameSizeMax = FrameDecoder.defaultFrameSizeMax
    /// How long `shutdown` waits for acknowledgements.
    public var shutdownPatience = Duration.milliseconds(300)
    /// How long the end waits for acknowledgements if the daemon is connected.
    public var endPatience = Duration.seconds(2)
    /// How long a message may be unacknowledged before it is written to the spool, if the daemon
    /// is connected; at once if it is not.
    public var spoolDelay = Duration.milliseconds(200)
    /// How often the spool is flushed to the disk.
    public var syncDelay = Duration.seconds(1)
    /// The first pause between two connections.
    public var pauseMin = Duration.milliseconds(10)
    /// The longest pause between two connections.
    public var pauseMax = Duration.seconds(1)
    /// The editor, as far as the bridge knows it. What the editor tells of itself counts more.
    public var editor: SessionDescription?
    /// The author of the edits: 1 to `AppendRequest.authorSizeMax` bytes.
    public var author: String?
    /// How long a daemon may send nothing before a note says so, and the bridge connects again.
    public var silence = SilenceLimits()
    /// The path of the store that the daemon must serve; nil if none is named. Edits that are kept go to no
    /// other.
    package var store: String?
    /// Called before each connection; what it throws is noted, and nothing is sent.
    package var check: (@Sendable () async throws(ProtocolError) -> Void)?

    /// The defaults, with this socket and this folder.
    public init(socketPath: String, spoolDirectory: String) {
      (self.socketPath, self.spoolDirectory) = (socketPath, spoolDirectory)
    }
  }

  /// How a run ended.
  public enum End: Hashable, Sendable {
    /// By `exit` after `shutdown`, by the end of input or by a signal.
    case ordinary
    /// By `exit` without `shutdown`, which LSP calls an error of the editor.
    case exitWithoutShutdown

    /// The status to exit with.
    public var exitStatus: Int32 { self == .ordinary ? 0 : 1 }
  }

  let configuration: Configuration
  let session: SessionID
  let input: any BridgeInput
  let output: any BridgeOutput
  let note: @Sendable (String) -> Void

  /// A bridge between these streams and the daemon. `note` takes lines for standard error, which
  /// hold no text of the user's; `generator` makes the session's name.
  public init(
    _ configuration: Configuration, input: any BridgeInput, output: any BridgeOutput,
    using generator: inout some RandomNumberGenerator,
    note: @escaping @Sendable (String) -> Void
  ) {
    self.configuration = configuration
    (self.input, self.output, self.note) = (input, output, note)
    session = Self.session(using: &generator)
  }

  /// "lsp-" and 16 random bytes.
  private static func session(using generator: inout some RandomNumberGenerator) -> SessionID {
    let digits = Array("0123456789abcdef")
    let name = (0..<32).map { _ in digits[Int.random(in: 0..<16, using: &generator)] }
    guard let session = SessionID("lsp-" + String(name)) else {
      preconditionFailure("36 bytes are a session's name")
    }
    return session
  }

  /// Forwards the editor's messages until they end, closes the documents that are still open, and
  /// waits a moment for acknowledgements. Messages that are not acknowledged by then stay in the
  /// spool.
  ///
  /// - Throws: `ProtocolError` of code `storeUnreadable` if edits are neither acknowledged
  ///   nor in the spool. Nothing else that happens to editor or daemon is an error.
  public func run() async throws(ProtocolError) -> End {
    let requests = EditorRequests(output)
    let client = ForwardingClient(
      configuration.forwarding(requests), session: session, initialize: .null, note: note
    ) { [note, session] ended in
      guard case .failure(let error) = ended.outcome else { return }
      // The daemon's message may quote the user's text.
      note("message \(ended.counter) of \(session) is not logged (\(error.code.name))")
    }
    var editor = LSPFrontend(self, client, requests)
    await editor.readAll()
    try await client.finish(
      patience: configuration.endPatience, withoutConnection: configuration.shutdownPatience)
    return editor.end
  }
}

extension LSPBridge.Configuration {
  fileprivate func forwarding(_ requests: EditorRequests) -> ForwardingClient.Options {
    var client = EditLogClient.Options()
    client.onRequest = { requests.take($0, $1, $2) }
    client.onNotification = { requests.pass($0, $1) }
    client.silence = silence
    return ForwardingClient.Options(
      socketPath: socketPath, connect: ForwardLink.connector(to: socketPath, client, check: check),
      windowCountMax: flightCountMax, windowSizeMax: flightSizeMax,
      queueCountMax: messageCountMax, memorySizeMax: memorySizeMax,
      pauseMin: pauseMin, pauseMax: pauseMax,
      refusalCountMax: { code in
        switch code {
        case _ where code.isFaultOfRequest: 1
        // It may be the message's fault or the daemon's.
        case .damagedLog, .internalError: 3
        default: nil
        }
      },
      spool: ForwardingClient.SpoolOptions(
        folder: SpoolFolder(path: spoolDirectory),
        store: store.map { SpoolHeader.name(ofStore: $0) }, sizeMax: spoolSizeMax,
        delay: spoolDelay,
        syncDelay: syncDelay))
  }
}
