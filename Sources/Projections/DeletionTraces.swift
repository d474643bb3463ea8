public import EditModel
public import TextState

/// Measures each large deletion: the phases of applying it, and the same deletion by the linear
/// algorithm for comparison.
///
/// Every edit that removes at least the minimum of the settings is traced, whatever it inserts; with
/// `durationMin`, every edit instead that takes at least this time, whatever it does. It
/// is timed before it is applied, on a copy of the state that shares no memory, so that copying is
/// not counted. Durations are those of this run on this machine; all other values depend only on
/// the log. An edit below the minimum costs at most O(log n).
public struct DeletionTraces: Projection {
  /// 1: the first.
  public static let version: UInt32 = 1

  /// The traces, in order of the edits.
  public private(set) var traces: [DeletionTrace] = []
  /// The sizes from which deletions are traced.
  public let settings: DeletionTraceSettings
  private let clock: TraceClock
  private let observer: @Sendable (ParagraphEvent) -> Void

  /// A projection that measures with `clock`. It calls `observer` with each paragraph event of a
  /// traced deletion, to measure the delivery.
  public init(
    settings: DeletionTraceSettings = DeletionTraceSettings(), clock: @escaping TraceClock,
    observer: @escaping @Sendable (ParagraphEvent) -> Void = { _ in }
  ) {
    (self.settings, self.clock, self.observer) = (settings, clock, observer)
  }

  /// Traces the edit if it is large. O(n) for a large one, plus the cost of the linear algorithm.
  public mutating func willApply(_ edit: Edit, to state: TextState) {
    if !settings.sequences.isEmpty, settings.sequences.contains(edit.sequence) {
      if let trace = trace(edit, on: state) { traces.append(trace) }
      return
    }
    if let durationMin = settings.durationMin {
      guard isSlow(edit.action, on: state, durationMin), let trace = trace(edit, on: state),
        trace.duration >= durationMin
      else { return }
      return traces.append(trace)
    }
    guard isLarge(edit.action, in: state), let trace = trace(edit, on: state) else { return }
    traces.append(trace)
  }

  /// Does nothing: a deletion is traced before it is applied.
  public mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {}

  /// True if the edit takes this time or longer on a copy that shares memory. That is not shorter
  /// than on one that shares none, and cheap.
  private func isSlow(_ action: EditAction, on state: TextState, _ durationMin: UInt64) -> Bool {
    var copy = state
    let start = clock()
    guard let change = try? copy.apply(action) else { return false }
    for event in change.paragraphEvents { observer(event) }
    return max(clock(), start) - start >= durationMin
  }

  private func isLarge(_ action: EditAction, in state: TextState) -> Bool {
    let range = action.range
    guard action.replacement != nil, range.upperBound <= state.length else { return false }
    if range.length >= settings.unitsMin { return true }
    guard range.length >= settings.paragraphsMin else { return false }
    let first = state.paragraphIndex(at: range.location)
    return state.paragraphIndex(at: range.upperBound) - first >= settings.paragraphsMin
  }

  /// Nil if the edit does not fit the state; the caller gets that error when it applies the edit.
  private func trace(_ edit: Edit, on state: TextState) -> DeletionTrace? {
    var copy = state
    var probe = ClockProbe(clock: clock)
    guard let change = try? copy.apply(edit.action, probe: &probe) else { return nil }
    for event in change.paragraphEvents { observer(event) }
    probe.finished(.notify)

    let paragraphsDeleted = change.paragraphEvents.count { event in
      if case .removed = event { true } else { false }
    }
    let work = paragraphsDeleted.multipliedReportingOverflow(by: state.paragraphCount)
    let isBounded = !work.overflow && work.partialValue <= settings.linearWorkMax
    return DeletionTrace(
      sequence: edit.sequence, time: edit.time, origin: edit.origin, author: edit.author,
      unitsDeleted: edit.action.range.length, unitsInserted: edit.action.newLength,
      unitsBefore: state.length, paragraphsDeleted: paragraphsDeleted,
      paragraphsBefore: state.paragraphCount, notificationCount: change.paragraphEvents.count,
      spans: probe.spans, linear: isBounded ? linearTrace(edit.action, on: state) : nil)
  }

  private func linearTrace(_ action: EditAction, on state: TextState) -> LinearTrace {
    var linear = LinearParagraphs(state, clock: clock)
    return linear.apply(action)
  }
}

/// Times the phases of one edit by a clock.
private struct ClockProbe: ApplyProbe {
  private let clock: TraceClock
  private var start: UInt64
  private(set) var spans: [TraceSpan<TracePhase>] = []

  init(clock: @escaping TraceClock) {
    self.clock = clock
    spans.reserveCapacity(TracePhase.allCases.count)
    start = clock()
  }

  mutating func finished(_ phase: ApplyPhase) {
    switch phase {
    case .locate: finished(TracePhase.locate)
    case .text: finished(TracePhase.text)
    case .attributes: finished(TracePhase.attributes)
    case .paragraphs: finished(TracePhase.paragraphs)
    }
  }

  mutating func finished(_ phase: TracePhase) {
    let now = max(clock(), start)
    spans.append(TraceSpan(phase: phase, start: start, duration: now - start))
    start = now
  }
}
