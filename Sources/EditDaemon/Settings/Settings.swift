import EditModel
package import EditProtocol
import Glibc

/// The effective settings of a daemon, and where each came from: options override the environment, which
/// overrides the file, which overrides the defaults.
package struct Settings: Sendable {
  /// Where a value came from.
  package enum Source: Hashable, Sendable {
    case option
    case environment
    case file
    case standard
  }

  /// A setting with its value.
  package struct Entry: Sendable {
    package let setting: Setting
    package let value: Setting.Value
    package let source: Source
  }

  /// The places in which settings are looked for.
  package struct Sources: Sendable {
    /// The options of the command line, by the names of their settings.
    package var options: [String: GivenValue]
    /// The path of the file that was asked for; it must exist. If nil, the file is that of `places`, and
    /// need not exist.
    package var file: String?
    /// The value of a variable `EDITLOG_NAME` of the environment; nil if it is not set.
    package var environment: @Sendable (String) -> String?
    package var places: StandardPlaces

    package init(
      options: [String: GivenValue] = [:], file: String? = nil,
      environment: @escaping @Sendable (String) -> String?, places: StandardPlaces
    ) {
      (self.options, self.file) = (options, file)
      (self.environment, self.places) = (environment, places)
    }
  }

  /// All settings, in the order of `Setting.all`.
  package let entries: [Entry]
  /// The path of the file that was read; nil if there is none.
  package let file: String?

  /// Reads the settings.
  ///
  /// - Throws: `SettingErrors` with all errors, those of values that are overridden too.
  package init(_ sources: Sources) throws(SettingErrors) {
    var reader = SettingsReader(sources)
    entries = Setting.all.map { reader.entry($0) }
    try reader.finish()
    file = reader.file?.path
  }

  /// The options of the daemon.
  package var daemonOptions: DaemonOptions {
    var options = DaemonOptions(store: "", socket: "")
    for entry in entries { entry.setting.apply(&options, entry.value) }
    return options
  }

  /// The effective settings as a file of settings, which says where each value came from.
  package var text: String {
    let lines = entries.map { entry -> String in
      let source =
        switch entry.source {
        case .option: "--\(entry.setting.name)"
        case .environment: entry.setting.variable
        case .file: "this file"
        case .standard: "default"
        }
      return "\(entry.setting.name) = \(entry.value)  # \(source)\n"
    }
    return "# \(file?.shown ?? "no file")\n" + lines.joined()
  }

  /// The settings whose values differ from those of `old`.
  package func changes(since old: Settings) -> [Entry] {
    zip(entries, old.entries).filter { $0.value != $1.value }.map { $0.0 }
  }
}

/// Reads settings, and collects the errors.
private struct SettingsReader {
  private let places: StandardPlaces
  private let path: String?
  private(set) var file: SettingsFile?
  private let sources: Settings.Sources
  private var errors: [SettingError] = []
  private var areUsage = true
  /// The numbers found so far, by name.
  private var numbers: [String: Int] = [:]

  init(_ sources: Settings.Sources) {
    self.sources = sources
    places = sources.places
    path = sources.file ?? places.settings.flatMap { access($0, F_OK) == 0 ? $0 : nil }
    if let path {
      do throws(SettingError) {
        let file = try SettingsFile(path: path)
        (self.file, errors) = (file, file.errors)
      } catch { errors = [error] }
      areUsage = errors.isEmpty
    }
  }

  /// The value of a setting in the first place that has a valid one. A setting must come after that of
  /// its maximum.
  mutating func entry(_ setting: Setting) -> Settings.Entry {
    let maximum = setting.maximumName.flatMap { numbers[$0] } ?? .max
    var found: Settings.Entry?
    for source in [Settings.Source.option, .environment, .file] {
      guard let value = value(of: setting, atMost: maximum, from: source), found == nil
      else { continue }
      found = Settings.Entry(setting: setting, value: value, source: source)
    }
    let entry =
      found
      ?? Settings.Entry(
        setting: setting, value: standard(of: setting, atMost: maximum), source: .standard)
    if case .number(let number) = entry.value { numbers[setting.name] = number }
    return entry
  }

  /// The value in one place. Nil if there is none, or a wrong one.
  private mutating func value(
    of setting: Setting, atMost maximum: Int, from source: Settings.Source
  ) -> Setting.Value? {
    guard let given = given(setting, from: source) else { return nil }
    let value = Setting.Value(given)
    guard let value, setting.allows(value, atMost: maximum),
      source != .file || setting.allowsInFile(value)
    else {
      refuse(setting, given, source)
      return nil
    }
    return value
  }

  /// What one place says; nil if it says nothing.
  private func given(_ setting: Setting, from source: Settings.Source) -> GivenValue? {
    switch source {
    case .option: return sources.options[setting.name]
    case .file: return file?.values[setting.name]
    case .standard: return nil
    case .environment:
      // A variable that is empty counts as not set.
      guard let text = sources.environment(setting.variable), !text.isEmpty else { return nil }
      return setting.isNumber ? Int(text).map { .number($0) } ?? .text(text) : .text(text)
    }
  }

  private mutating func refuse(
    _ setting: Setting, _ given: GivenValue, _ source: Settings.Source
  ) {
    areUsage = areUsage && source == .option
    let place =
      switch source {
      case .option: "--\(setting.name) \(given.plain)"
      case .environment: "\(setting.variable)=\(given.plain)"
      case .file, .standard:
        "\(path?.shown ?? ""): \(setting.name) = \(Setting.Value(given).map { "\($0)" } ?? given.plain)"
      }
    errors.append(
      .badValue(place: place, allowed: source == .file ? setting.allowedInFile : setting.allowed))
  }

  private func standard(of setting: Setting, atMost maximum: Int) -> Setting.Value {
    switch setting.standard {
    case .number(let number): .number(min(number, maximum))
    case .text(let text): .text(text)
    case nil: .text(standardPath(of: setting))
    }
  }

  /// The path by the environment; empty without a home directory.
  private func standardPath(of setting: Setting) -> String {
    switch setting.name {
    case Setting.store.name: places.store ?? ""
    case Setting.spool.name: places.spool ?? ""
    case Setting.textFolder.name: places.home ?? ""
    default: places.socket
    }
  }

  /// Throws the errors.
  func finish() throws(SettingErrors) {
    guard errors.isEmpty else { throw SettingErrors(all: errors, areUsage: areUsage) }
  }
}
