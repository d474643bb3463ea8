import CoreMetrics

/// What the ingest counts, for a backend of swift-metrics.
struct IngestMetrics: Sendable {
  /// Entries that were logged, and the batches in which they were written.
  let entries, batches: Counter
  /// Batches that could not be written, with all their requests.
  let failedBatches: Counter
  /// Entries that were sealed.
  let sealed: Counter
  /// The time from the arrival of the oldest request of a batch to its acknowledgement.
  let acknowledgement: Timer
  /// The time in which a job has sealed a document.
  let seal: Timer

  init(_ factory: any MetricsFactory) {
    entries = Counter(label: "editlog_logged_entries_total", factory: factory)
    batches = Counter(label: "editlog_batches_total", factory: factory)
    failedBatches = Counter(label: "editlog_failed_batches_total", factory: factory)
    sealed = Counter(label: "editlog_sealed_entries_total", factory: factory)
    acknowledgement = Timer(label: "editlog_acknowledgement_seconds", factory: factory)
    seal = Timer(label: "editlog_seal_seconds", factory: factory)
  }
}
