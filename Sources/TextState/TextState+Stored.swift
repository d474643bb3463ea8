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
  /// - Throws: `TextStateError` where the parts do not fit each other.
  public init(
    sequence: SequenceNumber, text: UTF16Text, attributeRuns: [AttributeRun],
    paragraphs: some Sequence<ParagraphDescriptor>
  ) throws(TextStateError) {
    self.init()
    guard sequence <= Self.sequenceMax else { throw .sequenceTooLarge(sequence) }
    guard text.count <= EditAction.textLengthMax else {
      throw .textTooLong(length: text.count)
    }
    self.sequence = sequence
    units.replace(0..<0, with: text.units)
    try load(attributeRuns)
    try load(paragraphs)
  }

  private mutating func load(_ runs: [AttributeRun]) throws(TextStateError) {
    var (covered, records): (Int, [RunRecord]) = (0, [])
    for run in runs {
      guard run.length > 0, run.length <= length - covered else {
        throw .runsDoNotCover(textLength: length, covered: covered)
      }
      covered += run.length
      records.appendJoining(
        RunRecord(length: run.length, set: table.number(of: run.attributes)))
    }
    guard covered == length else {
      throw .runsDoNotCover(textLength: length, covered: covered)
    }
    runRecords.replace(0..<0, with: records)
  }

  private mutating func load(
    _ paragraphs: some Sequence<ParagraphDescriptor>
  ) throws(TextStateError) {
    // The one splice that makes the whole text out of the empty paragraph.
    let pieces = ParagraphSplice(TextState(), replacing: 0..<0, with: text.units).pieces
    var (records, start): ([ParagraphRecord], Int) = ([], 0)
    records.reserveCapacity(pieces.count)
    for paragraph in paragraphs {
      let index = records.count
      let range =
        index < pieces.count
        ? UTF16Range(start..<start + pieces[index].length) : nil
      guard let range, paragraph.range == range else {
        throw .paragraphMisplaced(index: index, range: range, found: paragraph.range)
      }
      guard paragraph.id.sequence <= sequence else {
        throw .paragraphTooNew(paragraph.id, sequence: sequence)
      }
      let endsInLF = pieces[index].endsInLF
      records.append(
        ParagraphRecord(id: paragraph.id, length: range.length, endsInLF: endsInLF))
      start = range.upperBound
    }
    guard records.count == pieces.count else {
      let range = UTF16Range(start..<start + pieces[records.count].length)
      throw .paragraphMisplaced(index: records.count, range: range, found: nil)
    }
    Self.spread(&records)
    births = Self.births(records, limits: births.limits)
    if let id = repeatedID() { throw .paragraphRepeated(id) }
    paragraphRecords.replace(0..<1, with: records)
  }

  /// The smallest identifier that was born twice.
  private func repeatedID() -> ParagraphID? {
    var reader = TreeReader(births)
    var last: ParagraphID?
    for index in 0..<births.count {
      let id = reader[index].id
      if id == last { return id }
      last = id
    }
    return nil
  }
}
