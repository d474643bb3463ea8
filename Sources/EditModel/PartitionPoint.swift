extension RandomAccessCollection where Index == Int {
  /// The first index whose element does not satisfy `belongs`; `endIndex` if all do. Elements that
  /// satisfy it must come first. O(log n).
  @inlinable
  package func partitionPoint(_ belongs: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if belongs(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
