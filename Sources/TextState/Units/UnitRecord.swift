/// Units that stand next to each other in the order of all units, were inserted one after the other,
/// and are all visible or all dead.
struct UnitRecord: TreeElement, Equatable {
  /// The number of the first unit.
  private(set) var first: Int
  /// The length, shifted left by one, and the flag. A length is at most `Int32.max`.
  private var lengthAndFlag: UInt32

  init(_ units: Range<Int>, isVisible: Bool) {
    first = units.lowerBound
    lengthAndFlag = UInt32(units.count) << 1 | (isVisible ? 1 : 0)
  }

  /// The number of units: at least 1.
  var length: Int { Int(lengthAndFlag >> 1) }

  /// True if the units are part of the text.
  var isVisible: Bool { lengthAndFlag & 1 == 1 }

  /// The numbers of the units.
  var units: Range<Int> { Range(uncheckedBounds: (first, first &+ length)) }

  /// Units that it adds to the text.
  var visibleLength: Int { isVisible ? length : 0 }

  var measure: UnitMeasure { UnitMeasure(visible: visibleLength) }

  static var leafCountMax: Int { 128 }

  /// The same units with those of `next`, which follow it in the order; nil if they do not continue
  /// its numbers or are not of its kind.
  func joined(with next: UnitRecord) -> UnitRecord? {
    guard next.first == units.upperBound, next.isVisible == isVisible,
      length + next.length <= Self.lengthMax
    else { return nil }
    return UnitRecord(first..<next.units.upperBound, isVisible: isVisible)
  }

  /// Makes room for one more unit or more at the end.
  mutating func extend(by count: Int) { lengthAndFlag += UInt32(count) << 1 }

  /// The maximum of `length`.
  static var lengthMax: Int { Int(Int32.max) }
}

/// What units add up to.
struct UnitMeasure: TreeMeasure, Equatable {
  /// Visible units.
  var visible = 0

  static var zero: Self { Self() }
  static func + (left: Self, right: Self) -> Self { Self(visible: left.visible + right.visible) }
  static func - (left: Self, right: Self) -> Self { Self(visible: left.visible - right.visible) }
}
