import EditIngest
import EditJSON
import EditModel
import Logging

/// One setting of the daemon: an option of `editlogd` and a key of `editlogd.toml` of the same name, and
/// the variable `EDITLOG_NAME` of the environment.
package struct Setting: Sendable {
  /// The values that a setting takes.
  package enum Kind: Sendable {
    /// A whole number in this range, in this unit.
    case number(ClosedRange<Int>, unit: String)
    /// One of these words.
    case word([String])
    /// The path of a file. In a file of settings it must be absolute.
    case path
  }

  /// When a new value is used, after the settings were read again.
  package enum Change: Sendable {
    case atOnce
    /// Connections that are open keep the value.
    case forNewConnections
    case atRestart
  }

  /// A value, in the setting's unit.
  package enum Value: Hashable, Sendable {
    case number(Int)
    case text(String)
  }

  package let name: String
  /// The meaning, without a full stop, for help texts.
  package let summary: String
  package let kind: Kind
  /// The name of a setting whose value is the maximum of this one.
  package let maximumName: String?
  package let change: Change
  /// The default, if it does not depend on the environment.
  package let standard: Value?
  /// Puts a valid value into the options.
  let apply: @Sendable (inout DaemonOptions, Value) -> Void

  /// The name of its variable in the environment.
  package var variable: String {
    "EDITLOG_" + name.uppercased().replacing("-", with: "_")
  }

  /// The allowed values, to end the sentence "must be".
  package var allowed: String {
    switch kind {
    case .number(let range, _):
      "a whole number from \(range.lowerBound) to \(maximumName ?? String(range.upperBound))"
    case .word(let words): "one of " + words.joined(separator: ", ")
    case .path: "a path"
    }
  }

  /// `allowed` for a file of settings.
  var allowedInFile: String {
    if case .path = kind { "a path that begins with /, in quotes" } else { allowed }
  }

  var isNumber: Bool { if case .number = kind { true } else { false } }

  /// True if a value is of the right kind, and in range.
  func allows(_ value: Value, atMost maximum: Int) -> Bool {
    switch (kind, value) {
    case (.number(let range, _), .number(let number)): range.contains(number) && number <= maximum
    case (.word(let words), .text(let text)): words.contains(text)
    case (.path, .text(let text)): !text.isEmpty && !text.contains("\0")
    default: false
    }
  }

  /// True if an allowed value is allowed in a file of settings, which does not depend on where the daemon
  /// is started.
  func allowsInFile(_ value: Value) -> Bool {
    if case (.path, .text(let text)) = (kind, value) { text.hasPrefix("/") } else { true }
  }
}

extension Setting {
  /// A setting that is a number. Its default is that of `DaemonOptions`.
  ///
  /// - Parameter scale: The size of the setting's unit in units of the option.
  static func number<Number: BinaryInteger & Sendable>(
    _ name: String, _ unit: String, _ range: ClosedRange<Int>, maximum: String? = nil,
    _ path: any WritableKeyPath<DaemonOptions, Number> & Sendable, scale: Number = 1,
    change: Change = .atOnce, _ summary: String
  ) -> Setting {
    Setting(
      name: name, summary: summary, kind: .number(range, unit: unit), maximumName: maximum,
      change: change,
      standard: .number(Int(DaemonOptions(store: "", socket: "")[keyPath: path] / scale))
    ) { options, value in
      guard case .number(let number) = value else { return }
      options[keyPath: path] = Number(number) * scale
    }
  }

  private static func path(
    _ name: String, _ path: any WritableKeyPath<DaemonOptions, String> & Sendable,
    _ summary: String
  ) -> Setting {
    Setting(
      name: name, summary: summary, kind: .path, maximumName: nil, change: .atRestart, standard: nil
    ) { options, value in
      guard case .text(let text) = value else { return }
      options[keyPath: path] = text
    }
  }

  package static let store = path("store", \.ingest.store, "The folder that holds every history")
  package static let socket = path("socket", \.socket, "The Unix socket to listen at")
  package static let spool = path(
    "spool", \.spool, "The folder in which editors' bridges leave what they could not send")
  package static let textFolder = path(
    "text-folder", \.textFolder,
    "The folder whose files may be read, to compare them with editors' texts")
  package static let sandbox = Setting(
    name: "sandbox", summary: "Whether the daemon gives up the rights that it does not need",
    kind: .word(["on", "off"]), maximumName: nil, change: .atRestart,
    standard: .text("on")
  ) { options, value in
    options.hasSandbox = value == .text("on")
  }
  package static let logLevel = Setting(
    name: "log-level", summary: "The least severe messages to log",
    kind: .word(Logger.Level.allCases.map(\.rawValue)), maximumName: nil, change: .atOnce,
    standard: .text(DaemonOptions(store: "", socket: "").logLevel.rawValue)
  ) { options, value in
    guard case .text(let text) = value, let level = Logger.Level(rawValue: text) else { return }
    options.logLevel = level
  }

