public import EditModel

/// A monotonic clock: nanoseconds since some fixed moment. Projections read no clock of their
/// own; tests hand in a counter.
public typealias TraceClock = @Sendable () -> UInt64

/// A phase of applying one edit.
public enum TracePhase: String, CaseIterable, Hashable, Sendable {
  /// Finding the place.
  case locate
  /// Replacing units.
  case text
  /// Replacing attribute runs.
  case attributes
  /// Replacing paragraphs, and saying what became of them.
  case paragraphs
  /// Delivering the paragraph events to the observer.
  case notify
}

/// A phase of the linear algorithm.
public enum LinearPhase: String, CaseIterable, Hashable, Sendable {
  /// Cutting the old and the new text into pieces, to count terminators.
  case count
  /// Replacing units.
  case text
  /// Looking for the first paragraph, from the top.
  case locate
  /// Taking descriptors out of the middle of the list, one by one.
  case remove
  /// Looking up the index of each removed paragraph, as an observer does.
  case notify
  /// Moving every later descriptor.
  case shift
}

/// A stretch of time.
public struct TraceSpan<Phase: Hashable & Sendable>: Hashable, Sendable {
  /// What was done.
  public let phase: Phase
  /// When it began, in nanoseconds of the trace's clock.
  public let start: UInt64
  /// How long it took, in nanoseconds.
  public let duration: UInt64
}

/// What one large deletion cost, phase by phase, beside the linear algorithm on the same text.
public struct DeletionTrace: Hashable, Sendable {
  /// The edit.
  public let sequence: SequenceNumber
  /// When it was made.
  public let time: Timestamp
  /// Where it comes from.
  public let origin: Origin
  /// Who made it, where known.
  public let author: String?
  /// UTF-16 units it took away.
  public let unitsDeleted: Int
  /// UTF-16 units it brought instead.
  public let unitsInserted: Int
  /// UTF-16 units of the text before it.
  public let unitsBefore: Int
  /// Paragraphs it took away.
  public let paragraphsDeleted: Int
  /// Paragraphs of the text before it.
  public let paragraphsBefore: Int
  /// Paragraph events delivered to the observer.
  public let notificationCount: Int
  /// The phases, one after another, without gaps.
  public let spans: [TraceSpan<TracePhase>]
  /// The same deletion under the linear algorithm; nil where it was skipped because the work
  /// (paragraphs deleted times paragraphs before) exceeded `DeletionTraceSettings.linearWorkMax`.
  public let linear: LinearTrace?

  /// All phases together, in nanoseconds.
  public var duration: UInt64 { spans.reduce(0) { $0 &+ $1.duration } }

  /// One phase, in nanoseconds.
  public func duration(of phase: TracePhase) -> UInt64 {
    spans.reduce(0) { $1.phase == phase ? $0 &+ $1.duration : $0 }
  }
}

/// What the linear algorithm spent on a deletion.
public struct LinearTrace: Hashable, Sendable {
  /// The phases, laid end to end: removing and notifying alternate for each paragraph, so their
  /// spans are sums.
  public let spans: [TraceSpan<LinearPhase>]
  /// Bytes of descriptors moved by removals from the middle of the list.
  public let bytesMoved: UInt64
  /// Callbacks about removed paragraphs.
  public let notificationCount: Int

  /// All phases together, in nanoseconds.
  public var duration: UInt64 { spans.reduce(0) { $0 &+ $1.duration } }
}

/// Which deletions are traced, and how far the yardstick may go.
public struct DeletionTraceSettings: Hashable, Sendable {
  /// A deletion of this many UTF-16 units is large.
  public var unitsMin = 1_000
  /// A deletion that reaches over this many paragraph ends is large, however few its units.
  public var paragraphsMin = 20
  /// The linear algorithm is quadratic: it is run only where paragraphs deleted times
  /// paragraphs before is at most this. The default takes about a second.
  public var linearWorkMax = 1 << 32

  /// The defaults.
  public init() {}
}
