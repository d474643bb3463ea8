import EditModel

/// An error in the settings: where, which key and value, and what is allowed.
package enum SettingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file cannot be read.
  case unreadable(path: String, why: String)
  /// The file is not TOML.
  case notTOML(path: String, line: Int, column: Int, what: String)
  /// There is no setting of this name.
  case unknownKey(path: String, key: String)
  /// The value of a setting is of a wrong kind, or out of range.
  ///
  /// - Parameters:
  ///   - place: The setting as it was given, with its value.
  ///   - allowed: What it must be.
  case badValue(place: String, allowed: String)

  /// One line for the user.
  package var description: String {
    switch self {
    case .unreadable(let path, let why): "could not read \(path.shown): \(why)"
    case .notTOML(let path, let line, let column, let what):
      "\(path.shown), line \(line), column \(column): \(what)"
    case .unknownKey(let path, let key):
      "\(path.shown): \(key.shown) is not a setting; `editlogd --check-config` lists all settings"
    case .badValue(let place, let allowed): "\(place): must be \(allowed)"
    }
  }
}

/// All errors that were found in the settings.
package struct SettingErrors: Error, Hashable, Sendable {
  package let all: [SettingError]
  /// True if all are errors of the command line.
  package let areUsage: Bool

  /// The exit status of sysexits(3): 64 for the command line, 78 for the file and the environment.
  package var exitCode: Int32 { areUsage ? 64 : 78 }
}
