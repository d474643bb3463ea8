import EditModel

extension StateCore {
  /// Takes over stored runs.
  func load(_ runs: [AttributeRun]) throws(TextStateError) {
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

  /// Takes over stored paragraphs.
  func load(
    _ paragraphs: some Sequence<ParagraphDescriptor>, of text: UTF16Text
  ) throws(TextStateError) {
    // The one splice that makes the whole text out of the empty paragraph.
    var pieces: [ParagraphSplice.Piece] = []
    func split(_ units: some InsertedUnits) {
      ParagraphSplice(StateCore(limits: nil), replacing: 0..<0, with: units)
        .forEachPiece(units) { pieces.append($0) }
    }
    if let bytes = text.latin1 {
      bytes.withUnsafeBufferPointer { split(ByteUnits(bytes: $0)) }
    } else {
      text.units.withUnsafeBufferPointer { split($0) }
    }
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
    births.replace(0..<births.count, with: Self.births(records))
    if let id = repeatedID() { throw .paragraphRepeated(id) }
    paragraphRecords.replace(0..<1, with: records)
  }

  /// The smallest identifier that was born twice.
  private func repeatedID() -> ParagraphID? {
    var reader = TreeReader<BirthRecord>()
    var last: ParagraphID?
    for index in 0..<births.count {
      let id = reader.element(at: index, of: births).id
      if id == last { return id }
      last = id
    }
    return nil
  }
}
