import EditIngest
import EditProtocol
import Glibc
import Logging
import TestSupport
import Testing

@testable import EditDaemon

/// The settings of the daemon: where they come from, and which are refused.
@Suite struct SettingsTests {
  private let folder = TemporaryFolder()

  private func read(
    _ toml: String? = nil, options: [String: GivenValue] = [:],
    environment: [String: String] = [:]
  ) throws -> Settings {
    let path = folder.path("c.toml")
    if let toml { try write(toml, to: path) }
    return try Settings(
      Settings.Sources(
        options: options, file: toml == nil ? nil : path,
        environment: { environment[$0] },
        places: StandardPlaces { ["HOME": "/home/ada"][$0] }))
  }

  /// The errors, without the folder, and the exit status.
  private func errors(
    _ toml: String? = nil, options: [String: GivenValue] = [:],
    environment: [String: String] = [:]
  ) -> ([String], Int32) {
    do {
      _ = try read(toml, options: options, environment: environment)
      return ([], 0)
    } catch let errors as SettingErrors {
      let lines = errors.all.map { "\($0)".replacing(folder.path + "/", with: "") }
      return (lines, errors.exitCode)
    } catch { return (["\(error)"], -1) }
  }

  @Test func `the defaults are those of the options`() throws {
    let settings = try read()
    #expect(settings.entries.allSatisfy { $0.source == .standard })
    let (options, standard) = (settings.daemonOptions, DaemonOptions(store: "", socket: ""))
    #expect(options.store == "/home/ada/.local/state/editlog")
    #expect(options.socket == "/run/editlog/editlogd.sock")
    #expect("\(options.limits)" == "\(standard.limits)")
    #expect(options.ingest.sealAfter == standard.ingest.sealAfter)
    #expect(options.logLevel == .notice)
  }

  @Test func `options override the environment, which overrides the file`() throws {
    let settings = try read(
      "connections = 1\nquestions = 5\nframe-time = 1_000\nstore = '/a'\n",
      options: ["connections": .number(3)],
      environment: [
        "EDITLOG_CONNECTIONS": "2", "EDITLOG_QUESTIONS": "6", "EDITLOG_STORE": "b",
        // As if it were not set.
        "EDITLOG_FRAME_TIME": "",
      ])
    let options = settings.daemonOptions
    #expect(options.limits.connectionCountMax == 3 && options.limits.questionCountMax == 6)
    #expect(options.limits.frameMilliseconds == 1_000 && options.store == "b")
    let lines = settings.text.split(separator: "\n")
    #expect(lines.first == "# \(folder.path("c.toml"))")
    for line in [
      #"store = "b"  # EDITLOG_STORE"#, "connections = 3  # --connections",
      "questions = 6  # EDITLOG_QUESTIONS", "frame-time = 1000  # this file",
      "seal-after = 65536  # default",
    ] {
      #expect(lines.contains(line[...]), "\(line)")
    }
  }

  @Test func `what is printed can be read`() throws {
    let first = try read(options: ["store": .text("/\u{1} \"\\é"), "rest-time": .number(7)])
    let second = try read(first.text)
    #expect(second.changes(since: first).isEmpty)
    #expect(second.entries.allSatisfy { $0.source == .file })
  }

