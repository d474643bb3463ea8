package import Configuration
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
    package var options: [String: ConfigContent]
    /// The path of the file that was asked for; it must exist. If nil, the file is that of `places`, and
    /// need not exist.
    package var file: String?
    /// The variables `EDITLOG_NAME`.
    package var environment: EnvironmentVariablesProvider
    package var places: StandardPlaces

    package init(
      options: [String: ConfigContent] = [:], file: String? = nil,
      environment: EnvironmentVariablesProvider, places: StandardPlaces
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
  private let providers: [(Settings.Source, any ConfigProvider)]
  private var errors: [SettingError] = []
  private var areUsage = true
  /// The numbers found so far, by name.
  private var numbers: [String: Int] = [:]

  init(_ sources: Settings.Sources) {
    places = sources.places
    path = sources.file ?? places.settings.flatMap { access($0, F_OK) == 0 ? $0 : nil }
    if let path {
      do throws(SettingError) {
        let file = try SettingsFile(path: path)
        (self.file, errors) = (file, file.errors)
      } catch { errors = [error] }
      areUsage = errors.isEmpty
    }
    providers = [
      (.option, InMemoryProvider(values: Self.values(sources.options))),
      (.environment, sources.environment),
      (.file, InMemoryProvider(values: Self.values(file?.values ?? [:]))),
    ]
  }

  private static func key(_ name: String) -> AbsoluteConfigKey { ["editlog", name] }

  private static func values(
    _ contents: [String: ConfigContent]
  ) -> [AbsoluteConfigKey: ConfigValue] {
    .init(uniqueKeysWithValues: contents.map { (key($0), ConfigValue($1, isSecret: false)) })
  }

  /// The value of a setting in the first place that has a valid one. A setting must come after that of
  /// its maximum.
  mutating func entry(_ setting: Setting) -> Settings.Entry {
    let maximum = setting.maximumName.flatMap { numbers[$0] } ?? .max
    var found: Settings.Entry?
    for (source, provider) in providers {
      guard let value = value(of: setting, atMost: maximum, from: source, provider), found == nil
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
    of setting: Setting, atMost maximum: Int, from source: Settings.Source,
    _ provider: any ConfigProvider
  ) -> Setting.Value? {
    func content(_ type: ConfigType) -> ConfigContent? {
      try? provider.value(forKey: Self.key(setting.name), type: type).value?.content
    }
    // The environment has only strings, which the provider turns into numbers.
    guard let given = content(.string) ?? content(.int) ?? content(.double) ?? content(.bool)
    else { return nil }
    // A variable that is empty counts as not set.
    if source == .environment, given == .string("") { return nil }
    let value = Setting.Value(
      setting.isNumber && source == .environment ? content(.int) ?? given : given)
    guard let value, setting.allows(value, atMost: maximum),
      source != .file || setting.allowsInFile(value)
    else {
      refuse(setting, given, source)
      return nil
    }
    return value
  }

  private mutating func refuse(
    _ setting: Setting, _ content: ConfigContent, _ source: Settings.Source
  ) {
    areUsage = areUsage && source == .option
    let place =
      switch source {
      case .option: "--\(setting.name) \(content.plain)"
      case .environment: "\(setting.variable)=\(content.plain)"
      case .file, .standard:
        "\(path?.shown ?? ""): \(setting.name) = \(Setting.Value(content).map { "\($0)" } ?? content.plain)"
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

extension Setting.Value {
  /// A value of a type that settings have.
  fileprivate init?(_ content: ConfigContent) {
    switch content {
    case .string(let text): self = .text(text)
    case .int(let number): self = .number(number)
    default: return nil
    }
  }
}

extension ConfigContent {
  /// The value without quotes, on one line.
  fileprivate var plain: String {
    switch self {
    case .string(let text): text.shown
    case .int(let number): String(number)
    case .double(let number): String(number)
    case .bool(let bool): String(bool)
    default: ""
    }
  }
}
