import ArgumentParser
import EditClient
import EditModel
import EditProtocol
import Glibc

/// Options that every verb has.
package struct CommonOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Ask the daemon at this socket. Without --socket and --store, the daemon is asked if it \
      listens. (default: \(StandardPlaces.socketDefault))
      """, valueName: "path"),
    completion: .file())
  var socket: String?

  @Option(
    help: ArgumentHelp(
      "Read the files of this store; needs no daemon. (default: \(StandardPlaces.storeDefault))",
      valueName: "dir"),
    completion: .directory)
  var store: String?

  @OptionGroup var waiting: TimeoutOption

  @Flag(help: "Print JSON Lines: one object per line, with \"v\": 1.")
  package var json = false

  @Option(help: ArgumentHelp("Use colours: auto, always or never.", valueName: "when"))
  var color = ColorChoice.auto

  @Flag(help: "Do not page the output.")
  var noPager = false

  @Flag(help: "Print times in UTC, and read those without a zone so.")
  var utc = false

  package func validate() throws {
    if socket != nil, store != nil {
      throw ValidationError("--socket and --store exclude each other.")
    }
  }

  package init() {}

  /// Seconds by which the times that are printed and read are ahead of UTC.
  var utcOffset: @Sendable (Int64) -> Int {
    guard utc else { return SystemTime.utcOffset }
    return { _ in 0 }
  }

  func location() -> Location { Location(socket: socket, store: store) }

  /// The backend that the options name. What it waits for is said on standard error.
  ///
  /// - Throws: `ProtocolError`.
  func open() async throws -> any Backend { try await location().open(terms) }

  /// The terms on which a daemon is asked.
  var terms: DaemonTerms { DaemonTerms(silence: waiting.silence, store: NamedStore()) }
}

/// How long a verb waits for a daemon that sends nothing.
struct TimeoutOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      How long a daemon that is waited for may give no sign of life. (default: 10)
      """, valueName: "seconds"))
  var timeout = WaitingTime(.seconds(10))

  /// Says on standard error what is waited for.
  var silence: SilenceLimits {
    .saying(timeout.duration) { line in
      let diagnostics = Output(descriptor: STDERR_FILENO)
      // A progress bar may be on the line.
      let start = Terminal.isTerminal(STDERR_FILENO) ? "\r\u{1B}[K" : ""
      // If standard error cannot be written, there is no other place to report to.
      try? diagnostics.writeLine("\(start)editlog: \(line)")
      try? diagnostics.flush()
    }
  }
}

/// A time in seconds, as an argument: `10`, `0.5`.
struct WaitingTime: ExpressibleByArgument {
  let duration: Duration
  /// Ten years: a longer time is no limit, and may not fit a clock.
  private static let secondsMax = 315_360_000.0

  init(_ duration: Duration) { self.duration = duration }

  init?(argument: String) {
    guard let seconds = Double(argument), seconds >= 0.001, seconds <= Self.secondsMax else {
      return nil
    }
    duration = .seconds(seconds)
  }

  /// The default is in the help text.
  var defaultValueDescription: String { "" }
}

extension ColorChoice: ExpressibleByArgument {}
