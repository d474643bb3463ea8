package import Logging
import NIOConcurrencyHelpers

/// Reads the settings of a running daemon again. New values of settings that can change are used; of the
/// others, the log says that they need a restart. After an error all settings stay as they are.
package final class SettingsReloader: Sendable {
  private let sources: Settings.Sources
  private let logger: Logger
  /// The settings at the start.
  private let started: Settings
  /// The settings that were read last without an error.
  private let current: NIOLockedValueBox<Settings>

  /// The settings of a daemon that was started with `settings`, which were read from `sources`.
  package init(
    _ settings: Settings, _ sources: Settings.Sources, logger: Logger
  ) {
    (self.sources, self.logger) = (sources, logger)
    (started, current) = (settings, NIOLockedValueBox(settings))
  }

  /// Reads the settings again, and calls `use` with them if there is no error. Blocks for the reading of
  /// a file.
  package func reload(_ use: (DaemonOptions) -> Void) {
    let new: Settings
    do {
      new = try Settings(sources)
    } catch {
      for error in error.all { logger.error("\(error)") }
      return logger.error("the settings stay as they were")
    }
    let old = current.withLockedValue { current in
      defer { current = new }
      return current
    }
    use(new.daemonOptions)
    let changes = new.changes(since: old)
    for entry in changes {
      switch entry.setting.change {
      case .atOnce: logger.notice("\(entry.setting.name) is now \(entry.value)")
      case .forNewConnections:
        logger.notice("\(entry.setting.name) is now \(entry.value) for new connections")
      case .atRestart: break
      }
    }
    for entry in new.changes(since: started) where entry.setting.change == .atRestart {
      logger.warning("\(entry.setting.name) = \(entry.value) needs a restart of editlogd")
    }
    logger.notice("read the settings again: \(changes.isEmpty ? "no" : "\(changes.count)") changed")
  }
}
