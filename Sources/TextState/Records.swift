import EditModel

/// What the state keeps of one paragraph, in 16 bytes. Where it starts follows from the lengths
/// before it.
struct ParagraphRecord: BitwiseCopyable, Sendable, Equatable {
  private let sequence: SequenceNumber
  private let ordinal: UInt32
  /// The length, shifted left by one, and the flag. A length is at most `Int32.max`.
  private var lengthAndFlag: UInt32

  init(id: ParagraphID, length: Int, endsInLF: Bool) {
    (sequence, ordinal) = (id.sequence, id.ordinal)
    lengthAndFlag = UInt32(length) << 1 | (endsInLF ? 1 : 0)
  }

  var id: ParagraphID { ParagraphID(sequence: sequence, ordinal: ordinal) }

  /// UTF-16 units, terminator included.
  var length: Int {
    get { Int(lengthAndFlag >> 1) }
    set { lengthAndFlag = UInt32(newValue) << 1 | lengthAndFlag & 1 }
  }

  /// True where the terminator is LF or CR LF: where a line ends, as LSP counts lines.
  var endsInLF: Bool { lengthAndFlag & 1 == 1 }
}

/// What the state keeps of one attribute run.
struct RunRecord: BitwiseCopyable, Sendable, Equatable {
  private var units: UInt32
  /// The number of its attribute set in the state's table.
  var set: UInt32

  init(length: Int, set: UInt32) { (units, self.set) = (UInt32(length), set) }

  /// UTF-16 units.
  var length: Int {
    get { Int(units) }
    set { units = UInt32(newValue) }
  }
}

/// A paragraph's place: what a walk over lengths has counted on its way there.
struct ParagraphPlace: Sendable {
  /// Paragraphs before it.
  var index = 0
  /// UTF-16 units before it.
  var start = 0
  /// LFs before it.
  var line = 0
}

/// An attribute run's place.
struct RunPlace: Sendable {
  /// Runs before it.
  var index = 0
  /// UTF-16 units before it.
  var start = 0
}

extension UInt16 {
  static var lineFeed: UInt16 { 0x0A }
  static var carriageReturn: UInt16 { 0x0D }
  static var paragraphSeparator: UInt16 { 0x2029 }

  /// True where a paragraph ends with this unit. (CR LF is one terminator: see where it is
  /// asked.)
  var endsParagraph: Bool {
    self == .lineFeed || self == .carriageReturn || self == .paragraphSeparator
  }
}
