import EditModel

/// The record of one paragraph in the state, in 24 bytes, or fewer if it is packed
/// (`ConsecutiveRecords`). Where it starts follows from the lengths before it.
struct ParagraphRecord: TreeElement, Equatable {
  private let sequence: SequenceNumber
  /// Greater than those of all paragraphs before it (`PlaceLabels`).
  var label: PlaceLabel
  private let ordinal: UInt32
  /// The length, shifted left by one, and the flag. A length is at most `Int32.max`.
  private(set) var lengthAndFlag: UInt32

  init(id: ParagraphID, length: Int, endsInLF: Bool, label: PlaceLabel = 0) {
    self.init(id: id, lengthAndFlag: UInt32(length) << 1 | (endsInLF ? 1 : 0), label: label)
  }

  init(id: ParagraphID, lengthAndFlag: UInt32, label: PlaceLabel) {
    (sequence, ordinal, self.label) = (id.sequence, id.ordinal, label)
    self.lengthAndFlag = lengthAndFlag
  }

  var id: ParagraphID { ParagraphID(sequence: sequence, ordinal: ordinal) }

  /// UTF-16 units, terminator included.
  var length: Int {
    get { Int(lengthAndFlag >> 1) }
    set { lengthAndFlag = UInt32(newValue) << 1 | lengthAndFlag & 1 }
  }

  /// True if the terminator is LF or CR LF: where a line ends, as LSP counts lines.
  var endsInLF: Bool { lengthAndFlag & 1 == 1 }

  var measure: ParagraphMeasure {
    ParagraphMeasure(units: length, lineFeeds: Int(lengthAndFlag & 1))
  }

  static var leafCountMax: Int { 128 }
}

/// What paragraphs add up to.
struct ParagraphMeasure: TreeMeasure, Equatable {
  /// UTF-16 units.
  var units = 0
  /// Paragraphs that end in LF.
  var lineFeeds = 0

  static var zero: Self { Self() }
  static func + (left: Self, right: Self) -> Self {
    Self(units: left.units + right.units, lineFeeds: left.lineFeeds + right.lineFeeds)
  }
  static func - (left: Self, right: Self) -> Self {
    Self(units: left.units - right.units, lineFeeds: left.lineFeeds - right.lineFeeds)
  }
}

/// The record of one attribute run in the state.
struct RunRecord: TreeElement, Equatable {
  /// The number of its attribute set in the state's table.
  var set: SetNumber
  private var units: UInt32

  init(length: Int, set: SetNumber) { (self.set, units) = (set, UInt32(length)) }

  /// UTF-16 units.
  var length: Int {
    get { Int(units) }
    set { units = UInt32(newValue) }
  }

  var measure: RunMeasure { RunMeasure(units: length, names: set.names) }

  static var leafCountMax: Int { 128 }
}

/// What attribute runs add up to.
struct RunMeasure: TreeMeasure {
  /// UTF-16 units.
  var units = 0
  /// The names that some of the runs carry, and perhaps some that runs carried which are gone: a
  /// search that skips by it misses nothing.
  var names = NameMask()

  static var zero: Self { Self() }
  static func + (left: Self, right: Self) -> Self {
    Self(units: left.units + right.units, names: left.names.union(right.names))
  }
  static func - (left: Self, right: Self) -> Self {
    Self(units: left.units - right.units, names: left.names)
  }

  static var isUpperBound: Bool { true }
  func agrees(with exact: Self) -> Bool {
    units == exact.units && names.isSuperset(of: exact.names)
  }
}

/// A paragraph's place: the totals of everything before it.
struct ParagraphPlace: Sendable {
  /// Paragraphs before it.
  var index = 0
  /// UTF-16 units before it.
  var start = 0
  /// LFs before it.
  var line = 0

  /// The first paragraph's.
  init() {}

  init(_ position: TreePosition<ParagraphRecord>) {
    index = position.index
    (start, line) = (position.measure.units, position.measure.lineFeeds)
  }
}

/// An attribute run's place: the totals of everything before it.
struct RunPlace: Sendable {
  /// Runs before it.
  var index = 0
  /// UTF-16 units before it.
  var start = 0

  init(index: Int = 0, start: Int = 0) { (self.index, self.start) = (index, start) }

  init(_ position: TreePosition<RunRecord>) {
    (index, start) = (position.index, position.measure.units)
  }
}
