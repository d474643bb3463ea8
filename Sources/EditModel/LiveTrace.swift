/// A phase of an edit in the daemon, in the order in which the phases happen.
package enum LivePhase: UInt8, CaseIterable, Hashable, Sendable {
  /// From the first byte of the request to the last. It takes no time if one read brings both.
  case receive = 1
  /// Reading the edits from the frame.
  case decode
  /// Finding the paragraphs that the edit touches.
  case locate
  /// Replacing units.
  case text
  /// Replacing attribute runs.
  case attributes
  /// Replacing paragraphs.
  case paragraphs
  /// Writing the batch to the journal.
  case journal
  /// Flushing the journal to the disk.
  case flush
  /// Telling subscribers.
  case notify
  /// Writing the reply to the socket.
  case acknowledge
}

/// The time of one phase of an edit in the daemon.
package struct LiveSpan: Hashable, Sendable {
  package var phase: LivePhase
  /// Nanoseconds since the start of the trace.
  package var start: UInt64
  /// Nanoseconds.
  package var duration: UInt64

  package init(_ phase: LivePhase, start: UInt64, duration: UInt64) {
    (self.phase, self.start, self.duration) = (phase, start, duration)
  }

  /// The end, in nanoseconds since the start of the trace.
  package var end: UInt64 { start &+ duration }
}

/// The measured cost of one edit as it happened in the daemon.
///
/// The edits of a request share `receive`, `decode` and `acknowledge`, those of a batch `journal`,
/// `flush` and `notify`. Between the phases the edit waits: for the requests before it, and for the
/// rest of its batch.
package struct LiveTrace: Hashable, Sendable {
  /// The edit's sequence number.
  package var sequence: SequenceNumber
  /// The edit's time.
  package var time: Timestamp
  /// The phases that were measured, in order of their starts. A phase may be done in pieces.
  package private(set) var spans: [LiveSpan]
  /// From the start of the trace to the end of the last phase, in nanoseconds.
  package private(set) var duration: UInt64

  package init(
    sequence: SequenceNumber, time: Timestamp, spans: [LiveSpan], duration: UInt64 = 0
  ) {
    (self.sequence, self.time) = (sequence, time)
    self.spans = spans
    self.duration = spans.reduce(duration) { max($0, $1.end) }
  }

  /// Adds a phase that came after the others.
  package mutating func add(_ span: LiveSpan) {
    spans.append(span)
    duration = max(duration, span.end)
  }

  /// The total duration of a phase, in nanoseconds. Nil if it was not measured.
  package func duration(of phase: LivePhase) -> UInt64? {
    var (sum, isMeasured): (UInt64, Bool) = (0, false)
    for span in spans where span.phase == phase { (sum, isMeasured) = (sum &+ span.duration, true) }
    return isMeasured ? sum : nil
  }

  /// The time that is in no phase, in nanoseconds.
  package var waiting: UInt64 {
    let measured = spans.reduce(UInt64(0)) { $0 &+ $1.duration }
    return duration - min(duration, measured)
  }
}
