public import EditModel

/// Text, attribute runs and paragraphs of one version: the one state machine that folds edits.
///
/// A value. A copy is a snapshot: it shares memory with the original until one of them changes.
///
/// What always holds (`invariantViolation` checks it):
/// - the lengths of the paragraphs add up to the text's; there is at least one; each but the
///   last ends with its terminator (LF, CR, CR LF or U+2029), and no terminator is elsewhere;
/// - no two paragraphs have the same identifier, and none is newer than `sequence`;
/// - the lengths of the attribute runs add up to the text's; none is empty, and neighbours
///   differ.
public struct TextState: Sendable {
  /// The number of the last applied edit; 0 for the empty document.
  public internal(set) var sequence: SequenceNumber = 0

  var units: GapBuffer<UInt16>
  var paragraphRecords: GapBuffer<ParagraphRecord>
  var runRecords: GapBuffer<RunRecord>
  var table = AttributeTable()
  /// LFs in the text.
  var lineFeedCount = 0
  /// Where the last edit was. Walks start here, so that neighbours are a few steps away.
  var paragraphPlace = ParagraphPlace()
  var runPlace = RunPlace()

  /// The empty document: no text, and one empty paragraph, `0.0`.
  public init() { self.init(fixedGap: nil) }

  /// The empty document, in buffers that leave this many elements of room when they grow.
  init(fixedGap: Int?) {
    units = GapBuffer(fixedGap: fixedGap)
    paragraphRecords = GapBuffer(fixedGap: fixedGap)
    runRecords = GapBuffer(fixedGap: fixedGap)
    let first = ParagraphID(sequence: 0, ordinal: 0)
    paragraphRecords.replace(
      0..<0, with: [ParagraphRecord(id: first, length: 0, endsInLF: false)])
  }

  /// UTF-16 units in the text.
  public var length: Int { units.count }

  /// Paragraphs in the text: terminators + 1.
  public var paragraphCount: Int { paragraphRecords.count }

  /// Lines in the text as LSP counts them here: LFs + 1. A CR or U+2029 on its own ends a
  /// paragraph but no line.
  public var lineCount: Int { lineFeedCount + 1 }
}
