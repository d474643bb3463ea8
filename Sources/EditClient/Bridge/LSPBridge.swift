import EditModel
public import EditProtocol
import NIOCore

/// The language server that an editor starts: it passes what the editor says of its documents on
/// to the daemon, and loses none of it while the daemon is away.
///
/// - It answers the editor itself and at once, whatever the daemon does. What matters for the
///   log goes to the daemon as `editlog/forward`, numbered; (session, counter) makes passing
///   something on twice harmless, so after a loss of the connection all that is not acknowledged
///   is sent again.
/// - What is not acknowledged soon is written to a spool file as well. What is left there when
///   the bridge ends, however it ends, the next bridge delivers before anything of its own.
/// - Memory and spool are bounded. With the spool full the bridge stops reading: an editor that
///   waits loses less than one whose edits are dropped.
public struct LSPBridge: Sendable {
  /// What may be chosen.
  public struct Configuration: Sendable {
    /// The daemon's socket.
    public var socketPath: String
    /// The folder of the spool files; made where it is missing.
    public var spoolDirectory: String
    /// Bytes in the spool from which on the bridge stops reading from the editor until the
    /// daemon has acknowledged all in it. One message may go past it.
    public var spoolSizeMax = 64 << 20
    /// Bytes of messages in memory; more are in the spool alone.
    public var memorySizeMax = 8 << 20
    /// Messages not acknowledged from which on the bridge stops reading, as for `spoolSizeMax`.
    public var messageCountMax = 1 << 18
    /// Bytes and messages on their way to the daemon at once.
    public var flightSizeMax = 4 << 20
    /// Messages on their way to the daemon at once.
    public var flightCountMax = 4096
    /// Bytes in the largest frame taken from the editor.
    public var frameSizeMax = FrameDecoder.defaultFrameSizeMax
    /// How long `shutdown` waits for acknowledgements.
    public var shutdownPatience = Duration.milliseconds(300)
    /// How long the end waits for acknowledgements while the daemon is there.
    public var endPatience = Duration.seconds(2)
    /// How long a message may be unacknowledged before it is written to the spool, where the
    /// daemon is connected; at once where it is not.
    public var spoolDelay = Duration.milliseconds(200)
    /// How often the spool is flushed to the disk.
    public var syncDelay = Duration.seconds(1)
    /// The first pause between two connections.
    public var pauseMin = Duration.milliseconds(10)
    /// The longest pause between two connections.
    public var pauseMax = Duration.seconds(1)

    /// The defaults, for these two places.
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

  /// Carries what the editor sends until it ends, then closes what it left open and gives the
  /// daemon time to acknowledge. What is not acknowledged then stays in the spool.
  ///
  /// - Throws: `ProtocolError` of code `storeUnreadable` where edits are neither acknowledged
  ///   nor in the spool. Nothing else that happens to editor or daemon is an error.
  public func run() async throws(ProtocolError) -> End {
    let courier = Courier(configuration, session: session, note: note)
    var editor = EditorSide(self, courier)
    await editor.readAll()
    try await courier.finish()
    return editor.end
  }
}
