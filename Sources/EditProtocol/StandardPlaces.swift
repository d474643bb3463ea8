import Glibc

/// Where store and socket are when nobody says: the places of the XDG base directory
/// specification. The daemon and everyone who talks to it ask here.
public struct StandardPlaces: Sendable {
  /// Bytes in the longest path of a Unix socket: 107 on Linux, where `sun_path` has 108 with the
  /// zero byte at its end.
  public static let socketPathSizeMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// The default of `socket`, for help texts.
  package static let socketDefault =
    "$EDITLOG_SOCKET, else $XDG_RUNTIME_DIR/editlog/editlogd.sock, else /run/editlog/editlogd.sock"
  /// The default of `store`, for help texts.
  package static let storeDefault = """
    $EDITLOG_STORE, else $STATE_DIRECTORY, else $XDG_STATE_HOME/editlog, else \
    ~/.local/state/editlog
    """

  private let environment: @Sendable (String) -> String?

  /// The places by this process's environment.
  public init() { self.init { name in getenv(name).map { String(cString: $0) } } }

  /// The places by another environment.
  public init(environment: @escaping @Sendable (String) -> String?) {
    self.environment = environment
  }

  /// The store: `EDITLOG_STORE`, else `STATE_DIRECTORY` (systemd's), else
  /// `$XDG_STATE_HOME/editlog`, else `~/.local/state/editlog`; nil where there is no home.
  public var store: String? {
    if let store = value("EDITLOG_STORE") { return store }
    if let directory = value("STATE_DIRECTORY") {
      return String(directory.prefix { $0 != ":" })
    }
    if let state = absolute("XDG_STATE_HOME") { return state + "/editlog" }
    return absolute("HOME").map { $0 + "/.local/state/editlog" }
  }

  /// Where bridges keep what is not acknowledged: `EDITLOG_SPOOL`, else
  /// `$XDG_STATE_HOME/editlog-spool`, else `~/.local/state/editlog-spool`; nil where there is no
  /// home. Not in the store, which the daemon may keep elsewhere.
  public var spool: String? {
    if let spool = value("EDITLOG_SPOOL") { return spool }
    if let state = absolute("XDG_STATE_HOME") { return state + "/editlog-spool" }
    return absolute("HOME").map { $0 + "/.local/state/editlog-spool" }
  }

  /// The socket: `EDITLOG_SOCKET`, else `$XDG_RUNTIME_DIR/editlog/editlogd.sock`, else the system
  /// service's, `/run/editlog/editlogd.sock`.
  public var socket: String {
    if let socket = value("EDITLOG_SOCKET") { return socket }
    return (absolute("XDG_RUNTIME_DIR") ?? "/run") + "/editlog/editlogd.sock"
  }

  private func value(_ name: String) -> String? {
    environment(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The specification has relative paths ignored.
  private func absolute(_ name: String) -> String? {
    value(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
  }
}
