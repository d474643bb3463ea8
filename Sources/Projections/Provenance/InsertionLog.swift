import EditModel

/// Which edit inserted which units. Units are numbered in the order of their edits, so both ascend.
struct InsertionLog: Hashable, Sendable {
  /// Consecutive edits that insert the same number of units each, such as typed characters.
  struct Run: Hashable, Sendable {
    var firstUnit: Int
    var firstSequence: SequenceNumber
    var unitsPerEdit: Int
    var editCount: Int

    var units: Range<Int> { firstUnit..<firstUnit + unitsPerEdit * editCount }
    var sequences: ClosedRange<SequenceNumber> {
      firstSequence...firstSequence + SequenceNumber(editCount - 1)
    }

    /// The units that the edits of a range inserted, which lies in `sequences`.
    func units(of range: ClosedRange<SequenceNumber>) -> Range<Int> {
      let first = firstUnit + Int(range.lowerBound - firstSequence) * unitsPerEdit
      return first..<first + (Int(range.upperBound - range.lowerBound) + 1) * unitsPerEdit
    }
  }

  private(set) var runs: [Run] = []

  /// Units that were inserted.
  var unitCount: Int { runs.last?.units.upperBound ?? 0 }

  /// Adds the units that the next edit inserted. O(1).
  mutating func append(_ count: Int, by sequence: SequenceNumber) {
    guard count > 0 else { return }
    if let last = runs.last, last.unitsPerEdit == count, last.sequences.upperBound + 1 == sequence {
      runs[runs.count - 1].editCount += 1
    } else {
      runs.append(
        Run(firstUnit: unitCount, firstSequence: sequence, unitsPerEdit: count, editCount: 1))
    }
  }

  /// Adds a run, which begins where the last one ends.
  mutating func append(_ run: Run) { runs.append(run) }

  /// The runs that inserted some units. O(log runs).
  private func runs(of units: Range<Int>) -> ArraySlice<Run> {
    let first = runs.partitionPoint { $0.units.upperBound <= units.lowerBound }
    return runs[first...].prefix { $0.firstUnit < units.upperBound }
  }

  /// The edit that inserted a unit. O(log runs).
  func sequence(of unit: Int) -> SequenceNumber? {
    runs(of: unit..<unit + 1).first.map {
      $0.firstSequence + SequenceNumber((unit - $0.firstUnit) / $0.unitsPerEdit)
    }
  }

  /// Calls `body` with the units of each edit that inserted some of a range. O(log runs + edits).
  func forEachEdit(of units: Range<Int>, _ body: (Range<Int>, SequenceNumber) -> Void) {
    for run in runs(of: units) {
      let part = run.units.clamped(to: units)
      var next = part.lowerBound
      while next < part.upperBound {
        let number = (next - run.firstUnit) / run.unitsPerEdit
        let end = min(part.upperBound, run.firstUnit + (number + 1) * run.unitsPerEdit)
        body(next..<end, run.firstSequence + SequenceNumber(number))
        next = end
      }
    }
  }

  /// Some of a range's units: those that the edits of a set inserted. O(log runs + ranges).
  func units(of units: Range<Int>, insertedBy set: SequenceSet) -> [Range<Int>] {
    if set.isEmpty { return [] }
    return runs(of: units).flatMap { run in
      set.parts(of: run.sequences).map { run.units(of: $0).clamped(to: units) }
    }
  }

  /// The units that the edits of a range inserted. O(log runs).
  func units(of sequences: ClosedRange<SequenceNumber>) -> Range<Int> {
    let first = runs.partitionPoint { $0.sequences.upperBound < sequences.lowerBound }
    let end = runs.partitionPoint { $0.firstSequence <= sequences.upperBound }
    guard first < end else { return 0..<0 }
    let lower = runs[first].units(of: runs[first].sequences.clamped(to: sequences)).lowerBound
    return
      lower..<runs[end - 1].units(of: runs[end - 1].sequences.clamped(to: sequences)).upperBound
  }
}
