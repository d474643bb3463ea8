import NIOCore

/// The phases of an ingest.
enum IngestPhase: Equatable {
  case running
  /// No more requests are taken; the waiting ones are finished until the deadline.
  case closing(by: NIODeadline)
  /// All requests are answered, and the entries in the journals are being sealed.
  case sealing
  /// Nothing more begins: the writer is closed, or is about to be. A drain may still come, and does
  /// nothing.
  case closed
}
