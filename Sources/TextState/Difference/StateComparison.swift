import EditModel

/// Compares two versions. Shared nodes are skipped, and the rest is compared.
///
/// Nodes that both versions have are equal. This includes the sets of attribute runs: the number of
/// a set is valid as long as its node exists, because renumbering sets makes new run nodes
/// (`StateCore.forgetUnusedSets`). Outside of shared nodes, numbers of the two versions are
/// unrelated, and sets are compared by value.
final class StateComparison {
  let old: StateCore
  let new: StateCore
  /// The number of nodes and elements read: the cost of the comparison.
  var visits = 0
  /// The stretches in which the texts share no nodes.
  private(set) lazy var textStretches = stretches(\.units)
  /// The stretches in which the attribute runs share no nodes, in UTF-16 units.
  private(set) lazy var runStretches = stretches(\.runRecords).map { stretch in
    Hunk(
      old: old.runRecords.measures(of: stretch.old), new: new.runRecords.measures(of: stretch.new))
  }
  /// The old number of each new set that was asked for.
  private var oldNumbers: [Int: SetNumber] = [:]

  init(_ old: StateCore, _ new: StateCore) { (self.old, self.new) = (old, new) }

  /// The stretches in which the trees share no nodes, as ranges of elements.
  func stretches<Element>(_ tree: KeyPath<StateCore, GapTree<Element>>) -> [Hunk] {
    if old === new { return [] }
    let comparison = TreeComparison(old[keyPath: tree], new[keyPath: tree])
    visits += comparison.visits
    return comparison.stretches
  }

  /// The old number of the set that has this number in the new version. If the old version does not
  /// have the set, a number that no run has.
  private func oldNumber(_ number: SetNumber) -> SetNumber {
    if let known = oldNumbers[number.index] { return known }
    let found =
      old.table.knownNumber(of: new.table[number])
      ?? SetNumber(Int(UInt32.max), names: number.names)
    oldNumbers[number.index] = found
    return found
  }
}

extension StateComparison {
  /// Calls `body` with the ranges of `span` whose attributes differ, as ranges of the new text, in
  /// order.
  func forEachRunChange(in span: AlignedSpan, _ body: (Range<Int>) -> Void) {
    for part in span.inDoubt(runStretches) {
      let before = old.runs(in: part.old)
      let after = new.runs(in: part.new).map {
        RunRecord(length: $0.length, set: oldNumber($0.set))
      }
      visits += before.count + after.count
      forEachChange(before, after) {
        body(part.new.lowerBound + $0.lowerBound..<part.new.lowerBound + $0.upperBound)
      }
    }
  }

  /// Calls `body` with the offset of the first unit of the new text that differs from the old one.
  /// Continues at the offset that `body` returns, up to the end of `span`.
  func forEachUnitChange(in span: AlignedSpan, _ body: (Int) -> Int) {
    var next = span.new.lowerBound
    for part in span.inDoubt(textStretches) {
      next = max(next, part.new.lowerBound)
      while next < part.new.upperBound {
        let block = next..<min(next + Self.blockLength, part.new.upperBound)
        let before = old.units.elements(
          in: block.lowerBound - span.shift..<block.upperBound - span.shift)
        let after = new.units.elements(in: block)
        visits += before.count + after.count
        while next < block.upperBound {
          let index = next - block.lowerBound
          next = before[index] == after[index] ? next + 1 : max(next + 1, body(next))
        }
      }
    }
  }

  /// The number of units that are read at once.
  private static var blockLength: Int { 1024 }
}

extension GapTree<RunRecord> {
  /// What comes before the start and before the end of `range`. O(log n).
  fileprivate func measures(of range: Range<Int>) -> Range<Int> {
    position(at: range.lowerBound).measure.units..<position(at: range.upperBound).measure.units
  }
}
