package import EditIngest
import EditProtocol

/// The options of a daemon.
package struct DaemonOptions: Sendable {
  /// The path of the socket.
  package var socket: String
  package var ingest: IngestOptions
  package var limits = DaemonLimits()

  /// A document is sealed when it has `sealAfter` unsealed entries.
  package init(store: String, socket: String, sealAfter: Int? = nil) {
    self.socket = socket
    ingest = IngestOptions(store: store)
    if let sealAfter { ingest.sealAfter = sealAfter }
  }
}
