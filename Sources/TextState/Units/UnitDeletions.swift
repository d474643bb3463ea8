package import EditModel

/// The edits that deleted each unit, by the numbers of the units.
///
/// A unit has several deleters if it came back after the first, by an undo. It is a value; a copy
/// shares its nodes. A run of units that were removed together, or one after the other by
/// consecutive edits (backspace and delete keys), is one element.
package struct UnitDeletions: Sendable {
  private var tree = GapTree<DeletionRecord>()

  /// No deletions.
  package init() {}

  /// These deletions, in the order of the edits. Each is units that one edit deleted (`step` is 0), or
  /// that consecutive edits deleted one by one; `sequence` is the edit that deleted the first of them.
  /// O(n log n).
  package init(_ deletions: some Sequence<(units: Range<Int>, sequence: SequenceNumber, step: Int)>)
  {
    let records = deletions.map { DeletionRecord($0.units, sequence: $0.sequence, step: $0.step) }
    var sorted: [DeletionRecord] = []
    for record in records.sorted(by: { $0.first < $1.first }) {
      guard let last = sorted.last else {
        sorted.append(record)
        continue
      }
      // Units that came back and were deleted again are rare.
      if record.first < last.end {
        insertOneByOne(records)
        return
      }
      if let joined = last.joined(with: record) {
        sorted[sorted.count - 1] = joined
      } else {
        sorted.append(record)
      }
    }
    tree.replace(0..<0, with: sorted)
  }

  private mutating func insertOneByOne(_ records: [DeletionRecord]) {
    for record in records {
      if record.step == 0 {
        insert(record.units, by: record.sequence)
      } else {
        for unit in record.units { insert(unit..<unit + 1, by: record.sequence(of: unit)) }
      }
    }
  }

  /// Runs of units.
  package var runCount: Int { tree.count }

  private mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&tree) { tree = tree.copy() }
  }

  /// Notes that the edit `sequence` deleted the units. O(log runs + runs of earlier deletions of the
  /// same units).
  package mutating func insert(_ units: Range<Int>, by sequence: SequenceNumber) {
    guard !units.isEmpty else { return }
    makeUnique()
    let index = tree.partitionPoint { $0.end <= units.lowerBound }.index
    let next = index < tree.count ? tree[index] : nil
    if let next, next.first < units.upperBound {
      return insertTwins(of: units, sequence, at: index)
    }
    let new = DeletionRecord(units, sequence: sequence, step: 0)
    if index > 0, let joined = tree[index - 1].joined(with: new), !isTwin(index - 1) {
      return tree.update(index - 1, joined)
    }
    if let next, let joined = new.joined(with: next), !isTwin(index) {
      return tree.update(index, joined)
    }
    tree.replace(index..<index, with: [new])
  }

  /// True if another record has the units of this one.
  private func isTwin(_ index: Int) -> Bool {
    let first = tree[index].first
    return index > 0 && tree[index - 1].first == first
      || index + 1 < tree.count && tree[index + 1].first == first
  }

  /// Adds a deletion of units that were deleted before. Afterwards records have the same units, or
  /// none in common.
  private func insertTwins(of units: Range<Int>, _ sequence: SequenceNumber, at index: Int) {
    var records: [DeletionRecord] = []
    var end = index
    var next = units.lowerBound
    while end < tree.count, tree[end].first < units.upperBound {
      let first = tree[end].first
      var group: [DeletionRecord] = []
      while end < tree.count, tree[end].first == first {
        group.append(tree[end])
        end += 1
      }
      let old = group[0].units
      if next < old.lowerBound {
        records.append(DeletionRecord(next..<old.lowerBound, sequence: sequence, step: 0))
      }
      let common = old.clamped(to: units)
      for part in [old.lowerBound..<common.lowerBound, common, common.upperBound..<old.upperBound]
      where !part.isEmpty {
        records += group.map { $0.part(part) }
        if part == common {
          records.append(DeletionRecord(common, sequence: sequence, step: 0))
        }
      }
      next = common.upperBound
    }
    if next < units.upperBound {
      records.append(DeletionRecord(next..<units.upperBound, sequence: sequence, step: 0))
    }
    tree.replace(index..<end, with: records)
  }

  /// Calls `body` with each deletion of units in a range. `sequence` is the edit that deleted the
  /// first of the units, and each next one was deleted by the edit `step` later: 0, 1 or -1.
  /// O(log runs + runs in the range).
  package func forEach(
    in units: Range<Int>,
    _ body: (_ units: Range<Int>, _ sequence: SequenceNumber, _ step: Int) -> Void
  ) {
    guard !units.isEmpty else { return }
    var index = tree.partitionPoint { $0.end <= units.lowerBound }.index
    var reader = TreeReader<DeletionRecord>()
    while index < tree.count {
      let record = reader.element(at: index, of: tree)
      guard record.first < units.upperBound else { return }
      let part = record.part(record.units.clamped(to: units))
      body(part.units, part.sequence, part.step)
      index += 1
    }
  }
}

/// Units with consecutive numbers that one edit deleted, or consecutive edits one by one.
struct DeletionRecord: TreeElement, Equatable {
  /// The number of the first unit.
  let first: Int
  /// The edit that deleted it.
  let sequence: SequenceNumber
  private let length: UInt32
  private let shortStep: Int32

  init(_ units: Range<Int>, sequence: SequenceNumber, step: Int) {
    (first, self.sequence) = (units.lowerBound, sequence)
    (length, shortStep) = (UInt32(units.count), Int32(step))
  }

  var units: Range<Int> { first..<end }
  /// The number after that of the last unit.
  var end: Int { first + Int(length) }
  /// Edits from one unit's deletion to that of the next unit.
  var step: Int { Int(shortStep) }

  /// The edit that deleted a unit of this record.
  func sequence(of unit: Int) -> SequenceNumber {
    SequenceNumber(Int64(sequence) + Int64(step) * Int64(unit - first))
  }

  /// Some of its units.
  func part(_ units: Range<Int>) -> DeletionRecord {
    DeletionRecord(units, sequence: sequence(of: units.lowerBound), step: step)
  }

  /// Its units and those of `next`, whose first follows its last; nil if no step fits both.
  func joined(with next: DeletionRecord) -> DeletionRecord? {
    guard end == next.first, Int(length) + Int(next.length) <= Int(Int32.max) else { return nil }
    let step = Int64(next.sequence) - Int64(sequence(of: end - 1))
    guard (-1...1).contains(step), length == 1 || self.step == step,
      next.length == 1 || next.step == step
    else { return nil }
    return DeletionRecord(first..<next.end, sequence: sequence, step: Int(step))
  }

  var measure: NoMeasure { NoMeasure() }
  static var leafCountMax: Int { 128 }
}
