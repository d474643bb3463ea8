extension ProtocolError {
  /// The kinds of errors. Wire codes, Swift cases and the CLI's exit statuses come from this list.
  /// Numbers and names never change.
  public enum Code: Int, CaseIterable, Hashable, Sendable {
    /// There is no document of this name.
    case unknownDocument = 1
    /// The document has no such version, time or mark.
    case unknownPoint = 2
    /// The edits were made against another version than the latest.
    case sequenceConflict = 3
    /// An edit contradicts itself or does not fit the text.
    case invalidEdit = 4
    /// The version is older than what is kept.
    case beyondRetention = 5
    /// Bytes of the log have changed or are missing.
    case damagedLog = 6
    /// The editor's text is not the log's.
    case diverged = 7
    /// The daemon is busy; try again later.
    case overloaded = 8
    /// The caller may not do this.
    case notPermitted = 9
    /// The store has no room.
    case noSpace = 10
    /// The store was written by a newer version.
    case newerFormat = 11
    /// The store cannot be read or written.
    case storeUnreadable = 12
    /// No daemon answers at the socket. Only clients report this.
    case unreachable = 13
    /// A frame, a name or a value exceeds its limit.
    case tooLarge = 14
    /// An editor has the document open, so only the editor may change it.
    case openInEditor = 15
    /// A daemon accepts connections at the socket, and sends nothing. Only clients report this.
    case unresponsive = 16

    /// The message is not JSON.
    case parseError = -32700
    /// Not a JSON-RPC 2.0 message.
    case invalidRequest = -32600
    /// There is no method of this name.
    case methodNotFound = -32601
    /// The method's params have another shape.
    case invalidParams = -32602
    /// An internal error of the daemon or the client.
    case internalError = -32603
    /// A request of LSP came before `initialize`.
    case serverNotInitialized = -32002
    /// The client has cancelled the request.
    case requestCancelled = -32800

    /// The name in an error object's `data.name`.
    public var name: String { "\(self)" }

    /// True if the same request may succeed later, unchanged. After a `sequenceConflict`, the
    /// client must read the new version first.
    public var isRetryable: Bool {
      switch self {
      case .overloaded, .noSpace, .unreachable, .unresponsive: true
      default: false
      }
    }

    /// True if the cause is the request itself: sent again unchanged, it would be refused again.
    /// Other errors may pass, or their cause is the daemon or the store.
    public var isFaultOfRequest: Bool {
      switch self {
      case .unknownDocument, .unknownPoint, .sequenceConflict, .invalidEdit, .beyondRetention,
        .diverged, .tooLarge, .parseError, .invalidRequest, .invalidParams, .openInEditor:
        true
      case .overloaded, .noSpace, .unreachable, .unresponsive, .notPermitted, .newerFormat,
        .storeUnreadable, .methodNotFound, .serverNotInitialized, .damagedLog, .internalError,
        .requestCancelled:
        false
      }
    }

    /// The exit status of the CLI, as in sysexits.h.
    public var exitStatus: Int32 {
      switch self {
      case .invalidParams: 64
      case .invalidEdit, .damagedLog, .diverged, .tooLarge: 65
      case .unknownDocument, .unknownPoint: 66
      case .unreachable, .unresponsive: 69
      case .parseError, .invalidRequest, .methodNotFound, .internalError, .serverNotInitialized:
        70
      case .noSpace, .storeUnreadable: 74
      case .sequenceConflict, .overloaded, .openInEditor, .requestCancelled: 75
      case .notPermitted: 77
      case .newerFormat: 78
      case .beyondRetention: 80
      }
    }
  }
}

extension ProtocolError.Code {
  /// A range that does not fit the text is an invalid edit.
  public static var invalidRange: Self { .invalidEdit }
}
