import Glibc

/// The default paths of store, spool and socket, by the XDG base directory specification. The
/// daemon and all its clients use them.
public struct StandardPlaces: Sendable {
  /// The maximum length of the path of a Unix socket, in bytes: 107 on Linux, where `sun_path` has
  /// 108 with the terminating zero.
  public static let socketPathSizeMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// The default of `socket`, for help texts.
  package static let socketDefault =
    "$EDITLOG_SOCKET, else $XDG_RUNTIME_DIR/editlog/editlogd.sock, else /run/editlog/editlogd.sock"
  /// The default of `store`, for help texts.
  package static let storeDefault = """
    $EDITLOG_STORE, else $STATE_DIRECTORY, else $XDG_STATE_HOME/editlog, else \
    ~/.local/state/editlog
    """

  /// The default of `spool`, for help texts.
  package static let spoolDefault =
    "$EDITLOG_SPOOL, else $XDG_STATE_HOME/editlog-spool, else ~/.local/state/editlog-spool"

  /// The default of `settings`, for help texts.
  package static let settingsDefault =
    "$XDG_CONFIG_HOME/editlog/editlogd.toml, else ~/.config/editlog/editlogd.toml, if it exists"

  private let environment: @Sendable (String) -> String?

  /// The paths for this process's environment.
  public init() { self.init { name in getenv(name).map { String(cString: $0) } } }

  /// The paths for another environment.
  public init(environment: @escaping @Sendable (String) -> String?) {
    self.environment = environment
  }

  /// The store: `EDITLOG_STORE`, else `STATE_DIRECTORY` (systemd's), else
  /// `$XDG_STATE_HOME/editlog`, else `~/.local/state/editlog`; nil without a home directory.
  public var store: String? {
    if let store = value("EDITLOG_STORE") { return store }
    if let directory = value("STATE_DIRECTORY") {
      return String(directory.prefix { $0 != ":" })
    }
    if let state = absolute("XDG_STATE_HOME") { return state + "/editlog" }
    return absolute("HOME").map { $0 + "/.local/state/editlog" }
  }

  /// The folder in which bridges keep edits that are not acknowledged: `EDITLOG_SPOOL`, else
  /// `$XDG_STATE_HOME/editlog-spool`, else `~/.local/state/editlog-spool`; nil without a home
  /// directory. It is not in the store, because the bridge may not know where the daemon's store
  /// is.
  public var spool: String? {
    if let spool = value("EDITLOG_SPOOL") { return spool }
    if let state = absolute("XDG_STATE_HOME") { return state + "/editlog-spool" }
    return absolute("HOME").map { $0 + "/.local/state/editlog-spool" }
  }

  /// The user's home folder; nil if `HOME` has no absolute path.
  public var home: String? { absolute("HOME") }

  /// The daemon's file of settings: `$XDG_CONFIG_HOME/editlog/editlogd.toml`, else
  /// `~/.config/editlog/editlogd.toml`; nil without a home directory.
  public var settings: String? {
    let folder = absolute("XDG_CONFIG_HOME") ?? absolute("HOME").map { $0 + "/.config" }
    return folder.map { $0 + "/editlog/editlogd.toml" }
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

  /// The specification says that relative paths are ignored.
  private func absolute(_ name: String) -> String? {
    value(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
  }
}
