import CoreMetrics
import EditLog
import EditModel
import EditQueries
import NIOCore

/// What the ingest counts and measures of its own work: entries, times, and the traces of large deletions
/// and slow edits. It is told what was done, and nothing depends on it.
struct Meters {
  /// When the ingest was started.
  let started: Timestamp
  /// When a document was sealed last.
  private(set) var lastSeal: Timestamp?
  /// The entries that were logged in the last minute, and the time to their acknowledgement.
  private var lastMinute = LastMinute()
  private let metrics: IngestMetrics
  private let clock: any WallClock
  /// A batch that took this number of nanoseconds or more is traced.
  private let slowTime: UInt64
  private let traces: LiveTraces

  /// - Parameter traces: Where the traces go.
  init(_ options: IngestOptions, _ clock: any WallClock, _ traces: LiveTraces) {
    (metrics, self.clock, self.traces) = (IngestMetrics(options.metrics), clock, traces)
    (started, slowTime) = (clock.now(), options.traceBounds.slowTime)
  }

  /// The number of entries of the last minute, and the longest time to an acknowledgement in nanoseconds.
  var minute: (count: UInt64, longest: Int64) { lastMinute.sum(at: .now()) }

  // MARK: Counting

  /// Counts the entries of a batch that was written.
  ///
  /// - Parameters:
  ///   - arrival: When its oldest request arrived.
  ///   - durable: When it was durable.
  mutating func note(_ count: Int, since arrival: NIODeadline, at durable: NIODeadline) {
    let time = (durable - arrival).nanoseconds
    lastMinute.add(count, taking: time, at: durable)
    metrics.entries.increment(by: count)
    metrics.batches.increment()
    metrics.acknowledgement.recordNanoseconds(time)
  }

  /// Counts a batch that could not be written.
  func noteFailedBatch() { metrics.failedBatches.increment() }

  /// Counts entries that were sealed.
  mutating func noteSealed(_ count: Int, since start: NIODeadline) {
    lastSeal = clock.now()
    metrics.sealed.increment(by: count)
    metrics.seal.recordNanoseconds((NIODeadline.now() - start).nanoseconds)
  }

  // MARK: Tracing

  /// Records the large deletions of a batch that is durable. If the batch was slow, also the first edit of
  /// each of its other documents: the rest waited as long.
  func trace(
    _ batch: borrowing IngestBatch,
    _ appends: [(document: DocumentID, entries: EncodedEntries, ends: [Int])],
    arrival: NIODeadline, start: NIODeadline, flush: NIODeadline, durable: NIODeadline
  ) {
    let waited = durable.uptimeNanoseconds - min(arrival, durable).uptimeNanoseconds
    guard waited >= slowTime || !batch.measured.isEmpty else { return }
    let timing = BatchTiming(
      arrival: arrival.uptimeNanoseconds, start: start.uptimeNanoseconds,
      flush: flush.uptimeNanoseconds, durable: durable.uptimeNanoseconds,
      notified: max(clock.monotonic(), durable.uptimeNanoseconds))
    var measured = batch.measured.map {
      (document: batch.newNames[$0.document] ?? $0.document, edit: $0.edit, timing: $0.timing)
    }
    if waited >= slowTime {
      var known = Set(measured.map(\.document))
      // A document may have several runs of requests in the batch.
      for append in appends where known.insert(append.document).inserted {
        guard let first = append.entries.firstEdit else { continue }
        let edit = MeasuredEdit(sequence: first.sequence, time: first.time, spans: [])
        measured.append((append.document, edit, nil))
      }
    }
    for (document, edit, request) in measured {
      record(timing.trace(of: edit, request), of: document, timing, request)
    }
  }

  /// Records the large deletions of entries that were written apart, in several steps, which count as the
  /// writing.
  func trace(_ staged: StagedDocument, of document: DocumentID, since start: NIODeadline) {
    if staged.measured.isEmpty { return }
    let (start, now) = (start.uptimeNanoseconds, clock.monotonic())
    let timing = BatchTiming(
      arrival: start, start: start, flush: now, durable: now, notified: now)
    for edit in staged.measured {
      record(timing.trace(of: edit, staged.timing), of: document, timing, staged.timing)
    }
  }

  private func record(
    _ trace: LiveTrace, of document: DocumentID, _ batch: BatchTiming, _ request: RequestTiming?
  ) {
    traces.add(trace, of: document)
    guard let request else { return }
    let (sequence, start) = (trace.sequence, trace.duration)
    request.whenAnswered { [traces] time in
      let duration = max(time, batch.notified) - batch.notified
      traces.add(
        LiveSpan(.acknowledge, start: start, duration: duration), to: sequence, of: document)
    }
  }

  // MARK: Invariants

  /// What is wrong with its state, if anything is: a mistake of the program, whatever the data.
  ///
  /// The seconds of the last minute stand at the places of their numbers, because `add` is all that writes
  /// them. The traces are within their bound, because each that is added makes room for itself.
  func invariantViolation() -> String? {
    lastMinute.invariantViolation() ?? traces.invariantViolation()
  }
}
