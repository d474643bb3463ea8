public import EditModel

extension TextState {
  /// The greatest sequence number that a stored state may have, so that no edit applied to it
  /// ever runs out of numbers.
  public static let sequenceMax = SequenceNumber(Int64.max)

  /// A stored state. Everything is checked: the runs cover the text, the paragraphs are where
  /// the text's terminators put them, their identifiers are unique and not newer than
  /// `sequence`. Neighbouring runs that are equal are joined. O(n log n) of the paragraphs at
  /// worst, O(n) of all else.
  ///
  /// - Parameters:
  ///   - sequence: The number of the last edit in it.
  ///   - text: The whole text.
  ///   - attributeRuns: Runs that cover the text.
  ///   - paragraphs: The paragraphs in order.
  /// - Throws: `TextStateError` if the parts do not fit each other.
  public init(
    sequence: SequenceNumber, text: UTF16Text, attributeRuns: [AttributeRun],
    paragraphs: some Sequence<ParagraphDescriptor>
  ) throws(TextStateError) {
    self.init()
    guard sequence <= Self.sequenceMax else { throw .sequenceTooLarge(sequence) }
    guard text.count <= EditAction.textLengthMax else {
      throw .textTooLong(length: text.count)
    }
    core.sequence = sequence
    if let bytes = text.latin1, bytes.count > core.units.limits.leafCountMax {
      bytes.withUnsafeBufferPointer { ByteUnits(bytes: $0).replace(0..<0, of: core.units) }
    } else {
      core.units.replace(0..<0, with: text.units)
    }
    try core.load(attributeRuns)
    try core.load(paragraphs, of: text)
  }
}
