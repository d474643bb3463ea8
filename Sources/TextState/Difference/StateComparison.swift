import EditModel

/// Two versions side by side. Knows what they share, and compares the rest.
///
/// Nodes that both hold are the same, the sets of attribute runs too: the number of a set means
/// what it meant when the node was made for as long as the node lives, since whoever numbers sets
/// anew makes all run nodes anew (`StateCore.forgetUnusedSets`). Outside of shared nodes a number
/// says nothing about the other version, and sets are compared by value.
final class StateComparison {
  let old: StateCore
  let new: StateCore
  /// Nodes and elements looked at: what the comparison has cost.
  var visits = 0
  /// Where the texts share no nodes.
  private(set) lazy var textStretches = stretches(\.units)
  /// Where the attribute runs share no nodes, in UTF-16 units.
  private(set) lazy var runStretches = stretches(\.runRecords).map { stretch in
    Hunk(
      old: old.runRecords.measures(of: stretch.old), new: new.runRecords.measures(of: stretch.new))
  }
  /// The old number of each new set that was asked for.
  private var oldNumbers: [Int: SetNumber] = [:]

  init(_ old: StateCore, _ new: StateCore) { (self.old, self.new) = (old, new) }

  /// Where the trees share no nodes, as ranges of elements.
  func stretches<Element>(_ tree: KeyPath<StateCore, GapTree<Element>>) -> [Hunk] {
    if old === new { return [] }
    let comparison = TreeComparison(old[keyPath: tree], new[keyPath: tree])
    visits += comparison.visits
    return comparison.stretches
  }

  /// The old number of the set that has this number in the new version; one that no run has where
  /// the old version does not know it.
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
  /// Calls `body` with the stretches of `span` whose units carry other attributes than before, as
  /// ranges of the new text, in order.
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

  /// Calls `body` with the first place of the new text whose unit is not that of the old text,
  /// then with the next one from where `body` says to go on, and so forth to the end of `span`.
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

  /// Units that are read at once.
  private static var blockLength: Int { 1024 }
}

extension GapTree<RunRecord> {
  /// What comes before the start and before the end of `range`. O(log n).
  fileprivate func measures(of range: Range<Int>) -> Range<Int> {
    position(at: range.lowerBound).measure.units..<position(at: range.upperBound).measure.units
  }
}
