package import EditModel

extension TextState {
  /// An estimate of the memory of this state that `other` does not share, in bytes. Attribute sets are
  /// left out. O(nodes that are not shared + log n).
  package func size(besides other: TextState?) -> Int {
    let (core, others) = (core, other?.core)
    guard core !== others else { return 0 }
    return Self.ownSize + core.units.size(besides: others?.units)
      + core.paragraphRecords.size(besides: others?.paragraphRecords)
      + core.runRecords.size(besides: others?.runRecords)
      + core.births.size(besides: others?.births)
  }

  /// An estimate of the memory of this state, attribute sets included, in bytes. O(nodes).
  package var size: Int { size(besides: nil) + core.table.size }

  /// An upper bound of `size`: that of a state whose leaves are all unpacked and as empty as they may
  /// be. O(1).
  package var sizeBound: Int {
    Self.sizeBound(units: length, paragraphs: paragraphCount, runs: attributeRunCount)
      + core.table.size
  }

  /// An upper bound of the memory of a state with these numbers of units, paragraphs and attribute
  /// runs, without attribute sets, in bytes.
  package static func sizeBound(units: Int, paragraphs: Int, runs: Int) -> Int {
    ownSize + checkedOutSize + units * 4 + paragraphs * 136 + runs * 72
  }

  /// The objects of a state and of its trees, in bytes.
  private static var ownSize: Int { 1_024 }
  /// The checked-out leaves at their largest, in bytes.
  private static var checkedOutSize: Int { 32 << 10 }
}

extension AttributeSet {
  /// The approximate size of names and values in bytes. O(names and values).
  package var size: Int { reduce(0) { $0 + $1.name.utf8.count + $1.value.size } }
}

extension AttributeValue {
  fileprivate var size: Int {
    switch self {
    case .bool, .integer, .double: 8
    case .string(let string): string.utf8.count
    case .bytes(let bytes): bytes.count
    case .list(let values): values.reduce(8) { $0 + $1.size }
    case .map(let values): 8 + values.size
    }
  }
}
