import EditModel
@testable import Projections
@testable import TextState

/// The slow picture of `Provenance`: an array of every unit ever inserted, with its inserter and its
/// deleters.
struct UnitOracle {
  struct Unit {
    let number: Int
    let value: UInt16
    let inserter: SequenceNumber
    var deleters: Set<SequenceNumber> = []
    /// The edit that took it away last.
    var removal: SequenceNumber = 0
  }

  /// All units in order.
  var units: [Unit] = []
  var undone: Set<SequenceNumber> = []

  func isVisible(_ unit: Unit) -> Bool {
    !undone.contains(unit.inserter) && unit.deleters.isSubset(of: undone)
  }

  /// The indices of the visible units.
  var visible: [Int] { units.indices.filter { isVisible(units[$0]) } }
  var text: [UInt16] { visible.map { units[$0].value } }
  /// The writer of each visible unit.
  var writers: [SequenceNumber] { visible.map { units[$0].inserter } }

  mutating func apply(_ action: EditAction, _ sequence: SequenceNumber) {
    guard let text = action.replacement else { return }
    let visible = visible
    for index in visible[action.range.bounds] {
      units[index].deleters.insert(sequence)
      units[index].removal = sequence
    }
    let place = action.range.location == 0 ? 0 : visible[action.range.location - 1] + 1
    let first = units.count
    units.insert(
      contentsOf: text.units.enumerated().map {
        Unit(number: first + $0, value: $1, inserter: sequence)
      }, at: place)
  }

  /// Changes what is undone, as edits from `first` on do. `edit` is the index of the last of them that
  /// changes the text around an offset of the text before.
  mutating func apply(
    _ change: UndoneChange, first: SequenceNumber, edit: (_ offset: Int) -> Int = { _ in 0 }
  ) {
    let before = visible
    defer {
      for (offset, index) in before.enumerated() where !isVisible(units[index]) {
        units[index].removal = first + SequenceNumber(edit(offset))
      }
    }
    for range in change.redone.ranges { undone.subtract(range) }
    for range in change.undone.ranges { undone.formUnion(range) }
  }
}

extension Provenance {
  /// The text, from the units.
  var shownText: [UInt16] {
    var units: [UInt16] = []
    order.forEachRun { if $1 { units += text[$0] } }
    return units
  }

  /// Every unit in order: its number, and whether it is visible.
  var shownOrder: [(number: Int, isVisible: Bool)] {
    var units: [(number: Int, isVisible: Bool)] = []
    order.forEachRun { range, isVisible in units += range.map { ($0, isVisible) } }
    return units
  }

  /// The replacements of a plan, with their text.
  func replacements(_ plan: [UnitReplacement]) -> [TextReplacement] {
    plan.map { item in
      let text = item.inserted.flatMap { self.text[$0] }
      return TextReplacement(
        range: item.range, text: text[...], edits: [Int32](repeating: 0, count: text.count)[...],
        lastEdit: 0)
    }
  }
}
