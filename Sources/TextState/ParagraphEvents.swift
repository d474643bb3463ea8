/// The events of one edit: the removed paragraphs first, highest old index first; then the
/// inserted, edited and restyled ones by ascending new index.
///
/// Removed paragraphs are read when they are asked for, from the version before the edit, which
/// the events keep: making them costs the same however many they are. Walking is O(events);
/// the event at a position costs O(log n).
public struct ParagraphEvents: Sendable {
  private var content: Content

  private enum Content {
    case none
    // Typing has one event and needs no memory for it.
    case one(ParagraphEvent)
    case few([ParagraphEvent])
    indirect case many(RemovedParagraphs, [ParagraphEvent])

    init(_ events: [ParagraphEvent]) {
      self = events.isEmpty ? .none : events.count == 1 ? .one(events[0]) : .few(events)
    }
  }

  /// No events.
  init() { content = .none }

  /// One event.
  @inline(__always) init(_ event: ParagraphEvent) { content = .one(event) }

  /// These events, in the order said above.
  init(_ events: [ParagraphEvent]) { content = Content(events) }

  init(_ removed: RemovedParagraphs, _ arrivals: [ParagraphEvent]) {
    content =
      removed.indices.count > RemovedParagraphs.eagerCountMax
      ? .many(removed, arrivals)
      : Content(removed.indices.reversed().map { removed[$0] } + arrivals)
  }
}

extension ParagraphEvents: RandomAccessCollection {
  /// 0.
  public var startIndex: Int { 0 }

  /// The number of events.
  public var endIndex: Int {
    switch content {
    case .none: 0
    case .one: 1
    case .few(let events): events.count
    case .many(let removed, let arrivals): removed.indices.count + arrivals.count
    }
  }

  /// The event at `position`. O(log n) for a removed paragraph, else O(1).
  public subscript(position: Int) -> ParagraphEvent {
    precondition(indices.contains(position), "there is no such event")
    switch content {
    case .none: preconditionFailure("there is no such event")
    case .one(let event): return event
    case .few(let events): return events[position]
    case .many(let removed, let arrivals):
      let count = removed.indices.count
      return position < count
        ? removed[removed.indices.upperBound - 1 - position] : arrivals[position - count]
    }
  }

  /// A walk over the events.
  public func makeIterator() -> Iterator {
    switch content {
    case .none: Iterator(removed: nil, rest: [])
    case .one(let event): Iterator(removed: nil, rest: [event])
    case .few(let events): Iterator(removed: nil, rest: events)
    case .many(let removed, let arrivals):
      Iterator(removed: RemovedParagraphs.Iterator(removed), rest: arrivals)
    }
  }

  /// A walk over events.
  public struct Iterator: IteratorProtocol {
    fileprivate var removed: RemovedParagraphs.Iterator?
    fileprivate let rest: [ParagraphEvent]
    private var position = 0

    fileprivate init(removed: RemovedParagraphs.Iterator?, rest: [ParagraphEvent]) {
      (self.removed, self.rest) = (removed, rest)
    }

    /// The next event, nil behind the last.
    public mutating func next() -> ParagraphEvent? {
      if let event = removed?.next() { return event }
      guard position < rest.count else { return nil }
      position += 1
      return rest[position - 1]
    }
  }
}

extension ParagraphEvents: Hashable {
  /// True where the events are the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.elementsEqual(right)
  }

  /// Feeds the events to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for event in self { hasher.combine(event) }
  }
}
