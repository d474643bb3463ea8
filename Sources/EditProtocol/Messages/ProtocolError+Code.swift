extension ProtocolError {
  /// What went wrong, as a decision: the one list behind wire codes, Swift cases and the CLI's
  /// exit statuses. Numbers and names never change.
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
    /// Bytes of the log that were once whole have changed.
    case damagedLog = 6
    /// The editor's text is not the log's.
    case diverged = 7
    /// Too much is under way; try again later.
    case overloaded = 8
    /// The caller may not do this.
    case notPermitted = 9
    /// The store has no room.
    case noSpace = 10
    /// The store was written by a newer version.
    case newerFormat = 11
    /// The store cannot be read or written.
    case storeUnreadable = 12
    /// Nobody answers at the socket. Only a client says this.
    case unreachable = 13
    /// A frame, a name or a value is past its limit.
    case tooLarge = 14

    /// The message is no JSON.
    case parseError = -32700
    /// The message is no JSON-RPC request.
    case invalidRequest = -32600
    /// There is no method of this name.
    case methodNotFound = -32601
    /// The method's params have another shape.
    case invalidParams = -32602
    /// A fault of the other side's program.
    case internalError = -32603
    /// A request came before `initialize`, where it is needed (LSP).
    case serverNotInitialized = -32002

    /// The name in an error object's `data.name`.
    public var name: String { "\(self)" }

    /// True where the same request may succeed later, unchanged. A `sequenceConflict` is not:
    /// read the new version first.
    public var isRetryable: Bool {
      switch self {
      case .overloaded, .noSpace, .unreachable: true
      default: false
      }
    }

    /// True where the request itself is at fault: sent again unchanged, it would be refused
    /// again. All else may pass, or is the daemon's or the store's trouble.
    public var isFaultOfRequest: Bool {
      switch self {
      case .unknownDocument, .unknownPoint, .sequenceConflict, .invalidEdit, .beyondRetention,
        .diverged, .tooLarge, .parseError, .invalidRequest, .invalidParams:
        true
      case .overloaded, .noSpace, .unreachable, .notPermitted, .newerFormat, .storeUnreadable,
        .methodNotFound, .serverNotInitialized, .damagedLog, .internalError:
        false
      }
    }

    /// The exit status of the CLI, after sysexits.
    public var exitStatus: Int32 {
      switch self {
      case .invalidParams: 64
      case .invalidEdit, .damagedLog, .diverged, .tooLarge: 65
      case .unknownDocument, .unknownPoint: 66
      case .unreachable: 69
      case .parseError, .invalidRequest, .methodNotFound, .internalError, .serverNotInitialized:
        70
      case .noSpace, .storeUnreadable: 74
      case .sequenceConflict, .overloaded: 75
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
