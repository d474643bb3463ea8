import ArgumentParser
import EditDaemon
import EditProtocol

/// The options that are settings: each is a key of the file of settings too.
struct SettingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The folder that holds every history; it is created with mode 0700, as are its missing \
      parents. (default: \(StandardPlaces.storeDefault))
      """, valueName: "dir"))
  var store: String?

  @Option(
    help: ArgumentHelp(
      """
      The Unix socket to listen at, in a folder that only this user can enter; missing folders are \
      created with mode 0700. At most \(StandardPlaces.socketPathSizeMax) bytes. Not used if \
      systemd passes a socket. (default: \(StandardPlaces.socketDefault))
      """, valueName: "path"))
  var socket: String?

  @Option(
    help: ArgumentHelp(
      """
      The folder in which editors' bridges leave what they could not send; it is created with mode \
      0700. (default: \(StandardPlaces.spoolDefault))
      """, valueName: "dir"))
  var spool: String?

  @Option(
    help: ArgumentHelp(
      """
      The folder whose files may be read, to compare them with editors' texts; / for all files. \
      (default: the home folder)
      """, valueName: "dir"))
  var textFolder: String?

  @Option(help: Self.help(.sandbox)) var sandbox: String?
  @Option(help: Self.help(.logLevel)) var logLevel: String?
  @Option(help: Self.help(.connections)) var connections: Int?
  @Option(help: Self.help(.refusedConnections)) var refusedConnections: Int?
  @Option(help: Self.help(.inFlightMax)) var inFlightMax: Int?
  @Option(help: Self.help(.connectionInFlightMax)) var connectionInFlightMax: Int?
  @Option(help: Self.help(.frameMax)) var frameMax: Int?
  @Option(help: Self.help(.firstMessageTime)) var firstMessageTime: Int?
  @Option(help: Self.help(.frameTime)) var frameTime: Int?
  @Option(help: Self.help(.jsonDepthMax)) var jsonDepthMax: Int?
  @Option(help: Self.help(.jsonValuesMax)) var jsonValuesMax: Int?
  @Option(help: Self.help(.subscriptions)) var subscriptions: Int?
  @Option(help: Self.help(.changeSubscriptions)) var changeSubscriptions: Int?
  @Option(help: Self.help(.questions)) var questions: Int?
  @Option(help: Self.help(.connectionQuestions)) var connectionQuestions: Int?
  @Option(help: Self.help(.answerFilesMax)) var answerFilesMax: Int?
  @Option(help: Self.help(.stopTime)) var stopTime: Int?
  @Option(help: Self.help(.sealAfter)) var sealAfter: Int?
  @Option(help: Self.help(.idleTime)) var idleTime: Int?
  @Option(help: Self.help(.restTime)) var restTime: Int?
  @Option(help: Self.help(.fullDiskPause)) var fullDiskPause: Int?
  @Option(help: Self.help(.askTime)) var askTime: Int?
  @Option(help: Self.help(.textMax)) var textMax: Int?
  @Option(help: Self.help(.liveDocuments)) var liveDocuments: Int?
  @Option(help: Self.help(.liveText)) var liveText: Int?
  @Option(help: Self.help(.longEditMin)) var longEditMin: Int?
  @Option(help: Self.help(.longReadMin)) var longReadMin: Int?

  /// The options that were given, by the names of their settings.
  var given: [String: GivenValue] {
    let texts: [(Setting, String?)] = [
      (.store, store), (.socket, socket), (.spool, spool), (.textFolder, textFolder),
      (.sandbox, sandbox), (.logLevel, logLevel),
    ]
    let numbers: [(Setting, Int?)] = [
      (.connections, connections), (.refusedConnections, refusedConnections),
      (.inFlightMax, inFlightMax), (.connectionInFlightMax, connectionInFlightMax),
      (.frameMax, frameMax), (.firstMessageTime, firstMessageTime), (.frameTime, frameTime),
      (.jsonDepthMax, jsonDepthMax), (.jsonValuesMax, jsonValuesMax),
      (.subscriptions, subscriptions), (.changeSubscriptions, changeSubscriptions),
      (.questions, questions), (.connectionQuestions, connectionQuestions),
      (.answerFilesMax, answerFilesMax), (.stopTime, stopTime), (.sealAfter, sealAfter),
      (.idleTime, idleTime), (.restTime, restTime), (.fullDiskPause, fullDiskPause),
      (.askTime, askTime), (.textMax, textMax), (.liveDocuments, liveDocuments),
      (.liveText, liveText),
      (.longEditMin, longEditMin), (.longReadMin, longReadMin),
    ]
    var given: [String: GivenValue] = [:]
    for (setting, text) in texts { given[setting.name] = text.map { .text($0) } }
    for (setting, number) in numbers { given[setting.name] = number.map { .number($0) } }
    return given
  }

  private static func help(_ setting: Setting) -> ArgumentHelp {
    let standard =
      switch setting.standard {
      case .number(let number): "\(number)"
      case .text(let text): text
      case nil: ""
      }
    switch setting.kind {
    case .number(let range, let unit):
      let maximum = setting.maximumName.map { "--" + $0 } ?? "\(range.upperBound)"
      return ArgumentHelp(
        "\(setting.summary): \(range.lowerBound) to \(maximum). (default: \(standard))",
        valueName: unit)
    case .word(let words):
      return ArgumentHelp(
        "\(setting.summary): \(words.joined(separator: ", ")). (default: \(standard))",
        valueName: "word")
    case .path: return ArgumentHelp("\(setting.summary).", valueName: "path")
    }
  }
}
