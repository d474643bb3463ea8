/// All UTF-16 units that ever existed in a text, in one total order, dead ones included.
///
/// A unit is known by its number: units are numbered 0, 1, 2, … in the order in which edits insert
/// them. A new unit stands directly after the visible unit before its location, and before the units
/// that follow, dead ones included. A deletion makes units dead; they keep their place.
///
/// It is a value: a copy shares its nodes until one of them changes. A run of units, such as typed
/// text or a removed line, is one element of a tree, so an edit costs O(log runs + runs it removes),
/// and typing O(1).
///
/// The order is that of an insertion after its left neighbour, as in Logoot-Undo (Weiss, Urso and
/// Molli, 2010) and in the trees with tombstones of Yjs and diamond-types.
package struct UnitOrder: Sendable {
  private var core: UnitOrderCore

  /// No units.
  package init() { core = UnitOrderCore(limits: nil) }

  /// No units, in a tree of these limits.
  init(limits: TreeLimits) { core = UnitOrderCore(limits: limits) }

  /// These runs of units, which hold each number below `count` once. O(runs).
  package init(_ runs: [(units: Range<Int>, isVisible: Bool)], count: Int) {
    core = UnitOrderCore(limits: nil)
    core.load(runs, count: count)
  }

  /// Units that ever existed: the number of the next one.
  package var count: Int { core.count }

  /// Units of the text.
  package var visibleCount: Int { core.tree.measure.visible }

  /// Runs of units: what memory and passes over the order are proportional to.
  package var runCount: Int { core.tree.count }

  private mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&core) { core = core.copy() }
  }

  /// Inserts new units before the visible unit at `location`, which must not be after the end of the
  /// text. Returns their numbers. O(1) where the last edit ended, else O(log runs).
  @discardableResult
  package mutating func insert(_ count: Int, at location: Int) -> Range<Int> {
    precondition(location >= 0 && location <= visibleCount && count >= 0)
    makeUnique()
    return core.insert(count, at: location)
  }

  /// Makes the visible units in `range` dead. Calls `body` with the numbers of each run of them, in
  /// order. O(log runs + runs in the range).
  package mutating func remove(_ range: Range<Int>, _ body: (Range<Int>) -> Void = { _ in }) {
    precondition(range.lowerBound >= 0 && range.upperBound <= visibleCount)
    guard !range.isEmpty else { return }
    makeUnique()
    core.remove(range, body)
  }

  /// Calls `body` with the numbers of each run of visible units in `range`, in order.
  /// O(log runs + runs in the range).
  package func forEachVisible(in range: Range<Int>, _ body: (Range<Int>) -> Void) {
    precondition(range.lowerBound >= 0 && range.upperBound <= visibleCount)
    core.forEachVisible(in: range, body)
  }

  /// Calls `body` with each run of the order. O(runs).
  package func forEachRun(_ body: (_ units: Range<Int>, _ isVisible: Bool) -> Void) {
    core.tree.withChunks(in: 0..<core.tree.count) { chunk in
      for record in chunk { body(record.units, record.isVisible) }
    }
  }

  /// The visible units in `range`, with the dead ones among them and directly before and after them:
  /// all that a change of visibility there can concern. O(log runs + runs).
  package func region(around range: Range<Int>) -> [(units: Range<Int>, isVisible: Bool)] {
    precondition(range.lowerBound >= 0 && range.upperBound <= visibleCount)
    return core.runs(ofRegion: core.region(around: range))
  }

  /// Replaces what `region` returned by the same units in the same order, of which others are
  /// visible. O(log runs + runs).
  package mutating func setRegion(
    around range: Range<Int>, _ runs: [(units: Range<Int>, isVisible: Bool)]
  ) {
    makeUnique()
    core.setRegion(around: range, runs)
  }
}

/// The memory of a `UnitOrder`.
final class UnitOrderCore: @unchecked Sendable {
  // Safe to share between threads: it is changed only by the `UnitOrder` that has the one reference
  // to it.

