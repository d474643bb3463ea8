import NIOCore

/// What waits of many sources, taken in turns: those of one source in their order, and none of a
/// source that sends much before one of a source that sends little.
struct FairQueue<Element> {
  /// What is taken of one source, in order.
  struct Turn {
    var source: Int
    var elements: [Element] = []
  }

  private var queues: [Int: CircularBuffer<Element>] = [:]
  /// The sources of which something waits, the next first.
  private var turns: CircularBuffer<Int> = []
  /// Sources of which nothing is taken until they are released, in the order they were held.
  private var held: [Int] = []

  /// True if nothing can be taken.
  var isEmpty: Bool { turns.isEmpty }
  /// How many sources there are of which something can be taken.
  var sourceCount: Int { turns.count }

  /// Adds an element after those of its source.
  mutating func add(_ element: Element, from source: Int) {
    if queues[source] == nil, !held.contains(source) { turns.append(source) }
    queues[source, default: []].append(element)
  }

  /// Takes out about `count` elements, as many of each source as of any other, and one of each at
  /// least. O(taken).
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

  /// Holds a source back, with elements of it that were taken and come before all that wait.
  mutating func hold(_ source: Int, with elements: some Collection<Element>) {
    held.append(source)
    turns.removeAll { $0 == source }
    let waiting = queues.removeValue(forKey: source) ?? []
    guard !elements.isEmpty || !waiting.isEmpty else { return }
    queues[source] = CircularBuffer(elements + Array(waiting))
  }

  /// Lets all sources take their turns again, those first that were held first, but `served` last.
  mutating func release(served: Int? = nil) {
    let (others, last) = (held.filter { $0 != served }, held.filter { $0 == served })
    for source in others + last where queues[source] != nil { turns.append(source) }
    held = []
  }
}

extension FairQueue: Sendable where Element: Sendable {}
extension FairQueue.Turn: Sendable where Element: Sendable {}
