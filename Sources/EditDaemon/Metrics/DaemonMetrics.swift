import CoreMetrics

/// What the connections of a daemon count. `IngestMetrics` has the rest.
struct DaemonMetrics: Sendable {
  private let registry: MetricsRegistry
  /// Connections that were admitted, and those that were refused.
  let admitted, refused: Counter
  /// Connections that are open.
  let connections: Meter
  /// The time to answer a question.
  let question: Timer
  /// Questions that were cancelled after the work on their answers had begun.
  let cancelled: Counter
  private let subscriptions, inFlight: Meter

  init(_ registry: MetricsRegistry) {
    self.registry = registry
    admitted = Counter(label: "editlog_connections_admitted_total", factory: registry)
    refused = Counter(label: "editlog_connections_refused_total", factory: registry)
    connections = Meter(label: "editlog_connections", factory: registry)
    question = Timer(label: "editlog_question_seconds", factory: registry)
    cancelled = Counter(label: "editlog_questions_cancelled_total", factory: registry)
    subscriptions = Meter(label: "editlog_subscriptions", factory: registry)
    inFlight = Meter(label: "editlog_in_flight_bytes", factory: registry)
  }

  /// All metrics in the text format of Prometheus, with these numbers of now.
  func text(subscriptions: Int, inFlight: Int) -> String {
    self.subscriptions.set(subscriptions)
    self.inFlight.set(inFlight)
    return registry.text
  }
}
