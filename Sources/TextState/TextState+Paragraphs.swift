public import EditModel

extension TextState {
  /// The paragraph at `index`, which must be less than `paragraphCount`. O(log n).
  public func paragraph(at index: Int) -> ParagraphDescriptor {
    precondition(index >= 0 && index < paragraphCount)
    return descriptor(at: place(ofParagraph: index))
  }

  /// The index of the paragraph that holds `offset`: a paragraph's start belongs to it, the
  /// text's end to the last one. `offset` must not be greater than `length`. O(log n).
  public func paragraphIndex(at offset: Int) -> Int {
    precondition(offset >= 0 && offset <= length)
    return paragraphPlace(at: offset).index
  }

  /// The paragraph with this identifier and its index; nil where this version has none.
  /// O(log n).
  public func paragraph(_ id: ParagraphID) -> (index: Int, descriptor: ParagraphDescriptor)? {
    guard let position = position(of: id) else { return nil }
    return (position.index, descriptor(at: ParagraphPlace(position)))
  }

  /// All paragraphs in order.
  public var paragraphs: Paragraphs {
    Paragraphs(records: paragraphRecords, bounds: 0..<paragraphCount)
  }

  /// The paragraphs that touch `range`: from the one that holds its start to the one that holds
  /// its last unit, or its start where it is empty. The range must lie inside the text. O(log n),
  /// and O(paragraphs in it) to walk.
  public func paragraphs(in range: UTF16Range) -> Paragraphs {
    precondition(range.upperBound <= length)
    let first = paragraphIndex(at: range.location)
    let last = range.isEmpty ? first : paragraphIndex(at: range.upperBound - 1)
    return Paragraphs(records: paragraphRecords, bounds: first..<last + 1)
  }
}

extension TextState {
  /// The range of a line, its LF included. `line` must be less than `lineCount`. O(log n).
  public func lineRange(_ line: Int) -> UTF16Range {
    precondition(line >= 0 && line < lineCount)
    let start = line == 0 ? 0 : lineEnd(line - 1)
    return UTF16Range(start..<(line == lineCount - 1 ? length : lineEnd(line)))
  }

  /// Where a line ends, behind its LF.
  private func lineEnd(_ line: Int) -> Int {
    // All that end before the LF of this line; the next ends with it.
    let position = paragraphRecords.seek { $0.measure.lineFeeds <= line }
    return position.measure.units + paragraphRecords[position.index].length
  }

  /// The line that holds `offset`: a line's start belongs to it, the text's end to the last.
  /// `offset` must not be greater than `length`. O(log n).
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

  @inline(never)
  private func distantParagraphPlace(at offset: Int) -> ParagraphPlace {
    if offset >= length { return place(ofParagraph: paragraphCount - 1) }
    return ParagraphPlace(paragraphRecords.seek { $0.measure.units <= offset })
  }

  /// The place of the paragraph at `index`.
  func place(ofParagraph index: Int) -> ParagraphPlace {
    ParagraphPlace(paragraphRecords.position(at: index))
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
}
