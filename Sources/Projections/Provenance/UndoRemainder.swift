public import EditModel
import TextState

/// What the undo of a selection leaves as it is, on the ground of what it takes back.
public enum UndoRemainder: Hashable, Sendable {
  /// Text that other edits inserted inside text that vanishes. It stays.
  ///
  /// `range` is its range, in UTF-16 units of the text before the undo; `inside` is the text around it
  /// that vanishes.
  case stays(range: UTF16Range, text: UTF16Text, inside: UTF16Text)
  /// Text that the selection deleted, and that does not come back, because another edit deleted it too
  /// or took back its insertion.
  ///
  /// `location` is its place, in UTF-16 units of the text before the undo; `deletedBy` is the other
  /// edit, if it is a deletion.
  case staysDeleted(location: Int, text: UTF16Text, deletedBy: SequenceNumber?)
  /// Text that the selection inserted and another edit, `movedBy`, cut and pasted (`TextMoveRule`). It
  /// stays where it was pasted.
  ///
  /// `range` is its range, in UTF-16 units of the text before the undo.
  case staysMoved(range: UTF16Range, text: UTF16Text, movedBy: SequenceNumber)

  /// Its place, in UTF-16 units of the text before the undo.
  var location: Int {
    switch self {
    case .stays(let range, _, _), .staysMoved(let range, _, _): range.location
    case .staysDeleted(let location, _, _): location
    }
  }
}

extension Provenance {
  /// What a change leaves on its ground, in the order of the text; `countMax` at most, with texts of at
  /// most `lengthMax` UTF-16 units. O(runs · log runs).
  public func remainders(
    of change: UndoneChange, countMax: Int = 1_000, lengthMax: Int = 4_096
  ) -> [UndoRemainder] {
    let (hidden, _) = effect(of: change)
    let deleted = NumberRanges(change.undone.ranges.flatMap { deletions.units(of: $0) })
    let (target, deleters) = (change.applied(to: undone), deleters)
    var found: [UndoRemainder] = []
    var location = 0
    var ground = VanishingGround()
    func add(_ remainder: UndoRemainder) { if found.count < countMax { found.append(remainder) } }
    /// The start of the text of some units.
    func cut(_ units: [Range<Int>]) -> UTF16Text {
      var cut: [UInt16] = []
      for units in units where cut.count <= lengthMax { cut += text[units.prefix(lengthMax + 1)] }
      return UTF16Text(units: cut).prefix(lengthMax)
    }
    var moved: [(range: Range<Int>, units: [Range<Int>], edit: SequenceNumber)] = []
    /// Notes units that stay and were copied from units that the selection inserted.
    func noteMoved(_ units: Range<Int>, at location: Int) {
      moves.forEachOrigin(of: units) { copies, first in
        guard first != copies.lowerBound else { return }
        let origins = first..<first + copies.count
        for origin in insertions.units(of: origins, insertedBy: change.undone) {
          let lower = copies.lowerBound + origin.lowerBound - first
          insertions.forEachEdit(of: lower..<lower + origin.count) { copies, edit in
            let start = location + copies.lowerBound - units.lowerBound
            if let last = moved.last, last.edit == edit, last.range.upperBound == start {
              moved[moved.count - 1].range = last.range.lowerBound..<start + copies.count
              moved[moved.count - 1].units.append(copies)
            } else {
              moved.append((start..<start + copies.count, [copies], edit))
            }
          }
        }
      }
    }
    order.forEachRun { units, isVisible in
      guard isVisible else {
        for (part, isDeleted) in deleted.parts(of: units) where isDeleted {
          let shown = visible(in: part, undone: target, deleters)
          for (rest, comesBack) in shown.parts(of: part) where !comesBack {
            // Units whose insertion the selection takes back are not missed.
            let (lost, kept) = (insertions.units(of: rest, insertedBy: target), rest)
            for (dead, isTaken) in NumberRanges(lost).parts(of: kept) where !isTaken {
              add(
                .staysDeleted(
                  location: location, text: cut([dead]),
                  deletedBy: Self.deleter(of: dead.lowerBound, notIn: target, deleters)))
            }
          }
        }
        return
      }
      for (part, vanishes) in hidden.parts(of: units) {
        if vanishes {
          let (kept, around) = ground.vanish(part, insertions)
          for standing in kept {
            add(
              .stays(
                range: standing.range, text: cut(standing.units), inside: cut(around)))
          }
        } else {
          ground.keep(part, at: location)
          noteMoved(part, at: location)
        }
        location += part.count
      }
    }
    for (range, units, edit) in moved {
      add(.staysMoved(range: UTF16Range(range), text: cut(units), movedBy: edit))
    }
    return found.sorted { $0.location < $1.location }
  }

  /// The first edit that deleted a unit and is not in a set.
  private static func deleter(
    of unit: Int, notIn set: SequenceSet, _ deleters: UnitDeletions
  ) -> SequenceNumber? {
    var first: SequenceNumber?
    deleters.forEach(in: unit..<unit + 1) { _, sequence, _ in
      if !set.contains(sequence) { first = min(first ?? sequence, sequence) }
    }
    return first
  }

  /// The edits all of whose units that are in the order, inserted or deleted, lie in a range of the text
  /// or between its units. O(runs · log runs).
  public func edits(inside range: UTF16Range) -> SequenceSet {
    // Units outside are numbered like those inside: what an edit touched outside excludes it.
    var (inside, outside): ([Range<Int>], [Range<Int>]) = ([], [])
    var location = 0
    order.forEachRun { units, isVisible in
      guard isVisible else {
        // Dead units at an end count as inside.
        let isInside = location >= range.location && location <= range.upperBound
        return isInside ? inside.append(units) : outside.append(units)
      }
      let start = min(units.count, max(0, range.location - location))
      let end = min(units.count, max(start, range.upperBound - location))
      let cut = (units.lowerBound + start, units.lowerBound + end)
      if start > 0 { outside.append(units.lowerBound..<cut.0) }
      if start < end { inside.append(cut.0..<cut.1) }
      if cut.1 < units.upperBound { outside.append(max(cut.1, cut.0)..<units.upperBound) }
      location += units.count
    }
    return edits(touching: inside).subtracting(edits(touching: outside))
  }

  private func edits(touching units: [Range<Int>]) -> SequenceSet {
    var ranges: [ClosedRange<SequenceNumber>] = []
    let deleters = deleters
    for units in NumberRanges(units).ranges {
      insertions.forEachEdit(of: units) { ranges.append($1...$1) }
      deleters.forEach(in: units) { units, sequence, step in
        let last = SequenceNumber(Int64(sequence) + Int64(step) * Int64(units.count - 1))
        ranges.append(min(sequence, last)...max(sequence, last))
      }
    }
    return SequenceSet(ranges)
  }
}
