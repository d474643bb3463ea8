import EditModel

extension StateCore {
  /// The place of the run at `offset`; after the last run at the text's end.
  @inline(__always)
  func runPlace(at offset: Int) -> RunPlace {
    let place = runPlace
    guard offset >= place.start, place.index < runRecords.count,
      offset < place.start + runRecords[place.index].length
    else { return RunPlace(runRecords.seek { $0.measure.units <= offset }) }
    return place
  }

  /// The runs of `range`, cut to it.
  func runs(in range: Range<Int>) -> [RunRecord] {
    var result: [RunRecord] = []
    guard !range.isEmpty else { return result }
    var reader = TreeReader<RunRecord>()
    var place = runPlace(at: range.lowerBound)
    var offset = range.lowerBound
    while offset < range.upperBound {
      let record = reader.element(at: place.index, of: runRecords)
      let end = min(place.start + record.length, range.upperBound)
      result.append(RunRecord(length: end - offset, set: record.set))
      place = RunPlace(index: place.index + 1, start: place.start + record.length)
      offset = end
    }
    return result
  }

  /// The set that plain text put in the place of `range` takes on: that of the first replaced
  /// unit, else of the unit before, else of the unit after, else none.
  func inheritedSet(at range: Range<Int>) -> SetNumber {
    guard length > 0 else { return AttributeTable.empty }
    let source = range.isEmpty && range.lowerBound > 0 ? range.lowerBound - 1 : range.lowerBound
    return runRecords[runPlace(at: source).index].set
  }

  /// The runs that an edit of `range` leaves on the units of its edited range: `newCount` new
  /// ones, or where that is nil those that are there.
  func runs(
    leftOn range: Range<Int>, newCount: Int?, _ change: AttributeChange
  ) -> RunsLeft {
    if case .inherit = change {
      return .inherited(RunRecord(length: newCount ?? range.count, set: inheritedSet(at: range)))
    }
    forgetUnusedSets()
    guard newCount ?? range.count > 0 else { return .records([]) }
    let base =
      newCount.map { [RunRecord(length: $0, set: inheritedSet(at: range))] } ?? runs(in: range)
    return .records(runs(base, changedBy: change))
  }

  private func runs(_ base: [RunRecord], changedBy change: AttributeChange) -> [RunRecord] {
    switch change {
    case .inherit: return base
    case .set(let runs):
      return runs.map { RunRecord(length: $0.length, set: table.number(of: $0.attributes)) }
    case .merge(let runs):
      return zip(base, runs) { table.number(of: table[$0].merging($1)) }
    case .remove(let names):
      return base.map {
        RunRecord(length: $0.length, set: table.number(of: table[$0.set].removing(names)))
      }
    }
  }

  /// `body` of every overlap of two lists of runs of the same total length.
  private func zip(
    _ base: [RunRecord], _ runs: [AttributeRun], _ body: (SetNumber, AttributeSet) -> SetNumber
  ) -> [RunRecord] {
    var result: [RunRecord] = []
    var (baseIndex, baseLeft) = (0, base.first?.length ?? 0)
    for run in runs {
      var left = run.length
      while left > 0, baseIndex < base.count {
        let length = min(left, baseLeft)
        result.append(RunRecord(length: length, set: body(base[baseIndex].set, run.attributes)))
        (left, baseLeft) = (left - length, baseLeft - length)
        guard baseLeft == 0 else { continue }
        baseIndex += 1
        baseLeft = baseIndex < base.count ? base[baseIndex].length : 0
      }
    }
    return result
  }

  /// Puts `runs` in the place of the runs of `range`, and joins equal neighbours.
  /// O(runs replaced + new runs).
  func replaceRuns(_ range: Range<Int>, with runs: RunsLeft) {
    if case .inherited(let run) = runs, growRun(at: range, by: run.length - range.count) { return }
    replaceRuns(range, with: runs.records)
  }

  /// Lengthens the run from which new units inherit, if `range` is in it and a part of it stays.
  private func growRun(at range: Range<Int>, by change: Int) -> Bool {
    let source = range.isEmpty && range.lowerBound > 0 ? range.lowerBound - 1 : range.lowerBound
    let place = runPlace(at: source)
    guard place.index < runRecords.count else { return false }
    let length = runRecords[place.index].length
    guard range.upperBound <= place.start + length, length + change > 0 else { return false }
    runRecords.checkOut(leafHolding: place.index)
    runRecords.updateInLeaf(place.index, by: RunMeasure(units: change)) { $0.length += change }
    runPlace = place
    return true
  }

  private func replaceRuns(_ range: Range<Int>, with runs: [RunRecord]) {
    var first = runPlace(at: range.lowerBound)
    var last = runPlace(at: range.upperBound)
    var joined: [RunRecord] = []
    joined.reserveCapacity(runs.count + 2)
    if first.start < range.lowerBound {
      let set = runRecords[first.index].set
      joined.append(RunRecord(length: range.lowerBound - first.start, set: set))
    } else if first.index > 0 {
      let before = runRecords[first.index - 1]
      first = RunPlace(index: first.index - 1, start: first.start - before.length)
      joined.append(before)
    }
    for run in runs { joined.appendJoining(run) }
    if last.index < runRecords.count {
      var rest = runRecords[last.index]
      last.index += 1
      rest.length -= range.upperBound - last.start
      joined.appendJoining(rest)
    }
    runRecords.replace(first.index..<last.index, with: joined)
    runPlace = joined.isEmpty ? RunPlace() : first
  }

  /// Drops sets that no run has, once they are the larger part of the table. The cost is amortised
  /// over the edits that added them. All run nodes are rebuilt, so that states with different
  /// tables share no run node (`StateComparison`).
  private func forgetUnusedSets() {
    guard table.count > 64 + 2 * runRecords.count else { return }
    var fresh = AttributeTable()
    var records = runRecords.elements(in: 0..<runRecords.count)
    for index in records.indices {
      records[index].set = fresh.number(of: table[records[index].set])
    }
    runRecords.replace(0..<runRecords.count, with: records)
    table = fresh
  }
}

/// The runs that an edit leaves on the units of its edited range.
enum RunsLeft {
  /// What they inherit, and nothing else.
  case inherited(RunRecord)
  case records([RunRecord])

  var records: [RunRecord] {
    switch self {
    case .inherited(let run): run.length > 0 ? [run] : []
    case .records(let records): records
    }
  }
}

extension [RunRecord] {
  /// Adds a run, or lengthens the last one if it has the same set.
  mutating func appendJoining(_ run: RunRecord) {
    if let last, last.set == run.set {
      self[count - 1].length += run.length
    } else {
      append(run)
    }
  }
}
