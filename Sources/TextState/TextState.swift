public import EditModel

/// Text, attribute runs and paragraphs of one version: the one state machine that folds edits.
///
/// A value. A copy is a snapshot: it is made in O(1) and shares all memory with the original;
/// an edit of either then copies the few nodes that it changes.
///
/// What always holds (`invariantViolation` checks it):
/// - the lengths of the paragraphs add up to the text's; there is at least one; each but the
///   last ends with its terminator (LF, CR, CR LF or U+2029), and no terminator is elsewhere;
/// - no two paragraphs have the same identifier, and none is newer than `sequence`;
/// - the lengths of the attribute runs add up to the text's; none is empty, and neighbours
///   differ;
/// - each paragraph is found by its identifier.
public struct TextState: Sendable {
  /// The number of the last applied edit; 0 for the empty document.
  public internal(set) var sequence: SequenceNumber = 0

  var units: GapTree<UInt16>
  var paragraphRecords: GapTree<ParagraphRecord>
  var runRecords: GapTree<RunRecord>
  /// The label of each paragraph by its identifier, and of some that are gone.
  var births: GapTree<BirthRecord>
  var table = AttributeTable()
  /// Where the last edit was, so that the next one nearby need not look.
  var paragraphPlace = ParagraphPlace()
  var runPlace = RunPlace()

  /// The empty document: no text, and one empty paragraph, `0.0`.
  public init() { self.init(limits: nil) }

  /// The empty document, in trees of these limits.
  init(limits: TreeLimits?) {
    units = GapTree(limits: limits ?? TreeLimits(leafCountMax: UInt16.leafCountMax))
    paragraphRecords = GapTree(
      limits: limits ?? TreeLimits(leafCountMax: ParagraphRecord.leafCountMax))
    runRecords = GapTree(limits: limits ?? TreeLimits(leafCountMax: RunRecord.leafCountMax))
    births = GapTree(limits: limits ?? TreeLimits(leafCountMax: BirthRecord.leafCountMax))
    let first = ParagraphRecord(
      id: ParagraphID(sequence: 0, ordinal: 0), length: 0, endsInLF: false, label: 1 << 63)
    paragraphRecords.replace(0..<0, with: [first])
    births.replace(0..<0, with: [BirthRecord(first)])
  }

  /// UTF-16 units in the text.
  public var length: Int { units.count }

  /// Paragraphs in the text: terminators + 1.
  public var paragraphCount: Int { paragraphRecords.count }

  /// Lines in the text as LSP counts them here: LFs + 1. A CR or U+2029 on its own ends a
  /// paragraph but no line.
  public var lineCount: Int { paragraphRecords.measure.lineFeeds + 1 }
}
