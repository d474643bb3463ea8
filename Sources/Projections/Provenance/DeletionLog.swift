import EditModel
import TextState

/// Which edit deleted which units, in the order of the edits.
struct DeletionLog: Hashable, Sendable {
  /// Units that one edit deleted (`step` is 0), or that consecutive edits deleted one by one: to the
  /// right, as by the delete key (1), or to the left, as by backspace (-1).
  struct Run: Hashable, Sendable {
    var firstSequence: SequenceNumber
    /// The first unit that was deleted; if `step` is 0, the one with the least number.
    var firstUnit: Int
    var unitCount: Int
    var step: Int

    var lastSequence: SequenceNumber {
      step == 0 ? firstSequence : firstSequence + SequenceNumber(unitCount - 1)
    }
    var units: Range<Int> {
      step < 0 ? firstUnit - unitCount + 1..<firstUnit + 1 : firstUnit..<firstUnit + unitCount
    }

    /// The units that the edits of a range deleted, which overlaps those of the run.
    func units(of sequences: ClosedRange<SequenceNumber>) -> Range<Int> {
      if step == 0 { return units }
      let lower = Int(max(sequences.lowerBound, firstSequence) - firstSequence)
      let upper = Int(min(sequences.upperBound, lastSequence) - firstSequence)
      return step > 0
        ? firstUnit + lower..<firstUnit + upper + 1 : firstUnit - upper..<firstUnit - lower + 1
    }
  }

  private(set) var runs: [Run] = []

  /// Adds units that an edit deleted, which is the last edit of the log or a later one. O(1).
  mutating func append(_ units: Range<Int>, by sequence: SequenceNumber) {
    if units.count == 1, let last = runs.last, last.lastSequence + 1 == sequence {
      let step =
        units.lowerBound - (last.step < 0 ? last.units.lowerBound : last.units.upperBound - 1)
      if abs(step) == 1, last.unitCount == 1 || last.step == step {
        runs[runs.count - 1].unitCount += 1
        runs[runs.count - 1].step = step
        return
      }
    }
    runs.append(
      Run(
        firstSequence: sequence, firstUnit: units.lowerBound, unitCount: units.count, step: 0))
  }

  /// The deletions by unit. O(n log n).
  var byUnit: UnitDeletions {
    UnitDeletions(
      runs.lazy.map { run in
        (run.units, run.step < 0 ? run.lastSequence : run.firstSequence, run.step)
      })
  }

  /// Adds a run whose edits are the last of the log or later ones.
  mutating func append(_ run: Run) { runs.append(run) }

  /// The units that the edits of a range deleted. O(log runs + runs).
  func units(of sequences: ClosedRange<SequenceNumber>) -> [Range<Int>] {
    let first = runs.partitionPoint { $0.lastSequence < sequences.lowerBound }
    return runs[first...].prefix { $0.firstSequence <= sequences.upperBound }
      .map { $0.units(of: sequences) }
  }
}
