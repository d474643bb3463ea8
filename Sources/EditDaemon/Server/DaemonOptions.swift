package import EditIngest
import EditProtocol
package import Logging

/// The options of a daemon.
package struct DaemonOptions: Sendable {
  /// The path of the socket.
  package var socket: String
  package var ingest: IngestOptions
  /// The folder of the spools of editors' bridges. If it is empty, the daemon looks at none.
  package var spool = ""
  /// The path of the store's folder.
  package var store: String { ingest.store }
  package var limits = DaemonLimits()
  /// True if the process restricts itself: see `DaemonSandbox`.
  package var hasSandbox = true
  /// The folder whose files may be read, to compare them with editors' texts. If it is empty, there is none.
  package var textFolder = ""
  /// The least severe messages to log.
  package var logLevel = Logger.Level.notice

  package init(store: String, socket: String) {
    self.socket = socket
    ingest = IngestOptions(store: store)
  }
}