  let tree: GapTree<UnitRecord>
  @exclusivity(unchecked) private(set) var count = 0
  /// The run in which the last edit ended: its index, and the visible units before it.
  @exclusivity(unchecked) private var cursor = nowhere
  private static let nowhere = (index: -1, start: 0)
  /// The runs that take the place of others, while an edit is applied.
  @exclusivity(unchecked) private var pieces: [UnitRecord] = []

  init(limits: TreeLimits?) { tree = GapTree(limits: limits) }

  private init(copying other: UnitOrderCore) {
    tree = other.tree.copy()
    (count, cursor) = (other.count, other.cursor)
  }

  func copy() -> UnitOrderCore { UnitOrderCore(copying: self) }

  func load(_ runs: [(units: Range<Int>, isVisible: Bool)], count: Int) {
    self.count = count
    for (units, isVisible) in runs { add(UnitRecord(units, isVisible: isVisible)) }
    tree.replace(0..<0, with: pieces)
    pieces = []
  }

  func insert(_ count: Int, at location: Int) -> Range<Int> {
    // A record holds no more.
    precondition(count <= UnitRecord.lengthMax)
    let new = self.count..<self.count + count
    guard count > 0 else { return new }
    self.count += count
    if extendRun(at: location, by: count) { return new }
    guard location > 0 else {
      place([UnitRecord(new, isVisible: true)], at: 0..<0, cursorAt: 0, start: 0)
      return new
    }
    let (index, start) = run(holding: location - 1)
    let record = tree[index]
    let offset = location - start
    if offset == record.length {
      if let joined = record.joined(with: UnitRecord(new, isVisible: true)) {
        tree.update(index, joined)
        cursor = (index, start)
      } else {
        place(
          [UnitRecord(new, isVisible: true)], at: index + 1..<index + 1, cursorAt: index + 1,
          start: location)
      }
      return new
    }
    let middle = record.first + offset
    place(
      [
        UnitRecord(record.first..<middle, isVisible: true), UnitRecord(new, isVisible: true),
        UnitRecord(middle..<record.units.upperBound, isVisible: true),
      ], at: index..<index + 1, cursorAt: index + 1, start: location)
    return new
  }

  /// Adds units to the run of the last edit, if it holds the newest units and ends at `location`.
  @inline(__always)
  private func extendRun(at location: Int, by count: Int) -> Bool {
    guard tree.leafHolds(cursor.index) else { return false }
    let record = tree[cursor.index]
    guard record.isVisible, cursor.start &+ record.length == location,
      record.units.upperBound == self.count &- count,
      record.length + count <= UnitRecord.lengthMax
    else { return false }
    tree.updateInLeaf(cursor.index, by: UnitMeasure(visible: count)) { $0.extend(by: count) }
    return true
  }

  private func place(
    _ records: [UnitRecord], at range: Range<Int>, cursorAt index: Int, start: Int
  ) {
    tree.replace(range, with: records)
    cursor = (index, start)
  }

  /// The run that holds a visible unit: its index, and the visible units before it.
  private func run(holding unit: Int) -> (index: Int, start: Int) {
    if tree.leafHolds(cursor.index), unit >= cursor.start,
      unit < cursor.start + tree[cursor.index].visibleLength
    {
      return cursor
    }
    let position = tree.seek { $0.measure.visible <= unit }
    return (position.index, position.measure.visible)
  }

