import EditModel

/// Units that undos and redos made visible or dead, in the order of their edits.
struct UnitFlips: Hashable, Sendable {
  /// Units that one edit brought back or took away.
  struct Flip: Hashable, Sendable {
    var units: Range<Int>
    var sequence: SequenceNumber
    var isVisible: Bool
  }

  private(set) var flips: [Flip] = []

  /// Adds units, in the order of the edits. O(1).
  mutating func append(_ units: Range<Int>, by sequence: SequenceNumber, isVisible: Bool) {
    guard !units.isEmpty else { return }
    if let last = flips.last, last.sequence == sequence, last.isVisible == isVisible,
      last.units.upperBound == units.lowerBound
    {
      flips[flips.count - 1].units = last.units.lowerBound..<units.upperBound
    } else {
      flips.append(Flip(units: units, sequence: sequence, isVisible: isVisible))
    }
  }

  /// The edit that last brought back each of some units, for those that came back: by ascending units.
  /// O(flips · log flips).
  func lastShown() -> [(units: Range<Int>, sequence: SequenceNumber)] {
    last { $0.isVisible }
  }

  /// The edit that last took away each of some units, for those that an undo or a redo took away.
  func lastHidden() -> [(units: Range<Int>, sequence: SequenceNumber)] {
    last { !$0.isVisible }
  }

  /// Sweeps over the units. The newest of the flips that cover a unit is the top of a heap.
  private func last(
    _ isWanted: (Flip) -> Bool
  ) -> [(units: Range<Int>, sequence: SequenceNumber)] {
    // The newest flips have the greatest indices.
    let wanted = flips.filter(isWanted)
    let order = wanted.indices.sorted { wanted[$0].units.lowerBound < wanted[$1].units.lowerBound }
    let bounds = NumberSet(wanted.flatMap { [$0.units.lowerBound, $0.units.upperBound] }).numbers
    var (next, open) = (0, MaxHeap())
    var found: [(units: Range<Int>, sequence: SequenceNumber)] = []
    for (start, end) in zip(bounds, bounds.dropFirst()) {
      while next < order.count, wanted[order[next]].units.lowerBound <= start {
        open.insert(order[next])
        next += 1
      }
      while let top = open.max, wanted[top].units.upperBound <= start { open.removeMax() }
      guard let top = open.max else { continue }
      let sequence = wanted[top].sequence
      if let last = found.last, last.units.upperBound == start, last.sequence == sequence {
        found[found.count - 1].units = last.units.lowerBound..<end
      } else {
        found.append((start..<end, sequence))
      }
    }
    return found
  }
}

/// Ascending numbers, each once.
private struct NumberSet {
  let numbers: [Int]

  init(_ numbers: [Int]) {
    var ascending: [Int] = []
    for number in numbers.sorted() where ascending.last != number { ascending.append(number) }
    self.numbers = ascending
  }
}

/// Numbers of which the greatest is found and removed first.
private struct MaxHeap {
  private var numbers: [Int] = []

  /// O(1).
  var max: Int? { numbers.first }

  /// O(log n).
  mutating func insert(_ number: Int) {
    numbers.append(number)
    var index = numbers.count - 1
    while index > 0, numbers[(index - 1) / 2] < numbers[index] {
      numbers.swapAt((index - 1) / 2, index)
      index = (index - 1) / 2
    }
  }

  /// Removes the greatest number, of at least one. O(log n).
  mutating func removeMax() {
    numbers.swapAt(0, numbers.count - 1)
    numbers.removeLast()
    var index = 0
    while let child = [2 * index + 1, 2 * index + 2].filter({ $0 < numbers.count })
      .max(by: { numbers[$0] < numbers[$1] }), numbers[child] > numbers[index]
    {
      numbers.swapAt(child, index)
      index = child
    }
  }
}
