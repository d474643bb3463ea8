import EditModel

/// The storage of `TextState`. Only a state with the only reference to it changes it.
final class StateCore: @unchecked Sendable {
  // Safe to share between threads: a core is changed only by a `TextState` that holds the one
  // reference to it, during that state's own exclusive mutation; shared cores are only read. The
  // same exclusivity is why accesses need not be checked one by one at run time.

  /// The number of the last applied edit.
  @exclusivity(unchecked) var sequence: SequenceNumber = 0
  let units: GapTree<UInt16>
  let paragraphRecords: GapTree<ParagraphRecord>
  let runRecords: GapTree<RunRecord>
  /// The label of each paragraph by its identifier, and the labels of some removed paragraphs.
  let births: GapTree<BirthRecord>
  /// The number of labels that were moved so far: the cost of labelling, for tests.
  @exclusivity(unchecked) var relabelCount = 0
  @exclusivity(unchecked) var table = AttributeTable()
  /// The place of the last edit, so that an edit nearby needs no search.
  @exclusivity(unchecked) var paragraphPlace = ParagraphPlace()
  @exclusivity(unchecked) var runPlace = RunPlace()
  @exclusivity(unchecked) var typing = TypingRange()

  /// The empty document, in trees of these limits.
  init(limits: TreeLimits?) {
    units = GapTree(limits: limits)
    paragraphRecords = GapTree(limits: limits)
    runRecords = GapTree(limits: limits)
    births = GapTree(limits: limits)
    let first = ParagraphRecord(
      id: ParagraphID(sequence: 0, ordinal: 0), length: 0, endsInLF: false, label: 1 << 63)
    paragraphRecords.replace(0..<0, with: [first])
    births.replace(0..<0, with: [BirthRecord(first)])
  }

  private init(copying other: StateCore) {
    sequence = other.sequence
    units = other.units.copy()
    paragraphRecords = other.paragraphRecords.copy()
    runRecords = other.runRecords.copy()
    births = other.births.copy()
    table = other.table
    (paragraphPlace, runPlace, typing) = (other.paragraphPlace, other.runPlace, other.typing)
  }

  /// The same content, which shares all but the leaves last edited. O(1).
  func copy() -> StateCore { StateCore(copying: self) }

  var length: Int { units.count }
  var paragraphCount: Int { paragraphRecords.count }
  var lineCount: Int { paragraphRecords.measure.lineFeeds + 1 }
}
