public import EditModel
import TextState

/// What became of the units that a writer's edits inserted. Each unit counts once besides for
/// `insertedCount`: as living, taken back, or deleted by the writer or by others.
///
/// Text that is pasted after it was cut (`TextMoveRule`) is not inserted again: it lives as long as any of
/// its places does.
public struct WriterOutcome: Hashable, Sendable {
  /// UTF-16 units that were inserted.
  public var insertedCount = 0
  /// Those that are in the text.
  public var livingCount = 0
  /// Those that are gone because the edit that inserted them is undone, or an edit of origin `undo`
  /// deleted them.
  public var takenBackCount = 0
  /// Those that the writer deleted.
  public var deletedBySelfCount = 0
  /// Those that others deleted.
  public var deletedByOthersCount = 0
  /// Those of `deletedByOthersCount` that were deleted by an edit which inserted other text.
  public var replacedCount = 0

  /// Nothing.
  public init() {}
}

extension Provenance {
  /// What became of the units that each of some writers inserted. If several edits deleted a unit, the
  /// first that is not undone counts. O(runs · log runs), and O(units that were deleted).
  ///
  /// - Parameters:
  ///   - writers: The edits of each writer.
  ///   - undos: The edits of origin `undo`.
  public func outcomes(of writers: [SequenceSet], undos: SequenceSet) -> [WriterOutcome] {
    let (living, pasted, deleters) = (
      livingOrigins, NumberRanges(moves.moves.map(\.units)), deleters
    )
    return writers.map { writer in
      var outcome = WriterOutcome()
      let inserted = NumberRanges(writer.ranges.map { insertions.units(of: $0) })
      for units in inserted.subtracting(pasted).ranges {
        outcome.insertedCount += units.count
        for (part, isLiving) in living.parts(of: units) {
          if isLiving {
            outcome.livingCount += part.count
          } else {
            addDead(part, writer, undos, deleters, to: &outcome)
          }
        }
      }
      return outcome
    }
  }

  /// Where the units of the text come from, through all moves.
  private var livingOrigins: NumberRanges {
    var origins: [Range<Int>] = []
    order.forEachRun { units, isVisible in
      guard isVisible else { return }
      moves.forEachOrigin(of: units) { part, first in origins.append(first..<first + part.count) }
    }
    return NumberRanges(origins)
  }

  /// Adds units that are not in the text.
  private func addDead(
    _ units: Range<Int>, _ writer: SequenceSet, _ undos: SequenceSet, _ deleters: UnitDeletions,
    to outcome: inout WriterOutcome
  ) {
    let undone = NumberRanges(insertions.units(of: units, insertedBy: self.undone))
    for (part, isUndone) in undone.parts(of: units) {
      guard !isUndone else {
        outcome.takenBackCount += part.count
        continue
      }
      forEachDeletion(of: part, deleters) { count, deleter in
        if undos.contains(deleter) {
          outcome.takenBackCount += count
        } else if writer.contains(deleter) {
          outcome.deletedBySelfCount += count
        } else {
          outcome.deletedByOthersCount += count
          if !insertions.units(of: deleter...deleter).isEmpty { outcome.replacedCount += count }
        }
      }
    }
  }

  /// Calls `body` with the numbers of neighbouring units that one edit deleted first, of the edits that
  /// are not undone.
  private func forEachDeletion(
    of units: Range<Int>, _ deleters: UnitDeletions, _ body: (Int, SequenceNumber) -> Void
  ) {
    var first = [SequenceNumber](repeating: .max, count: units.count)
    deleters.forEach(in: units) { part, sequence, step in
      if step == 0, undone.contains(sequence) { return }
      for unit in part {
        let deleter = SequenceNumber(Int64(sequence) + Int64(step) * Int64(unit - part.lowerBound))
        let index = unit - units.lowerBound
        if deleter < first[index], step == 0 || !undone.contains(deleter) { first[index] = deleter }
      }
    }
    var next = 0
    while next < first.count {
      let end = first[next...].firstIndex { $0 != first[next] } ?? first.count
      body(end - next, first[next])
      next = end
    }
  }
}
