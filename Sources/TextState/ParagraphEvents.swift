/// The events of one edit: the removed paragraphs first, highest old index first; then the
/// inserted, edited and restyled ones by ascending new index.
///
/// Removed paragraphs are read on access from the version before the edit, and many inserted ones from
/// the version after it, which the events keep in memory. So the memory of the events does not depend
/// on their number. Iteration is
/// O(events); the event at a position costs O(log n).
public struct ParagraphEvents: Sendable {
  // Typing has one event, for which no memory is allocated.
  private let only: ParagraphEvent?
  private let list: List?

  /// More than one event.
  private final class List: Sendable {
    /// Removed paragraphs that are read from the version before.
    let removed: RemovedParagraphs?
    /// All other events.
    let rest: [ParagraphEvent]
    /// Inserted paragraphs that are read from the version after, and the number of events in `rest`
    /// before them.
    let inserted: InsertedParagraphs?
    let insertedPosition: Int

    init(
      _ removed: RemovedParagraphs?, _ rest: [ParagraphEvent], _ inserted: InsertedParagraphs?
    ) {
      (self.removed, self.rest, self.inserted) = (removed, rest, inserted)
      let first = inserted?.indices.lowerBound ?? 0
      insertedPosition = inserted == nil ? rest.count : rest.count { !$0.isAtOrAfter(first) }
    }

    var removedCount: Int { removed?.count ?? 0 }
    var insertedCount: Int { inserted?.count ?? 0 }
    var count: Int { removedCount + rest.count + insertedCount }

    /// The event at a position after the removed paragraphs.
    func event(_ position: Int) -> ParagraphEvent {
      guard let inserted, position >= insertedPosition else { return rest[position] }
      let number = position - insertedPosition
      return number < inserted.count ? inserted[number] : rest[position - inserted.count]
    }
  }

  /// Removed paragraphs, if they are too many for single events.
  var manyRemoved: RemovedParagraphs? { list?.removed }

  /// All other events. O(events).
  var fewEvents: [ParagraphEvent] {
    guard let list else { return only.map { [$0] } ?? [] }
    return list.inserted == nil ? list.rest : dropFirst(list.removedCount).map(\.self)
  }

  /// No events.
  init() { (only, list) = (nil, nil) }

  /// One event.
  @inline(__always) init(_ event: ParagraphEvent) { (only, list) = (event, nil) }

  /// These events, in the order said above; before them, those of `removed`, and in their place among
  /// them, those of `inserted`.
  init(
    _ events: [ParagraphEvent], after removed: RemovedParagraphs? = nil,
    around inserted: InsertedParagraphs? = nil
  ) {
    if events.count < 2, removed == nil, inserted == nil {
      (only, list) = (events.first, nil)
    } else {
      (only, list) = (nil, List(removed, events, inserted))
    }
  }
}

extension ParagraphEvents: RandomAccessCollection {
  /// 0.
  public var startIndex: Int { 0 }

  /// The number of events.
  public var endIndex: Int {
    if let list { return list.count }
    return only == nil ? 0 : 1
  }

  /// The event at `position`. O(log n) for a removed or an inserted paragraph, else O(1).
  public subscript(position: Int) -> ParagraphEvent {
    precondition(indices.contains(position), "there is no such event")
    if let only { return only }
    guard let list else { preconditionFailure("there is no such event") }
    guard let removed = list.removed, position < removed.count else {
      return list.event(position - list.removedCount)
    }
    return removed[position]
  }

  /// The results of `transform` for each event, in order. O(events); a collection's own `map` would
  /// search for each of them.
  public func map<Result, Failure: Error>(
    _ transform: (ParagraphEvent) throws(Failure) -> Result
  ) throws(Failure) -> [Result] {
    var results: [Result] = []
    results.reserveCapacity(count)
    for event in self { results.append(try transform(event)) }
    return results
  }

  /// An iterator over the events.
  public func makeIterator() -> Iterator {
    Iterator(
      only: only, removed: list?.removed.map(RemovedParagraphs.Iterator.init),
      rest: list?.rest ?? [], inserted: list?.inserted.map(InsertedParagraphs.Iterator.init),
      insertedPosition: list?.insertedPosition ?? 0)
  }

  /// An iterator over events.
  public struct Iterator: IteratorProtocol {
    private var only: ParagraphEvent?
    private var removed: RemovedParagraphs.Iterator?
    private let rest: [ParagraphEvent]
    private var inserted: InsertedParagraphs.Iterator?
    private let insertedPosition: Int
    private var position = 0

    fileprivate init(
      only: ParagraphEvent?, removed: RemovedParagraphs.Iterator?, rest: [ParagraphEvent],
      inserted: InsertedParagraphs.Iterator?, insertedPosition: Int
    ) {
      (self.only, self.removed, self.rest) = (only, removed, rest)
      (self.inserted, self.insertedPosition) = (inserted, insertedPosition)
    }

    /// The next event; nil after the last.
    public mutating func next() -> ParagraphEvent? {
      if let event = only.take() { return event }
      if let event = removed?.next() { return event }
      if position == insertedPosition, let event = inserted?.next() { return event }
      guard position < rest.count else { return nil }
      position += 1
      return rest[position - 1]
    }
  }
}

extension ParagraphEvents: Hashable {
  /// True if the events are the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.elementsEqual(right)
  }

  /// Feeds the events to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for event in self { hasher.combine(event) }
  }
}
