public import ArgumentParser
import EditDaemon
import EditModel
import EditProtocol
import Glibc
public import Logging
import ServiceLifecycle

/// The daemon's command line.
@main
struct Editlogd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "editlogd",
    abstract: "Receives edits over a Unix socket and keeps every one of them.",
    discussion: """
      Runs in the foreground until SIGTERM or SIGINT, then finishes what waits, seals and exits \
      0, within 2 seconds: sealing and compressing that takes longer is left to the next start, and \
      every acknowledged edit is on the disk. A second SIGTERM or SIGINT ends it at once. SIGHUP is \
      ignored. Tells systemd when it is ready. Logs to standard error, never with a document's text.

      What clients have in flight (frames that are received, what was read of them, answers that \
      are made) is bounded: --in-flight-max for all, --connection-in-flight-max for one, in \
      megabytes. A frame that needs more waits until it can be alone. Answers that are not taken \
      wait in files without names in the store's folder.

      Exit status: 0 stopped; 64 wrong usage; 65 the store is damaged, or the socket's path is too \
      long; 71 too few files may be open; 73 another daemon listens at the socket; 74 input or \
      output failed; 75 another process writes to the store; 77 not permitted; 78 the store is of a \
      newer version.
      """,
    version: EditLogVersion.current)

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
      created with mode 0700. At most \(StandardPlaces.socketPathSizeMax) bytes. (default: \
      \(StandardPlaces.socketDefault))
      """, valueName: "path"))
  var socket: String?

  @Option(
    help: ArgumentHelp(
      "How many edits of a document gather before they are sealed, at least 1. (default: 65536)"))
  var sealAfter: Int?

  @Option(
    help: ArgumentHelp(
      "How much all connections may have in flight, in megabytes: 16 to 1048576.", valueName: "MB"))
  var inFlightMax = 256

  @Option(
    help: ArgumentHelp(
      "How much one connection may have in flight, in megabytes: 1 to --in-flight-max.",
      valueName: "MB"))
  var connectionInFlightMax = 16

  @Option(
    help: ArgumentHelp(
      "How many connections there may be at a time: 1 to 1048576.", valueName: "count"))
  var connections = 1_024

  @Option(help: "The least severe messages to log.")
  var logLevel: Logger.Level = .notice

  func validate() throws {
    guard sealAfter ?? 1 > 0 else { throw ValidationError("--seal-after must be at least 1") }
    guard (16...1 << 20).contains(inFlightMax), (1...inFlightMax).contains(connectionInFlightMax)
    else {
      throw ValidationError(
        "--in-flight-max must be 16 to 1048576, --connection-in-flight-max 1 to --in-flight-max")
    }
    guard (1...1 << 20).contains(connections) else {
      throw ValidationError("--connections must be 1 to 1048576")
    }
  }

  func run() async throws {
    // A reader that goes away must not end the daemon, nor a file size limit: both come as errors.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    umask(0o077)
    LoggingSystem.bootstrap { _ in JournalLogHandler() }
    var logger = Logger(label: "editlogd")
    logger.logLevel = logLevel
    let places = StandardPlaces()
    guard let store = store ?? places.store else {
      throw ValidationError("no folder for the store: give --store, or set EDITLOG_STORE or HOME")
    }
    var options = DaemonOptions(
      store: store, socket: socket ?? places.socket, sealAfter: sealAfter)
    options.limits.bytesInFlightMax = inFlightMax << 20
    options.limits.connectionBytesMax = connectionInFlightMax << 20
    options.limits.connectionCountMax = connections
    let services = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [
          .init(
            service: DaemonServer(options, logger: logger),
            successTerminationBehavior: .gracefullyShutdownGroup)
        ],
        logger: Logger(label: "group") { _ in
          SwiftLogNoOpLogHandler()
        }))
    StopSignals.install { Task { await services.triggerGracefulShutdown() } }
    do {
      try await services.run()
    } catch let error as DaemonError {
      logger.critical("\(error)")
      throw ExitCode(error.exitCode)
    }
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