  package static let connections = number(
    "connections", "count", 1...1 << 20, \.limits.connectionCountMax,
    "The maximum number of connections at a time")
  package static let refusedConnections = number(
    "refused-connections", "count", 0...1 << 20, \.limits.leavingCountMax,
    "The maximum number of refused connections that stay open to read the error")
  package static let inFlightMax = number(
    "in-flight-max", "MB", 16...1 << 20, \.limits.bytesInFlightMax, scale: 1 << 20,
    "The maximum that all connections have in flight, in megabytes")
  package static let connectionInFlightMax = number(
    "connection-in-flight-max", "MB", 1...1 << 20, maximum: "in-flight-max",
    \.limits.connectionBytesMax, scale: 1 << 20,
    "The maximum that one connection has in flight, in megabytes")
  package static let frameMax = number(
    "frame-max", "MB", 1...1024, \.limits.frameSizeMax, scale: 1 << 20, change: .forNewConnections,
    "The maximum size of a frame's body, in megabytes")
  package static let firstMessageTime = number(
    "first-message-time", "ms", 10...3_600_000, \.limits.firstMessageMilliseconds,
    change: .forNewConnections,
    "The time limit of a connection's first message, in milliseconds")
  package static let frameTime = number(
    "frame-time", "ms", 10...3_600_000, \.limits.frameMilliseconds, change: .forNewConnections,
    "The time limit of a frame, first byte to last, in milliseconds")
  package static let jsonDepthMax = number(
    "json-depth-max", "count", 16...96, \.limits.json.depthMax, change: .forNewConnections,
    "The maximum nesting depth of a JSON message")
  package static let jsonValuesMax = number(
    "json-values-max", "count", 1 << 10...1 << 24, \.limits.json.valueCountMax,
    change: .forNewConnections, "The maximum number of values of a JSON message")
  package static let subscriptions = number(
    "subscriptions", "count", 1...1 << 16, \.limits.subscriptionCountMax,
    "The maximum number of subscriptions of one connection at a time")
  package static let changeSubscriptions = number(
    "change-subscriptions", "count", 0...1 << 16, \.limits.changeSubscriptionCountMax,
    "The maximum number of subscriptions with `changes` of all connections")
  package static let questions = number(
    "questions", "count", 1...1024, \.limits.questionCountMax,
    "The maximum number of questions that are answered at a time: no more than processors, or two")
  package static let connectionQuestions = number(
    "connection-questions", "count", 1...1024, maximum: "questions",
    \.limits.connectionQuestionCountMax,
    "The maximum number of questions of one connection that are answered at a time")
  package static let answerFilesMax = number(
    "answer-files-max", "MB", 1...1 << 20, \.limits.answerFileBytesMax, scale: 1 << 20,
    "The maximum total size of the answers that wait in files, in megabytes")
  package static let stopTime = number(
    "stop-time", "ms", 0...600_000, \.limits.stopMilliseconds,
    "The time in which a stop finishes requests and seals, in milliseconds")
  package static let sealAfter = number(
    "seal-after", "count", 1...1 << 30, \.ingest.sealAfter,
    "The number of unsealed edits at which a document is sealed")
  package static let idleTime = number(
    "idle-time", "ms", 1...60_000, \.ingest.idleMilliseconds,
    """
    The time without a write after which the last batch is confirmed, and the age at which the durable mark \
    names a batch, in milliseconds
    """)
  package static let restTime = number(
    "rest-time", "s", 1...604_800, \.ingest.restSeconds,
    "The time without a write after which all documents are sealed, in seconds")
  package static let fullDiskPause = number(
    "full-disk-pause", "s", 1...86_400, \.ingest.backOffSeconds,
    "How long sealing and other jobs wait after one of them found the disk full, in seconds")
  package static let askTime = number(
    "ask-time", "s", 1...600, \.ingest.askingSeconds,
    "The time in which an editor makes an edit that it is asked for, in seconds")
  package static let textMax = number(
    "text-max", "units", 1 << 16...EditAction.textLengthMax, \.ingest.textLengthMax,
    "The UTF-16 units of a document's text, above which appends may not make it longer")
  package static let liveDocuments = number(
    "live-documents", "count", 2...1 << 20, \.ingest.liveCountMax,
    "The number of documents that are kept in memory")
  package static let liveText = number(
    "live-text", "units", 1 << 16...1 << 30, \.ingest.liveLengthMax,
    """
    The memory of the documents that are kept, beside the one in use: 3 bytes for each UTF-16 unit, in \
    which paragraphs and attributes count
    """)
  package static let longEditMin = number(
    "long-edit-min", "units", 1 << 10...1 << 30, \.ingest.longLength,
    "The size in UTF-16 units above which an edit is prepared on another thread")
  package static let longReadMin = number(
    "long-read-min", "KB", 1...1 << 20, \.ingest.longReadSize, scale: 1 << 10,
    "The size above which a document is read on another thread, in kilobytes")

  /// All settings, in the order in which they are listed.
  package static let all = [
    store, socket, spool, textFolder, sandbox, logLevel, connections, refusedConnections,
    inFlightMax, connectionInFlightMax, frameMax, firstMessageTime, frameTime, jsonDepthMax,
    jsonValuesMax, subscriptions, changeSubscriptions, questions, connectionQuestions,
    answerFilesMax, stopTime, sealAfter, idleTime, restTime, fullDiskPause, askTime, textMax,
    liveDocuments, liveText, longEditMin,
    longReadMin,
  ]
}

extension Setting.Value: CustomStringConvertible {
  /// The value as TOML writes it.
  package var description: String {
    switch self {
    case .number(let number): String(number)
    case .text(let text): "\"" + text.unicodeScalars.map(Self.escaped).joined() + "\""
    }
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"", "\\": return "\\\(scalar)"
    case _ where scalar.properties.generalCategory == .control:
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: return String(scalar)
    }
  }
}