  func remove(_ range: Range<Int>, _ body: (Range<Int>) -> Void) {
    var (index, next) = run(holding: range.lowerBound)
    tree.checkOut(leafHolding: index)
    pieces.removeAll(keepingCapacity: true)
    var lower = index
    if next < range.lowerBound {
      let first = tree[index].first
      pieces.append(UnitRecord(first..<first + (range.lowerBound - next), isVisible: true))
    } else if index > 0 {
      // The run before may be dead, and the removed units may continue it.
      lower -= 1
      pieces.append(tree[lower])
    }
    while next < range.upperBound {
      let record = tree[index]
      if record.isVisible {
        let removed =
          record.first + max(0, range.lowerBound - next)..<record.first
          + min(record.length, range.upperBound - next)
        body(removed)
        add(UnitRecord(removed, isVisible: false))
        next += record.length
        if removed.upperBound < record.units.upperBound {
          add(UnitRecord(removed.upperBound..<record.units.upperBound, isVisible: true))
        }
      } else {
        add(record)
      }
      index += 1
    }
    // The run after may be dead, and continue them.
    if index < tree.count, let joined = pieces[pieces.count - 1].joined(with: tree[index]) {
      pieces[pieces.count - 1] = joined
      index += 1
    }
    tree.replace(lower..<index, with: pieces)
    // The next edit is most often here: it types after the run before the removal, or removes more
    // of it.
    let before = pieces[0].visibleLength
    cursor = before > 0 ? (lower, range.lowerBound - before) : Self.nowhere
  }

  /// Adds a run to the pieces, as a part of the last one if it continues it.
  @inline(__always)
  private func add(_ record: UnitRecord) {
    if let last = pieces.last, let joined = last.joined(with: record) {
      pieces[pieces.count - 1] = joined
    } else {
      pieces.append(record)
    }
  }

  func forEachVisible(in range: Range<Int>, _ body: (Range<Int>) -> Void) {
    guard !range.isEmpty else { return }
    let (index, start) = run(holding: range.lowerBound)
    var next = start
    var at = index
    while next < range.upperBound {
      let record = tree[at]
      if record.isVisible {
        let from = record.first + max(0, range.lowerBound - next)
        body(from..<record.first + min(record.length, range.upperBound - next))
        next += record.length
      }
      at += 1
    }
  }

  /// A region of the order: the indices of its runs, and the visible units of the first and of the
  /// last of them that are not in it.
  typealias Region = (indices: Range<Int>, before: Int, after: Int)

  /// The runs between the visible units before and after `range`.
  func region(around range: Range<Int>) -> Region {
    var region = (indices: 0..<tree.count, before: 0, after: 0)
    var lower = 0
    if range.lowerBound > 0 {
      let (index, start) = run(holding: range.lowerBound - 1)
      let isCut = start + tree[index].length > range.lowerBound
      (lower, region.before) = isCut ? (index, range.lowerBound - start) : (index + 1, 0)
    }
    if range.upperBound < tree.measure.visible {
      let (index, start) = run(holding: range.upperBound)
      let isCut = start < range.upperBound
      region.after = isCut ? start + tree[index].length - range.upperBound : 0
      region.indices = lower..<(isCut ? index + 1 : index)
    } else {
      region.indices = lower..<tree.count
    }
    return region
  }

  /// The units of a region.
  func runs(ofRegion region: Region) -> [(units: Range<Int>, isVisible: Bool)] {
    var runs = tree.elements(in: region.indices).map { ($0.units, $0.isVisible) }
    if region.before > 0 {
      runs[0].0 = runs[0].0.lowerBound + region.before..<runs[0].0.upperBound
    }
    if region.after > 0 {
      let last = runs[runs.count - 1].0
      runs[runs.count - 1].0 = last.lowerBound..<last.upperBound - region.after
    }
    return runs.filter { !$0.0.isEmpty }
  }

  func setRegion(around range: Range<Int>, _ runs: [(units: Range<Int>, isVisible: Bool)]) {
    let region = region(around: range)
    pieces.removeAll(keepingCapacity: true)
    if region.before > 0 {
      let first = tree[region.indices.lowerBound].first
      add(UnitRecord(first..<first + region.before, isVisible: true))
    }
    for (units, isVisible) in runs { add(UnitRecord(units, isVisible: isVisible)) }
    if region.after > 0 {
      let end = tree[region.indices.upperBound - 1].units.upperBound
      add(UnitRecord(end - region.after..<end, isVisible: true))
    }
    tree.replace(region.indices, with: pieces)
    cursor = Self.nowhere
  }
}
