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
    _ paragraphs: [ParagraphDescriptor], of text: UTF16Text
  ) throws(TextStateError) {
    let pieces = ParagraphScan.pieces(of: text)
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
      records.append(
        ParagraphRecord(
          id: paragraph.id, length: range.length, endsInLF: pieces[index].endsInLF))
      start = range.upperBound
    }
    guard records.count == pieces.count else {
      let range = UTF16Range(start..<start + pieces[records.count].length)
      throw .paragraphMisplaced(index: records.count, range: range, found: nil)
    }
    Self.spread(&records)
    let born = Self.births(records)
    for index in born.indices.dropFirst() where born[index - 1].id == born[index].id {
      throw .paragraphRepeated(born[index].id)
    }
    births.replace(0..<births.count, with: born)
    paragraphRecords.replace(0..<1, with: records)
  }
}
