public import EditModel

/// What some edits did.
public struct ActivityCounts: Hashable, Sendable {
  /// The number of edits.
  public var editCount = 0
  /// The number of words that were begun. See `Activity`.
  public var wordCount = 0
  /// UTF-16 units that were inserted.
  public var insertedCount = 0
  /// UTF-16 units that were removed.
  public var removedCount = 0
  /// The time spent, in nanoseconds. See `Activity`.
  public var activeNanoseconds: Int64 = 0
  /// The number of sessions that began. See `Activity`.
  public var sessionCount = 0

  /// Nothing.
  public init() {}

  /// Adds what other edits did. Sums that do not fit become the maximum.
  public static func += (left: inout Self, right: Self) {
    func add<Value: FixedWidthInteger>(_ value: inout Value, _ other: Value) {
      let sum = value.addingReportingOverflow(other)
      value = sum.overflow ? .max : sum.partialValue
    }
    add(&left.editCount, right.editCount)
    add(&left.wordCount, right.wordCount)
    add(&left.insertedCount, right.insertedCount)
    add(&left.removedCount, right.removedCount)
    add(&left.activeNanoseconds, right.activeNanoseconds)
    add(&left.sessionCount, right.sessionCount)
  }
}

/// What was done in a quarter of an hour.
///
/// The offset of every time zone of today is a whole number of quarters, so the hours and days of any of
/// them are sums of quarters.
public struct ActivityQuarter: Hashable, Sendable {
  /// Nanoseconds of a quarter of an hour.
  public static let nanoseconds: Int64 = 900_000_000_000

  /// The number of the quarter since 1970 UTC.
  public var number: Int64
  /// What was done.
  public var counts = ActivityCounts()

  /// The time at which it begins. The first quarter that a timestamp can name has begun before the
  /// earliest timestamp, which is then the answer.
  public var start: Timestamp {
    let start = number.multipliedReportingOverflow(by: Self.nanoseconds)
    return Timestamp(nanoseconds: start.overflow ? .min : start.partialValue)
  }

  init(_ time: Timestamp) {
    let (quotient, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: Self.nanoseconds)
    number = rest < 0 ? quotient - 1 : quotient
  }
}

/// What an author did by edits of one origin.
public struct ActivityShare: Hashable, Sendable {
  /// The author, if known.
  public var author: String? { exactAuthor?.string }
  var exactAuthor: ExactString?
  /// The origin.
  public var origin: Origin
  /// What was done.
  public var counts = ActivityCounts()
}

/// A time without edits, between two edits.
public struct ActivityPause: Hashable, Sendable {
  /// The edit before it.
  public var after: SequenceNumber
  /// The time of that edit.
  public var start: Timestamp
  /// The time of the next edit.
  public var end: Timestamp

  /// Its length in nanoseconds.
  var nanoseconds: Int64 { Activity.gap(start, end) }
}

/// How often a paragraph was changed.
public struct ParagraphWork: Hashable, Sendable {
  /// The number of edits that changed its units, without the one that made it; those of paragraphs that
  /// became part of it too.
  public var editCount = 0
  /// UTF-16 units that these edits removed from it.
  public var removedCount = 0
}
