import EditModel

/// The longest common subsequence of `old` and `new`, as pairs of places. Elements that are not
/// unique on both sides may be left out. O(n log n), and O(n) if the order is the same.
func commonSubsequence<Element: Hashable>(
  _ old: [Element], _ new: [Element]
) -> [(old: Int, new: Int)] {
  var middle = Hunk(old: 0..<old.count, new: 0..<new.count)
  middle.trim(old, new)
  let head = (0..<middle.old.lowerBound).map { (old: $0, new: $0) }
  let shift = new.count - old.count
  let tail = (middle.old.upperBound..<old.count).map { (old: $0, new: $0 + shift) }
  guard !middle.old.isEmpty, !middle.new.isEmpty else { return head + tail }

  let places = Dictionary(middle.old.map { (old[$0], $0) }) { first, _ in first }
  let pairs = middle.new.compactMap { place in
    places[new[place]].map { (old: $0, new: place) }
  }
  return head + longestAscending(pairs) + tail
}

/// The longest subsequence whose old places ascend (patience sorting). O(n log n).
func longestAscending(_ pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
  // The last pair of the best subsequence of each length, and each pair's predecessor.
  var ends: [Int] = []
  var before = [Int?](repeating: nil, count: pairs.count)
  for (index, pair) in pairs.enumerated() {
    let length = ends.partitionPoint { pairs[$0].old < pair.old }
    before[index] = length > 0 ? ends[length - 1] : nil
    if length < ends.count { ends[length] = index } else { ends.append(index) }
  }
  var result: [(old: Int, new: Int)] = []
  var next = ends.last
  while let index = next {
    result.append(pairs[index])
    next = before[index]
  }
  return result.reversed()
}
