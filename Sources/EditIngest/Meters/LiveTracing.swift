import EditLog
import EditModel
import EditProtocol
import EditQueries
import TextState

/// Which edits are measured as they happen, and the clock for that.
package struct LiveTracing: Sendable {
  /// The minimum size of a deletion that is measured by phase.
  package struct Bounds: Hashable, Sendable {
    /// UTF-16 units.
    package var unitsMin = TraceRequest.unitsMinDefault
    /// Paragraph ends, however few the units.
    package var paragraphsMin = TraceRequest.paragraphsMinDefault
    /// An edit is recorded too if it took this number of nanoseconds or more until it was durable.
    package var slowTime: UInt64 = 100_000_000

    package init() {}

    /// A deletion of fewer units is never measured by phase.
    package var lengthMin: Int { min(unitsMin, paragraphsMin) }
  }

  let bounds: Bounds
  let clock: any WallClock

  /// True if the action is a large deletion. O(log n).
  func isLarge(_ action: EditAction, in state: borrowing TextState) -> Bool {
    let range = action.range
    guard action.replacement != nil, range.upperBound <= state.length else { return false }
    if range.length >= bounds.unitsMin { return true }
    guard range.length >= bounds.paragraphsMin else { return false }
    let first = state.paragraphIndex(at: range.location)
    return state.paragraphIndex(at: range.upperBound) - first >= bounds.paragraphsMin
  }
}

/// Times the phases of applying one edit.
struct LiveProbe: ApplyProbe {
  private let clock: any WallClock
  private var last: UInt64
  /// The phases, with the times of the clock as their starts.
  private(set) var spans: [LiveSpan] = []

  init(_ clock: any WallClock) {
    self.clock = clock
    spans.reserveCapacity(8)
    last = clock.monotonic()
  }

  mutating func finished(_ phase: ApplyPhase) {
    let now = max(clock.monotonic(), last)
    spans.append(LiveSpan(LivePhase(phase), start: last, duration: now - last))
    last = now
  }
}

extension LivePhase {
  fileprivate init(_ phase: ApplyPhase) {
    self =
      switch phase {
      case .locate: .locate
      case .text: .text
      case .attributes: .attributes
      case .paragraphs: .paragraphs
      }
  }
}

/// An edit that was applied to the newest version, and is not logged yet. It has spans if it is a large
/// deletion.
struct MeasuredEdit: Sendable {
  let sequence: SequenceNumber
  let time: Timestamp
  /// The phases of applying it, with the times of the clock as their starts.
  let spans: [LiveSpan]
}

/// The times of the clock between which a batch was written.
struct BatchTiming {
  /// When its oldest request arrived.
  var arrival: UInt64
  var start: UInt64
  var flush: UInt64
  var durable: UInt64
  var notified: UInt64

  /// The trace of an edit of the batch. `request` are the times of its request, if they were taken.
  func trace(of edit: MeasuredEdit, _ request: RequestTiming?) -> LiveTrace {
    var points: [(LivePhase, UInt64, UInt64)] = []
    if let request {
      points.append((.receive, request.begun, request.received))
      points.append((.decode, request.received, request.decoded))
    }
    points += edit.spans.map { ($0.phase, $0.start, $0.end) }
    points += [
      (.journal, start, flush), (.flush, flush, durable), (.notify, durable, notified),
    ]
    let origin = min(request?.begun ?? arrival, points.first?.1 ?? arrival)
    return LiveTrace(
      sequence: edit.sequence, time: edit.time,
      spans: points.map { phase, from, to in
        LiveSpan(
          phase, start: max(from, origin) - origin, duration: max(to, from) - from)
      })
  }
}
