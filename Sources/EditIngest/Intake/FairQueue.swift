import DequeModule

/// Elements of several sources, taken in turns. The elements of one source keep their order, and a
/// source with many elements does not delay the others.
struct FairQueue<Element> {
  /// Elements taken from one source, in the order they were added.
  struct Turn {
    var source: Int
    var elements: [Element] = []
  }

  private var queues: [Int: Deque<Element>] = [:]
  /// The sources that have waiting elements and are not held, the next first.
  private var turns: Deque<Int> = []
  /// Held sources, in the order they were held: nothing is taken from them until `release`.
  private var held: [Int] = []

  /// True if nothing can be taken.
  var isEmpty: Bool { turns.isEmpty }

  /// Adds an element after those of its source. O(held sources).
  mutating func add(_ element: Element, from source: Int) {
    add(CollectionOfOne(element), from: source)
  }

  /// Adds elements after those of their source. O(elements + held sources).
  mutating func add(_ elements: some Collection<Element>, from source: Int) {
    if elements.isEmpty { return }
    if queues[source] == nil, !held.contains(source) { turns.append(source) }
    queues[source, default: []].append(contentsOf: elements)
  }

  /// Takes about `count` elements: the same number from each source, and at least one. O(taken).
  mutating func take(_ count: Int) -> [Turn] {
    let share = max(1, count / max(1, turns.count))
    var taken: [Turn] = []
    for _ in 0..<turns.count {
      let source = turns.removeFirst()
      guard var queue = queues.removeValue(forKey: source) else { continue }
      var turn = Turn(source: source)
      for _ in 0..<min(share, queue.count) { turn.elements.append(queue.removeFirst()) }
      taken.append(turn)
      guard !queue.isEmpty else { continue }
      queues[source] = queue
      turns.append(source)
    }
    return taken
  }

  /// Puts taken elements back before those of their source that wait. If `isNext`, the source takes
  /// its turn before the others. O(elements + sources).
  mutating func putBack(
    _ elements: some BidirectionalCollection<Element>, from source: Int, isNext: Bool = false
  ) {
    guard !elements.isEmpty else { return }
    if isNext {
      turns.removeAll { $0 == source }
      turns.prepend(source)
    } else if queues[source] == nil, !held.contains(source) {
      turns.append(source)
    }
    for element in elements.reversed() {
      queues[source, default: []].prepend(element)
    }
  }

  /// Takes nothing more from a source until `release`, and puts taken elements of it back.
  /// O(elements + sources).
  mutating func hold(_ source: Int, with elements: some BidirectionalCollection<Element>) {
    held.append(source)
    turns.removeAll { $0 == source }
    putBack(elements, from: source)
  }

  /// Nil, or what is wrong: a source with elements has its turn once, or is held. O(sources).
  func invariantViolation() -> String? {
    let next = Set(turns)
    if next.count < turns.count || held.contains(where: { next.contains($0) }) {
      return "a source has two turns, or a turn while it is held: \(turns), \(held)"
    }
    if next.union(held.filter { queues[$0] != nil }) != Set(queues.keys) {
      return "sources \(turns) and \(held) have turns, and \(queues.keys) have elements"
    }
    return nil
  }

  /// Ends all holds: the source that was held first takes its turn first, and `served` last.
  mutating func release(served: Int? = nil) {
    let (others, last) = (held.filter { $0 != served }, held.filter { $0 == served })
    for source in others + last where queues[source] != nil { turns.append(source) }
    held = []
  }
}

extension FairQueue: Sendable where Element: Sendable {}
extension FairQueue.Turn: Sendable where Element: Sendable {}
