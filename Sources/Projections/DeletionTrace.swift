public import EditModel

/// A monotonic clock: nanoseconds since a fixed time. It is passed in, because projections read no
/// clock; tests pass a counter.
public typealias TraceClock = @Sendable () -> UInt64

/// A phase of applying one edit.
public enum TracePhase: String, CaseIterable, Hashable, Sendable {
  /// Finding the paragraphs that the edit touches.
  case locate
  /// Replacing units.
  case text
  /// Replacing attribute runs.
  case attributes
  /// Replacing paragraphs, and making the paragraph events.
  case paragraphs
  /// Delivering the paragraph events to the observer.
  case notify
}

/// A phase of the linear algorithm.
public enum LinearPhase: String, CaseIterable, Hashable, Sendable {
  /// Splitting the old and the new text at terminators, to count them.
  case count
  /// Replacing units.
  case text
  /// Searching for the first paragraph, from the start of the list.
  case locate
  /// Removing descriptors from the middle of the list, one by one.
  case remove
  /// Looking up the index of each removed paragraph, as an observer does.
  case notify
  /// Moving every later descriptor.
  case shift
}

/// The time of one phase.
public struct TraceSpan<Phase: Hashable & Sendable>: Hashable, Sendable {
  /// The phase.
  public let phase: Phase
  /// The start, in nanoseconds of the trace's clock.
  public let start: UInt64
  /// The duration, in nanoseconds.
  public let duration: UInt64
}

/// The measured cost of one large deletion by phase, and that of the linear algorithm on the same
/// text.
public struct DeletionTrace: Hashable, Sendable {
  /// The edit's sequence number.
  public let sequence: SequenceNumber
  /// The edit's time.
  public let time: Timestamp
  /// The edit's origin.
  public let origin: Origin
  /// Who made it, if known.
  public let author: String?
  /// UTF-16 units that it removed.
  public let unitsDeleted: Int
  /// UTF-16 units that it inserted.
  public let unitsInserted: Int
  /// UTF-16 units of the text before it.
  public let unitsBefore: Int
  /// Paragraphs that it removed.
  public let paragraphsDeleted: Int
  /// Paragraphs of the text before it.
  public let paragraphsBefore: Int
  /// Paragraph events delivered to the observer.
  public let notificationCount: Int
  /// The phases, one after another, without gaps.
  public let spans: [TraceSpan<TracePhase>]
  /// The same deletion by the linear algorithm. Nil if it was skipped because the work (paragraphs
  /// deleted times paragraphs before) exceeds `DeletionTraceSettings.linearWorkMax`.
  public let linear: LinearTrace?

  /// All phases together, in nanoseconds.
  public var duration: UInt64 { spans.reduce(0) { $0 &+ $1.duration } }

  /// The total duration of a phase, in nanoseconds.
  public func duration(of phase: TracePhase) -> UInt64 {
    spans.reduce(0) { $1.phase == phase ? $0 &+ $1.duration : $0 }
  }
}

/// The measured cost of a deletion by the linear algorithm.
public struct LinearTrace: Hashable, Sendable {
  /// The phases, one after another. Removing and notifying alternate for each paragraph, so their
  /// spans are sums.
  public let spans: [TraceSpan<LinearPhase>]
  /// Bytes of descriptors moved by removals from the middle of the list.
  public let bytesMoved: UInt64
  /// Callbacks about removed paragraphs.
  public let notificationCount: Int

  /// All phases together, in nanoseconds.
  public var duration: UInt64 { spans.reduce(0) { $0 &+ $1.duration } }
}

/// The minimum size of deletions that are traced, and the maximum work of the linear algorithm.
public struct DeletionTraceSettings: Hashable, Sendable {
  /// The minimum number of UTF-16 units of a large deletion.
  public var unitsMin = 1_000
  /// A deletion of at least this number of paragraph ends is large too, however few its units.
  public var paragraphsMin = 20
  /// If not nil, every edit is traced that takes this time or longer, in nanoseconds, and the minimum
  /// sizes do not count.
  public var durationMin: UInt64?
  /// Edits that are traced in any case, whatever their size and their time.
  public var sequences: Set<SequenceNumber> = []
  /// The maximum work of the linear algorithm: paragraphs deleted times paragraphs before. It is
  /// quadratic, and is skipped if it would do more. The default takes about a second.
  public var linearWorkMax = 1 << 32

  /// The defaults.
  public init() {}
}
