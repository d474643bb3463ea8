/// The smallest span outside which two lists of runs of the same total length agree; nil if
/// they agree everywhere. Counts from the runs' start.
func changedSpan(_ old: [RunRecord], _ new: [RunRecord]) -> Range<Int>? {
  var span: Range<Int>?
  forEachChange(old, new) { change in
    span = (span?.lowerBound ?? change.lowerBound)..<change.upperBound
  }
  return span
}

/// Calls `body` with every overlap of runs that carry different sets, in order.
func forEachChange(_ old: [RunRecord], _ new: [RunRecord], _ body: (Range<Int>) -> Void) {
  var (offset, index) = (0, 0)
  var left = old.first?.length ?? 0
  for run in new {
    var rest = run.length
    while rest > 0, index < old.count {
      let length = min(rest, left)
      if old[index].set != run.set { body(offset..<offset + length) }
      (offset, rest, left) = (offset + length, rest - length, left - length)
      guard left == 0 else { continue }
      index += 1
      left = index < old.count ? old[index].length : 0
    }
  }
}

extension [RunRecord] {
  /// The runs of `range`, which counts from the start of the first run.
  func cut(to range: Range<Int>) -> [RunRecord] {
    var (result, start): ([RunRecord], Int) = ([], 0)
    for run in self {
      let bounds = (start..<start + run.length).clamped(to: range)
      if !bounds.isEmpty { result.append(RunRecord(length: bounds.count, set: run.set)) }
      start += run.length
      if start >= range.upperBound { break }
    }
    return result
  }
}
