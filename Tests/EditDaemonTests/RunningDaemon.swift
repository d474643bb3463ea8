import DaemonTestSupport
import EditClient
import EditDaemon
import EditModel
import EditProtocol
import Logging
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

/// A daemon that runs in this process, with store and socket in a temporary folder.
final class RunningDaemon: Sendable {
  let folder: TemporaryFolder
  let log: RecordedLog
  private let group: ServiceGroup
  private let task: Task<Void, any Error>

  var socket: String { Self.socket(in: folder) }
  var store: String { Self.store(in: folder) }
  static func socket(in folder: TemporaryFolder) -> String { folder.path("run/s") }
  static func store(in folder: TemporaryFolder) -> String { folder.path("store") }

  /// Starts a daemon and returns when it listens.
  init(
    in folder: TemporaryFolder, logLevel: Logger.Level = .notice,
    _ change: (inout DaemonOptions) -> Void = { _ in }
  ) async throws {
    var options = DaemonOptions(
      store: Self.store(in: folder), socket: Self.socket(in: folder))
    // On a busy machine a test may pause for long between connecting and sending.
    options.limits.firstMessageMilliseconds = 600_000
    options.limits.frameMilliseconds = 600_000
    options.limits.stopMilliseconds = 300_000
    change(&options)
    let log = RecordedLog(level: logLevel)
    let server = DaemonServer(options, logger: log.logger)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)],
        logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() }))
    (self.folder, self.log, self.group) = (folder, log, group)
    task = Task {
      defer { log.finish() }
      try await group.run()
    }
    for await line in log.lines where line.hasPrefix("listening at ") { return }
    try await task.value
    throw CancellationError()
  }

  /// Stops it as SIGTERM does.
  func stop() async throws {
    await group.triggerGracefulShutdown()
    try await task.value
  }

  func connect() async throws -> EditLogClient { try await EditLogClient.connect(to: socket) }
}

/// Runs `body` with a daemon, then stops it. It must stop without a warning.
func withDaemon(
  in folder: TemporaryFolder = TemporaryFolder(),
  _ change: (inout DaemonOptions) -> Void = { _ in },
  _ body: (RunningDaemon) async throws -> Void
) async throws {
  let daemon = try await RunningDaemon(in: folder, change)
  do {
    try await body(daemon)
  } catch {
    try? await daemon.stop()
    throw error
  }
  try await daemon.stop()
  #expect(daemon.log.complaints == [])
}

/// Runs `body` with a daemon and one client of it.
func withClient(
  in folder: TemporaryFolder = TemporaryFolder(),
  _ body: (EditLogClient, RunningDaemon) async throws -> Void
) async throws {
  try await withDaemon(in: folder) { daemon in
    let client = try await daemon.connect()
    try await body(client, daemon)
    await client.close()
  }
}
