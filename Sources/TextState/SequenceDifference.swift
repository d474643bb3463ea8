/// Finds the difference of two sequences, with a limit on the work.
///
/// A box (a stretch of the old beside a stretch of the new) is trimmed, then cut in two where
/// the shortest path through it has its middle. A box whose path is too long is cut at the
/// elements that both sides have exactly once; one without such elements differs as a whole.
struct SequenceDifference<Element: Hashable> {
  private let old: [Element]
  private let new: [Element]
  /// Half the number of differences up to which the shortest path is looked for.
  private let depthMax: Int
  /// The number of elements that may still be read.
  private(set) var work: Int
  /// The hunks in order. There are equal elements between neighbours.
  private(set) var hunks: [Hunk] = []

  /// How far along the old side each diagonal has been followed from the start, and from the
  /// end; diagonal k is at `depthMax + 1 + k`.
  private var forward: [Int]
  private var backward: [Int]

  init(_ old: [Element], _ new: [Element], depthMax: Int, work: Int) {
    (self.old, self.new, self.depthMax, self.work) = (old, new, depthMax, work)
    forward = Array(repeating: 0, count: 2 * depthMax + 3)
    backward = forward
  }

  /// Adds the difference in `box`, which comes after all boxes before.
  mutating func compare(_ box: Hunk) {
    var boxes = [box]
    while var box = boxes.popLast() {
      box.trim(old, new)
      if box.isEmpty { continue }
      if !box.old.isEmpty, !box.new.isEmpty {
        if let (left, right) = middle(of: box) {
          boxes += [right, left]
          continue
        }
        let parts = partsBetweenAnchors(of: box)
        if parts.count > 1 {
          boxes += parts.reversed()
          continue
        }
      }
      hunks.appendJoining(box)
    }
  }
}

extension SequenceDifference {
  /// The boxes before and after the middle of the shortest path through `box`; nil if the path is
  /// too long to search for. The box is trimmed, so at least two elements differ.
  private mutating func middle(of box: Hunk) -> (Hunk, Hunk)? {
    let (n, m) = (box.old.count, box.new.count)
    for depth in 0...min(depthMax, (n + m + 1) / 2) {
      guard work > 0 else { return nil }
      for place in [depthMax - depth, depthMax + 2 + depth] {
        (forward[place], backward[place]) = (0, 0)
      }
      // Diagonals that lie outside the box are left out.
      let lowest = -(depth - 2 * max(0, depth - m))
      let highest = depth - 2 * max(0, depth - n)
      if let snake = follow(box, depth, lowest, highest, isForward: true)
        ?? follow(box, depth, lowest, highest, isForward: false)
      {
        return cut(box, around: snake)
      }
    }
    return nil
  }

  /// Follows each diagonal one difference further. Returns the stretch in which the ways from
  /// the start and from the end meet, as offsets in the box.
  private mutating func follow(
    _ box: Hunk, _ depth: Int, _ lowest: Int, _ highest: Int, isForward: Bool
  ) -> Hunk? {
    guard lowest <= highest else { return nil }
    let (n, m, zero) = (box.old.count, box.new.count, depthMax + 1)
    for k in stride(from: lowest, through: highest, by: 2) {
      let (below, above) =
        isForward
        ? (forward[zero + k - 1], forward[zero + k + 1])
        : (backward[zero + k - 1], backward[zero + k + 1])
      let start = k == -depth || k != depth && below < above ? above : below + 1
      var (x, y) = (start, start - k)
      while x < n, y < m, isEqual(box, x, y, isForward) { (x, y) = (x + 1, y + 1) }
      work -= 1 + x - start

      // The diagonal as counted from the other end.
      let other = n - m - k
      if isForward {
        forward[zero + k] = x
        if (n + m) % 2 == 1, abs(other) <= depth - 1, x + backward[zero + other] >= n {
          return Hunk(old: start..<x, new: start - k..<y)
        }
      } else {
        backward[zero + k] = x
        if (n + m) % 2 == 0, abs(other) <= depth, x + forward[zero + other] >= n {
          return Hunk(old: n - x..<n - start, new: m - y..<m - start + k)
        }
      }
    }
    return nil
  }

  private func isEqual(_ box: Hunk, _ x: Int, _ y: Int, _ isForward: Bool) -> Bool {
    isForward
      ? old[box.old.lowerBound + x] == new[box.new.lowerBound + y]
      : old[box.old.upperBound - 1 - x] == new[box.new.upperBound - 1 - y]
  }

  /// The boxes before and after a stretch that is the same on both sides; nil if one of them would
  /// be as large as `box`.
  private func cut(_ box: Hunk, around snake: Hunk) -> (Hunk, Hunk)? {
    let (a, b) = (box.old.lowerBound, box.new.lowerBound)
    guard snake.old.lowerBound >= 0, snake.new.lowerBound >= 0,
      snake.old.upperBound <= box.old.count, snake.new.upperBound <= box.new.count
    else { return nil }
    let left = Hunk(old: a..<a + snake.old.lowerBound, new: b..<b + snake.new.lowerBound)
    let right = Hunk(
      old: a + snake.old.upperBound..<box.old.upperBound,
      new: b + snake.new.upperBound..<box.new.upperBound)
    return left == box || right == box ? nil : (left, right)
  }
}

extension SequenceDifference {
  /// The boxes between the elements that both sides have exactly once, as many of these as come
  /// in the same order on both sides.
  private mutating func partsBetweenAnchors(of box: Hunk) -> [Hunk] {
    work -= box.old.count + box.new.count
    guard work > 0 else { return [box] }
    // The place of each element; nil if there are several.
    var places: [Element: Int?] = [:]
    for place in box.old {
      places.updateValue(places[old[place]] == nil ? place : nil, forKey: old[place])
    }
    var seen: [Element: Int] = [:]
    for place in box.new { seen[new[place], default: 0] += 1 }
    var anchors: [(old: Int, new: Int)] = []
    for place in box.new where seen[new[place]] == 1 {
      if let found = places[new[place]], let found { anchors.append((found, place)) }
    }

    var parts: [Hunk] = []
    var (a, b) = (box.old.lowerBound, box.new.lowerBound)
    for anchor in longestAscending(anchors) {
      parts.append(Hunk(old: a..<anchor.old, new: b..<anchor.new))
      (a, b) = (anchor.old + 1, anchor.new + 1)
    }
    return parts + [Hunk(old: a..<box.old.upperBound, new: b..<box.new.upperBound)]
  }
}
