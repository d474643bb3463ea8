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

  /// Takes over stored paragraphs of `text`, which is the state's already. They are read once, and no
  /// other memory is taken than that of the trees if their identifiers ascend.
  func load(
    _ paragraphs: some Sequence<ParagraphDescriptor>, of text: UTF16Text
  ) throws(TextStateError) {
    if let bytes = text.latin1 {
      try bytes.withUnsafeBufferPointer { (bytes) throws(TextStateError) in
        try load(paragraphs, of: ByteUnits(bytes: bytes))
      }
    } else {
      try text.units.withUnsafeBufferPointer { (units) throws(TextStateError) in
        try load(paragraphs, of: units)
      }
    }
  }

  private func load(
    _ paragraphs: some Sequence<ParagraphDescriptor>, of text: some InsertedUnits
  ) throws(TextStateError) {
    // The pieces of an edit that inserts all of the text.
    let splice = ParagraphSplice(self, replacing: 0..<0, with: text)
    let count = splice.pieceCount
    // Labels that spread over all there are.
    let step = PlaceLabel.max / PlaceLabel(count + 1)
    var (reader, start, iterator) = (ParagraphSplice.PieceReader(), 0, paragraphs.makeIterator())
    var (failure, isAscending): (TextStateError?, Bool) = (nil, true)
    var last: ParagraphID?
    var label: PlaceLabel = 0
    paragraphRecords.rebuild(0..<1, count: count) {
      // There are as many as were counted.
      guard let piece = splice.next(&reader, text) else { preconditionFailure("no piece is left") }
      let range = UTF16Range(start..<start + piece.length)
      let paragraph = failure == nil ? iterator.next() : nil
      if failure == nil {
        failure = fault(of: paragraph, expectedAt: range, index: piece.number)
      }
      let id = paragraph?.id ?? ParagraphID(sequence: 0, ordinal: 0)
      if let last, last >= id { isAscending = false }
      (last, start, label) = (id, range.upperBound, label + step)
      return ParagraphRecord(
        id: id, length: piece.length, endsInLF: piece.endsInLF, label: label)
    }
    if failure == nil, let more = iterator.next() {
      failure = .paragraphMisplaced(index: count, range: nil, found: more.range)
    }
    if let failure { throw failure }
    try loadBirths(areAscending: isAscending)
  }

  /// What is wrong with a stored paragraph, which the text has at `range`; nil if nothing is.
  private func fault(
    of paragraph: ParagraphDescriptor?, expectedAt range: UTF16Range, index: Int
  ) -> TextStateError? {
    guard let paragraph, paragraph.range == range else {
      return .paragraphMisplaced(index: index, range: range, found: paragraph?.range)
    }
    guard paragraph.id.sequence <= sequence else {
      return .paragraphTooNew(paragraph.id, sequence: sequence)
    }
    return nil
  }

  private func loadBirths(areAscending: Bool) throws(TextStateError) {
    guard !areAscending else {
      var (reader, index) = (TreeReader<ParagraphRecord>(), 0)
      return births.rebuild(0..<births.count, count: paragraphCount) {
        defer { index += 1 }
        return BirthRecord(reader.element(at: index, of: paragraphRecords))
      }
    }
    let born = Self.births(paragraphRecords.elements(in: 0..<paragraphCount))
    for index in born.indices.dropFirst() where born[index - 1].id == born[index].id {
      throw .paragraphRepeated(born[index].id)
    }
    births.replace(0..<births.count, with: born)
  }
}
