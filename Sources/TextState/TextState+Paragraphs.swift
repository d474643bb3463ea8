public import EditModel

extension TextState {
  /// The paragraph at `index`, which must be less than `paragraphCount`. O(paragraphs between
  /// it and the last edit or an end).
  public func paragraph(at index: Int) -> ParagraphDescriptor {
    precondition(index >= 0 && index < paragraphCount)
    return descriptor(at: place(ofParagraph: index))
  }

  /// The index of the paragraph that holds `offset`: a paragraph's start belongs to it, the
  /// text's end to the last one. `offset` must not be greater than `length`. O(paragraphs
  /// between it and the last edit or an end).
  public func paragraphIndex(at offset: Int) -> Int {
    precondition(offset >= 0 && offset <= length)
    return paragraphPlace(at: offset).index
  }

  /// The paragraph with this identifier and its index; nil where this version has none.
  /// O(paragraphs).
  public func paragraph(_ id: ParagraphID) -> (index: Int, descriptor: ParagraphDescriptor)? {
    for (index, descriptor) in paragraphs.enumerated() where descriptor.id == id {
      return (index, descriptor)
    }
    return nil
  }

  /// All paragraphs in order.
  public var paragraphs: Paragraphs { Paragraphs(records: paragraphRecords) }

  /// The paragraphs of one version, in order. O(paragraphs) to walk.
  public struct Paragraphs: Sequence, Sendable {
    let records: GapBuffer<ParagraphRecord>

    /// The number of paragraphs.
    public var count: Int { records.count }
    /// The number of paragraphs.
    public var underestimatedCount: Int { records.count }
    /// A walk from the first paragraph.
    public func makeIterator() -> Iterator { Iterator(records: records) }

    /// A walk over paragraphs.
    public struct Iterator: IteratorProtocol, Sendable {
      let records: GapBuffer<ParagraphRecord>
      var index = 0
      var start = 0

      /// The next paragraph, nil behind the last.
      public mutating func next() -> ParagraphDescriptor? {
        guard index < records.count else { return nil }
        let record = records[index]
        defer { (index, start) = (index + 1, start + record.length) }
        return ParagraphDescriptor(
          id: record.id, range: UTF16Range(start..<start + record.length))
      }
    }
  }
}

extension TextState {
  /// The range of a line, its LF included. `line` must be less than `lineCount`. O(paragraphs
  /// between it and the last edit or an end).
  public func lineRange(_ line: Int) -> UTF16Range {
    precondition(line >= 0 && line < lineCount)
    var place = nearest { abs($0.line - line) }
    while place.line < line { stepForward(&place) }
    while place.line > line
      || place.index > 0 && !paragraphRecords[place.index - 1].endsInLF
    { stepBack(&place) }
    let start = place.start
    while place.index < paragraphCount - 1, place.line == line { stepForward(&place) }
    return UTF16Range(start..<(place.line == line ? length : place.start))
  }

  /// The line that holds `offset`: a line's start belongs to it, the text's end to the last.
  /// `offset` must not be greater than `length`. Cost as `paragraphIndex(at:)`.
  public func line(at offset: Int) -> Int {
    precondition(offset >= 0 && offset <= length)
    return paragraphPlace(at: offset).line
  }
}

extension TextState {
  /// The place of the paragraph that holds `offset`.
  @inline(__always)
  func paragraphPlace(at offset: Int) -> ParagraphPlace {
    let place = paragraphPlace
    let end = place.start + paragraphRecords[place.index].length
    let isHere = offset >= place.start && (offset < end || place.index == paragraphCount - 1)
    return isHere ? place : distantParagraphPlace(at: offset)
  }

  private func distantParagraphPlace(at offset: Int) -> ParagraphPlace {
    var place = nearest { abs($0.start - offset) }
    while offset < place.start { stepBack(&place) }
    while place.index < paragraphCount - 1,
      offset >= place.start + paragraphRecords[place.index].length
    {
      stepForward(&place)
    }
    return place
  }

  /// The place of the paragraph at `index`.
  func place(ofParagraph index: Int) -> ParagraphPlace {
    var place = nearest { abs($0.index - index) }
    while index < place.index { stepBack(&place) }
    while index > place.index { stepForward(&place) }
    return place
  }

  /// The paragraph at `place`.
  func descriptor(at place: ParagraphPlace) -> ParagraphDescriptor {
    let record = paragraphRecords[place.index]
    return ParagraphDescriptor(
      id: record.id, range: UTF16Range(place.start..<place.start + record.length))
  }

  func stepForward(_ place: inout ParagraphPlace) {
    let record = paragraphRecords[place.index]
    place.index += 1
    place.start += record.length
    if record.endsInLF { place.line += 1 }
  }

  func stepBack(_ place: inout ParagraphPlace) {
    place.index -= 1
    let record = paragraphRecords[place.index]
    place.start -= record.length
    if record.endsInLF { place.line -= 1 }
  }

  /// Where a walk best starts: the first paragraph, the last one, or that of the last edit.
  private func nearest(_ distance: (ParagraphPlace) -> Int) -> ParagraphPlace {
    let last = paragraphCount - 1
    let end = ParagraphPlace(
      index: last, start: length - paragraphRecords[last].length, line: lineFeedCount)
    var best = distance(end) < distance(paragraphPlace) ? end : paragraphPlace
    if distance(ParagraphPlace()) < distance(best) { best = ParagraphPlace() }
    return best
  }
}
