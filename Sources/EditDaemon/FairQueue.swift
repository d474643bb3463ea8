import NIOCore

/// What waits of many sources, taken in turns: those of one source in their order, and none of a
/// source that sends much before one of a source that sends little.
struct FairQueue<Element> {
  private var queues: [Int: CircularBuffer<Element>] = [:]
  /// The sources of which something waits, the next first.
  private var turns: CircularBuffer<Int> = []

  var isEmpty: Bool { turns.isEmpty }
  /// How many sources there are of which something waits.
  var sourceCount: Int { turns.count }

  /// Adds an element after those of its source.
  mutating func add(_ element: Element, from source: Int) {
    if queues[source] == nil { turns.append(source) }
    queues[source, default: []].append(element)
  }

  /// Takes out about `count` elements, as many of each source as of any other, and one of each at
  /// least. O(taken).
  mutating func take(_ count: Int) -> [Element] {
    let share = max(1, count / max(1, turns.count))
    var taken: [Element] = []
    for _ in 0..<turns.count {
      let source = turns.removeFirst()
      guard var queue = queues.removeValue(forKey: source) else { continue }
      for _ in 0..<min(share, queue.count) { taken.append(queue.removeFirst()) }
      guard !queue.isEmpty else { continue }
      queues[source] = queue
      turns.append(source)
    }
    return taken
  }
}

extension FairQueue: Sendable where Element: Sendable {}