  /// Each numeric setting takes the ends of its range, and no number beyond.
  @Test(arguments: Setting.all)
  func `ranges hold`(setting: Setting) throws {
    guard case .number(let range, _) = setting.kind else { return }
    for number in [range.lowerBound, range.upperBound] {
      // The largest value of the setting that is the maximum of this one.
      let maximum = setting.maximumName.map { "\($0) = \(1 << 10)\n" } ?? ""
      guard setting.maximumName == nil || number <= 1 << 10 else { continue }
      let settings = try read(maximum + "\(setting.name) = \(number)\n")
      #expect(settings.entries.first { $0.setting.name == setting.name }?.value == .number(number))
    }
    for number in [range.lowerBound - 1, range.upperBound + 1] {
      let (lines, exitCode) = errors("\(setting.name) = \(number)\n")
      #expect(
        lines == ["c.toml: \(setting.name) = \(number): must be \(setting.allowed)"])
      #expect(exitCode == 78)
    }
  }

  @Test(arguments: [
    ("conections = 5", "conections is not a setting; `editlogd --check-config` lists all settings"),
    ("[limits]\na = 1", "limits is not a setting; `editlogd --check-config` lists all settings"),
    ("connections = \"5\"", "connections = \"5\": must be a whole number from 1 to 1048576"),
    ("connections = 5.0", "connections = 5.0: must be a whole number from 1 to 1048576"),
    ("connections = true", "connections = true: must be a whole number from 1 to 1048576"),
    (
      "connections = [1]",
      "connections is an array: must be a whole number from 1 to 1048576"
    ),
    ("store = 'a'", "store = \"a\": must be a path that begins with /, in quotes"),
    ("store = ''", "store = \"\": must be a path that begins with /, in quotes"),
    ("socket = 5", "socket = 5: must be a path that begins with /, in quotes"),
    (
      "socket = {}",
      "socket is a table: must be a path that begins with /, in quotes"
    ),
    (
      "log-level = 'loud'",
      """
      log-level = "loud": must be one of trace, debug, info, notice, warning, error, critical
      """
    ),
    (
      "in-flight-max = 16\nconnection-in-flight-max = 17",
      "connection-in-flight-max = 17: must be a whole number from 1 to in-flight-max"
    ),
    ("connections = 1\nconnections = 2", nil), ("connections", nil), ("socket = 1979-05-27", nil),
    ("connections = 99999999999999999999", nil),
  ])
  func `an error names file, key, value and what is allowed`(toml: String, line: String?) {
    let (lines, exitCode) = errors(toml)
    #expect(lines.count == 1 && exitCode == 78)
    if let line {
      #expect(lines == ["c.toml: " + line])
    } else {
      #expect(lines.first?.hasPrefix("c.toml, line ") == true, "\(lines)")
    }
  }

  @Test func `errors of the environment and of options are named so`() {
    let (lines, exitCode) = errors(
      options: ["questions": .number(0)],
      environment: ["EDITLOG_QUESTIONS": "many", "EDITLOG_STOP_TIME": "-1"])
    #expect(
      Set(lines) == [
        "--questions 0: must be a whole number from 1 to 1024",
        "EDITLOG_QUESTIONS=many: must be a whole number from 1 to 1024",
        "EDITLOG_STOP_TIME=-1: must be a whole number from 0 to 600000",
      ])
    #expect(exitCode == 78)
    // Errors of the command line alone are wrong usage.
    #expect(errors(options: ["questions": .number(0)]).1 == 64)
  }

  @Test func `a file that cannot be read is an error, but not a missing default`() throws {
    func refusal(_ path: String) throws -> [SettingError] {
      let sources = Settings.Sources(
        file: path, environment: { _ in nil },
        places: StandardPlaces { _ in nil })
      return try #require(throws: SettingErrors.self) { try Settings(sources) }.all
    }
    let missing = folder.path("none")
    #expect(try refusal(missing) == [.unreadable(path: missing, why: "No such file or directory")])
    #expect(try refusal(folder.path).count == 1)
    // A pipe without a writer is not an empty file.
    let pipe = folder.path("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    #expect(
      try refusal(pipe) == [
        .unreadable(
          path: pipe, why: "it is not a regular file, and settings are read from no other")
      ])
    let bad = folder.path("bad")
    try write(bytes: [0x61, 0x3D, 0x22, 0xFF, 0x22], to: bad)
    #expect(try refusal(bad) == [.unreadable(path: bad, why: "it is not UTF-8")])
    try write(bytes: [UInt8](repeating: 0x20, count: 1 << 20 + 1), to: bad)
    #expect(try refusal(bad).count == 1)
  }

  @Test func `a default is no larger than its maximum`() throws {
    let options = try read("questions = 1").daemonOptions
    #expect(options.limits.connectionQuestionCountMax == 1)
  }

  @Test func `the file of the defaults is read if it exists`() throws {
    try #require(mkdir(folder.path("editlog"), 0o700) == 0)
    try write("connections = 9", to: folder.path("editlog/editlogd.toml"))
    let settings = try Settings(
      Settings.Sources(
        environment: { _ in nil },
        places: StandardPlaces { [folder] in
          ["HOME": "/home/ada", "XDG_CONFIG_HOME": folder.path][$0]
        }))
    #expect(settings.file == folder.path("editlog/editlogd.toml"))
    #expect(settings.daemonOptions.limits.connectionCountMax == 9)
  }
}

private func write(_ text: String, to path: String) throws {
  try write(bytes: Array(text.utf8), to: path)
}

private func write(bytes: [UInt8], to path: String) throws {
  let file = try #require(fopen(path, "w"))
  defer { fclose(file) }
  try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
}

/// The article lists the settings as they are.
@Suite struct SettingsArticleTests {
  private static func row(_ setting: Setting) -> String {
    let (range, standard) =
      switch (setting.kind, setting.standard) {
      case (.number(let range, let unit), .number(let number)):
        (
          "\(range.lowerBound) to \(setting.maximumName.map { "`\($0)`" } ?? "\(range.upperBound)")",
          ["count", "units"].contains(unit) ? "\(number)" : "\(number) \(unit)"
        )
      case (.word(let words), .text(let word)): (words.joined(separator: ", "), word)
      default:
        (
          "a path",
          ["socket": "the runtime folder", "text-folder": "the home folder"][setting.name]
            ?? "the state folder"
        )
      }
    let change =
      switch setting.change {
      case .atOnce: "at once"
      case .forNewConnections: "for new connections"
      case .atRestart: "at a restart"
      }
    return "| `\(setting.name)` | \(standard) | \(range) | \(change) | \(setting.summary) |"
  }

  @Test func `the table is that of the program`() throws {
    let root = #filePath.split(separator: "/Tests/")[0]
    let file = try #require(
      fopen("\(root)/Sources/EditDaemon/EditDaemon.docc/Configuration.md", "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let size = fread(&bytes, 1, bytes.count, file)
    let text = String(decoding: bytes.prefix(size), as: UTF8.self)
    let rows = text.split(separator: "\n## Settings\n").last?.split(separator: "\n")
      .filter { $0.hasPrefix("| `") }.map(String.init)
    #expect(rows == Setting.all.map(Self.row))
  }
}
