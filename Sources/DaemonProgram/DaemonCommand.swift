package import ArgumentParser
import EditDaemon
import EditModel
import EditProtocol
import Glibc
import Logging
import ServiceLifecycle

/// The daemon's command line: the program `editlogd`, and `editlog` under that name.
package struct DaemonCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "editlogd",
    abstract: "Receives edits over a Unix socket and keeps every one of them.",
    discussion: """
      Runs in the foreground until SIGTERM or SIGINT, then finishes the requests that wait, seals \
      and exits 0, within 2 seconds: sealing and compressing that takes longer is left to the next start, and \
      every acknowledged edit is on the disk. A second SIGTERM or SIGINT ends it at once. \
      --stop-time sets how much of that requests and sealing may take; the rest takes up to 0.8 \
      seconds. Logs to standard \
      error, never with a document's text. If that is connected to systemd's journal, entries have \
      fields: PRIORITY, EDITLOG_MODULE, CODE_FILE, CODE_LINE and CODE_FUNC.

      Each option but --config and --check-config is a setting. It may also be in the \
      environment, as EDITLOG_STORE for --store, and in a file in TOML, as a line such as \
      connections = 100. Options override the environment, which overrides the file. SIGHUP reads \
      the settings again: limits and log-level change, and the log names the changed settings that \
      need a restart. If there is an error in them, it is logged, and all settings stay as they are.

      Under systemd the daemon takes the socket of a socket unit, says when it is ready, and resets \
      the watchdog as long as it can write.

      What clients have in flight (frames that are received, what was read of them, answers that \
      are made) is bounded: --in-flight-max for all, --connection-in-flight-max for one, in \
      megabytes. A frame that needs more waits until it can be alone. Answers that are not taken \
      wait in files without names in the store's folder.

      Exit status: 0 stopped; 64 wrong usage; 65 the store is damaged, or the socket's path is too \
      long; 71 too few files may be open; 73 another daemon listens at the socket; 74 input or \
      output failed; 75 another process writes to the store; 77 not permitted; 78 an error in the \
      file of settings or in the environment, or the store is of a newer version.
      """,
    version: EditLogVersion.current)

  @Option(
    help: ArgumentHelp(
      "The file of settings. (default: \(StandardPlaces.settingsDefault))", valueName: "path"))
  var config: String?

  @Flag(
    help: """
      Print all settings, in the format of the file, with the place from which each came, and exit.
      """)
  var checkConfig = false

  @OptionGroup var settings: SettingOptions

  package init() {}

  /// Runs the command line of this process. Its help, its version and completions go to standard output:
  /// the exit status is 74 if that cannot be written.
  package static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      guard exitCode(for: error).isSuccess else { exit(withError: error) }
      do { try printOutput(fullMessage(for: error)) } catch { exit(withError: error) }
    }
  }

  package func run() throws {
    DaemonSandbox.keepCrashesPrivate()
    // A reader that goes away must not end the daemon, nor a file size limit: both come as errors.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    signal(SIGHUP, SIG_IGN)
    umask(0o077)
    let sources = Settings.Sources(
      options: settings.given, file: config,
      environment: { name in getenv(name).map { String(cString: $0) } }, places: StandardPlaces())
    let settings: Settings
    do {
      settings = try Settings(sources)
    } catch {
      for error in error.all { Self.printError("error: \(error)") }
      if !checkConfig {
        ServiceManager().failed(error.all.map { "\($0)" }.joined(separator: "; "))
      }
      throw ExitCode(error.exitCode)
    }
    if checkConfig { try Self.printOutput(settings.text) }
    let options = settings.daemonOptions
    guard !options.store.isEmpty else {
      throw ValidationError("no folder for the store: give --store, or set EDITLOG_STORE or HOME")
    }
    if checkConfig {
      do { return try DaemonServer.checkSocket(of: options) } catch {
        Self.printError("error: \(error)")
        throw ExitCode(error.exitCode)
      }
    }
    LoggingSystem.bootstrap { _ in JournalLogHandler() }
    JournalLogHandler.level = options.logLevel
    let logger = Logger(label: "editlogd")
    if options.hasSandbox {
      do {
        try DaemonSandbox.enter(options, settings: settings.file, logger: logger)
      } catch { throw end(error, logger) }
    }
    let thread = try MainThread()
    let (hangUps, hungUp) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let reloader = SettingsReloader(settings, sources, logger: logger)
    let services = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [
          .init(
            service: DaemonServer(options, logger: logger, hangUps: hangUps) { use in
              reloader.reload { options in
                JournalLogHandler.level = options.logLevel
                thread.use(stopMilliseconds: options.limits.stopMilliseconds)
                use(options)
              }
            },
            successTerminationBehavior: .gracefullyShutdownGroup)
        ],
        logger: Logger(label: "group") { _ in
          SwiftLogNoOpLogHandler()
        }))
    thread.handleSignals(stopMilliseconds: options.limits.stopMilliseconds) {
      hungUp.yield()
    } stop: {
      Task(executorPreference: thread) { await services.triggerGracefulShutdown() }
    }
    do {
      try thread.run { try await services.run() }
    } catch let error as DaemonError { throw end(error, logger) }
  }

  /// Says why the daemon ends, to its log and to the service manager.
  private func end(_ error: DaemonError, _ logger: Logger) -> ExitCode {
    logger.critical("\(error)")
    ServiceManager().failed("\(error)")
    return ExitCode(error.exitCode)
  }

  /// Prints a text that ends in a line break, or gets one.
  ///
  /// - Throws: `ExitCode` (74) if it cannot be written. Standard error then says so.
  private static func printOutput(_ text: String) throws {
    guard let code = write(line: text, to: STDOUT_FILENO) else { return }
    printError("error: cannot write the output: \(String(cString: strerror(code)))")
    throw ExitCode(74)
  }

  /// Prints a line on standard error. If that cannot be written, there is no other place to report to.
  private static func printError(_ line: String) {
    _ = write(line: "editlogd: \(line)", to: STDERR_FILENO)
  }

  /// Writes a line. Returns the error of the system; nil if there is none.
  private static func write(line: String, to descriptor: Int32) -> Int32? {
    var bytes = Array((line.hasSuffix("\n") ? line : line + "\n").utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 || errno == EINTR else { return errno }
      bytes = bytes.dropFirst(max(count, 0))
    }
    return nil
  }
}
