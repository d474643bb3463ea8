import EditLog
import EditModel
import NIOCore

/// Records what large deletions and slow edits cost as they happen.
extension Ingest {
  /// Records the large deletions of a batch that is durable. If the batch was slow, also the first edit of
  /// each of its other documents: the rest waited as long.
  func trace(
    _ batch: borrowing IngestBatch,
    _ appends: [(document: DocumentID, entries: EncodedEntries, ends: [Int])],
    arrival: NIODeadline, start: NIODeadline, flush: NIODeadline, durable: NIODeadline
  ) {
    let isSlow =
      durable.uptimeNanoseconds - min(arrival, durable).uptimeNanoseconds
      >= tracing.bounds.slowTime
    guard isSlow || !batch.measured.isEmpty else { return }
    let timing = BatchTiming(
      arrival: arrival.uptimeNanoseconds, start: start.uptimeNanoseconds,
      flush: flush.uptimeNanoseconds, durable: durable.uptimeNanoseconds,
      notified: max(ticks, durable).uptimeNanoseconds)
    var measured = batch.measured.map {
      (document: batch.newNames[$0.document] ?? $0.document, edit: $0.edit, timing: $0.timing)
    }
    if isSlow {
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

  /// Records the large deletions that a job has appended. It writes and flushes in several steps, which
  /// count as the writing.
  func traceJob(_ job: CurrentJob) {
    guard let staged = longWork[job.document]?.staged, !staged.measured.isEmpty else { return }
    let (start, now) = (job.start.uptimeNanoseconds, ticks.uptimeNanoseconds)
    let timing = BatchTiming(
      arrival: start, start: start, flush: now, durable: now, notified: now)
    for edit in staged.measured {
      record(timing.trace(of: edit, staged.timing), of: job.document, timing, staged.timing)
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
}
