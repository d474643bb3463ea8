/// Maps code point offsets of a text that is edited to UTF-16 offsets.
///
/// A code point takes one unit, or two if it is above U+FFFF. Only the offsets of these wide code
/// points are stored, in chunks with at most `wideMax` of them each. A text without wide code
/// points is one chunk without offsets, and each operation is O(1). Otherwise it is O(chunks +
/// wideMax).
///
/// Invariants: there is a chunk; offsets ascend and lie below their chunk's count.
package struct CodePointMap {
  fileprivate struct Chunk {
    /// Code points in the chunk.
    var count = 0
    /// Offsets of those that take two units.
    var wide: [Int] = []
  }

  private var chunks = [Chunk()]
  private let wideMax: Int
  /// Code points in the text.
  package private(set) var count = 0
  /// UTF-16 units in the text.
  private(set) var utf16Count = 0

  /// The map of the empty text.
  package init(wideMax: Int = 256) {
    precondition(wideMax >= 2)
    self.wideMax = wideMax
  }

  /// UTF-16 units before a code point. `codePoint` may be `count`, not more.
  package func utf16Offset(of codePoint: Int) -> Int {
    precondition((0...count).contains(codePoint))
    var (rest, wide) = (codePoint, 0)
    for chunk in chunks {
      guard rest > chunk.count else { return codePoint + wide + chunk.wide.firstIndex(from: rest) }
      rest -= chunk.count
      wide += chunk.wide.count
    }
    return codePoint + wide
  }

  /// Code points before a UTF-16 unit, at most `utf16Count`; nil if it is the second unit of one. O(chunks +
  /// log `wideMax`).
  package func codePoint(at utf16Offset: Int) -> Int? {
    precondition((0...utf16Count).contains(utf16Offset))
    var (rest, before) = (utf16Offset, 0)
    for chunk in chunks {
      let length = chunk.count + chunk.wide.count
      guard rest > length else {
        // Wide code points that begin before the unit: the one of index i begins at unit `wide[i] + i`.
        var (low, high) = (0, chunk.wide.count)
        while low < high {
          let middle = (low + high) / 2
          if chunk.wide[middle] + middle < rest { low = middle + 1 } else { high = middle }
        }
        let isSplit = low > 0 && chunk.wide[low - 1] + low - 1 == rest - 1
        return isSplit ? nil : before + rest - low
      }
      rest -= length
      before += chunk.count
    }
    return before
  }

  /// Replaces code points by text. A surrogate without its other half counts as a code point.
  package mutating func replace(_ range: Range<Int>, with units: [UInt16]) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    if !range.isEmpty { remove(range) }
    if !units.isEmpty { insert(units, at: range.lowerBound) }
  }

  private mutating func remove(_ range: Range<Int>) {
    var (index, start) = (0, 0)
    var kept: [Chunk] = []
    let touched = chunksTouching(range, firstStart: &start)
    for chunk in chunks[touched] {
      let end = start + chunk.count
      let cut = range.clamped(to: start..<end)
      let rest = chunk.removing(cut.lowerBound - start..<cut.upperBound - start)
      utf16Count -= cut.count + chunk.wide.count - rest.wide.count
      if rest.count > 0 { kept.append(rest) }
      start = end
      index += 1
    }
    count -= range.count
    chunks.replaceSubrange(touched, with: kept)
    if chunks.isEmpty { chunks = [Chunk()] }
    joinAround(touched.lowerBound)
  }

  private func chunksTouching(_ range: Range<Int>, firstStart: inout Int) -> Range<Int> {
    var (first, start) = (0, 0)
    while start + chunks[first].count <= range.lowerBound {
      start += chunks[first].count
      first += 1
    }
    firstStart = start
    var (last, end) = (first, start)
    while end < range.upperBound {
      end += chunks[last].count
      last += 1
    }
    return first..<last
  }

  /// Joins small neighbours, so that removals do not leave many small chunks.
  private mutating func joinAround(_ index: Int) {
    for left in [index, index - 1] where left >= 0 && left + 1 < chunks.count {
      guard chunks[left].wide.count + chunks[left + 1].wide.count <= wideMax / 2 else { continue }
      let right = chunks.remove(at: left + 1)
      chunks[left].wide += right.wide.map { $0 + chunks[left].count }
      chunks[left].count += right.count
    }
  }

  private mutating func insert(_ units: [UInt16], at codePoint: Int) {
    var (index, start) = (0, 0)
    while start + chunks[index].count < codePoint {
      start += chunks[index].count
      index += 1
    }
    let (added, wide) = Self.measure(units)
    chunks[index].insert(added, wide: wide, at: codePoint - start)
    count += added
    utf16Count += units.count
    if chunks[index].wide.count > wideMax { split(index) }
  }

  private mutating func split(_ index: Int) {
    var rest = chunks[index]
    var pieces: [Chunk] = []
    while rest.wide.count > wideMax {
      // Cut after the last wide code point that the piece may hold.
      let cut = rest.wide[wideMax / 2 - 1] + 1
      pieces.append(Chunk(count: cut, wide: Array(rest.wide.prefix(wideMax / 2))))
      rest = Chunk(count: rest.count - cut, wide: rest.wide.dropFirst(wideMax / 2).map { $0 - cut })
    }
    chunks.replaceSubrange(index...index, with: pieces + [rest])
  }

  /// The number of code points in `units`, and the offsets of the wide ones.
  private static func measure(_ units: [UInt16]) -> (count: Int, wide: [Int]) {
    var (count, index) = (0, 0)
    var wide: [Int] = []
    while index < units.count {
      if UTF16.isLeadSurrogate(units[index]), index + 1 < units.count,
        UTF16.isTrailSurrogate(units[index + 1])
      {
        wide.append(count)
        index += 1
      }
      (count, index) = (count + 1, index + 1)
    }
    return (count, wide)
  }
}

extension CodePointMap.Chunk {
  fileprivate func removing(_ range: Range<Int>) -> Self {
    let (low, high) = (
      wide.firstIndex(from: range.lowerBound), wide.firstIndex(from: range.upperBound)
    )
    return Self(
      count: count - range.count,
      wide: wide[..<low] + wide[high...].map { $0 - range.count })
  }

  fileprivate mutating func insert(_ added: Int, wide newWide: [Int], at offset: Int) {
    let index = wide.firstIndex(from: offset)
    for later in index..<wide.count { wide[later] += added }
    wide.insert(contentsOf: newWide.lazy.map { $0 + offset }, at: index)
    count += added
  }
}

extension [Int] {
  /// In an ascending array: the index of the first element not below `value`. O(log n).
  fileprivate func firstIndex(from value: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
