public import EditModel

/// Why a place was refused: this version does not have it. The description names the bounds.
public enum PlaceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no paragraph at this index.
  case paragraphIndex(Int, count: Int)
  /// The text ends before this offset.
  case offset(Int, length: Int)
  /// The text ends before the range does.
  case range(UTF16Range, length: Int)
  /// There is no line of this number; lines are counted from 1.
  case line(Int, count: Int)
  /// The line ends before this column; both are counted from 1. `last` is the column after the line's
  /// last unit.
  case column(Int, line: Int, last: Int)

  /// One sentence with the place and the bounds.
  public var description: String {
    switch self {
    case .paragraphIndex(let index, let count):
      "there is no paragraph at index \(index); the indices are 0 to \(count - 1)"
    case .offset(let offset, let length):
      "offset \(offset) is outside the text; the offsets are 0 to \(length)"
    case .range(let range, let length):
      """
      range \(range.location),\(range.length) is outside the text; it may end at most at \(length), \
      the length of the text
      """
    case .line(let line, let count): "there is no line \(line); the lines are 1 to \(count)"
    case .column(let column, let line, let last):
      "there is no column \(column) in line \(line); the columns are 1 to \(last)"
    }
  }
}

// The lookups for numbers from outside: they refuse what the version does not have.
extension TextState {
  /// The paragraph at `index`. O(log n).
  ///
  /// - Throws: `PlaceError.paragraphIndex`.
  public func findParagraph(index: Int) throws(PlaceError) -> ParagraphDescriptor {
    guard index >= 0, index < paragraphCount else {
      throw .paragraphIndex(index, count: paragraphCount)
    }
    return paragraph(at: index)
  }

  /// The paragraph that holds `offset`, and its index: a paragraph's start belongs to it, the text's
  /// end to the last one. O(log n).
  ///
  /// - Throws: `PlaceError.offset`.
  public func findParagraph(
    offset: Int
  ) throws(PlaceError) -> (index: Int, descriptor: ParagraphDescriptor) {
    guard offset >= 0, offset <= length else { throw .offset(offset, length: length) }
    let index = paragraphIndex(at: offset)
    return (index, paragraph(at: index))
  }

  /// The paragraphs that touch `range`, middle ones included. As `paragraphs(in:)`.
  ///
  /// - Throws: `PlaceError.range`.
  public func findParagraphs(in range: UTF16Range) throws(PlaceError) -> Paragraphs {
    guard range.upperBound <= length else { throw .range(range, length: length) }
    return paragraphs(in: range)
  }

  /// The attributes of the unit at `offset`, and their longest range. Nil at the text's end.
  /// O(log n).
  ///
  /// - Throws: `PlaceError.offset`.
  public func findAttributes(
    offset: Int
  ) throws(PlaceError) -> (attributes: AttributeSet, range: UTF16Range)? {
    guard offset >= 0, offset <= length else { throw .offset(offset, length: length) }
    return offset == length ? nil : attributes(at: offset)
  }

  /// The offset of a line and a column, both counted from 0. The column may be just after the line's
  /// last unit before its LF. O(log n).
  ///
  /// - Throws: `PlaceError.line` or `column`, which count from 1 as people do.
  public func findOffset(_ position: LinePosition) throws(PlaceError) -> Int {
    guard position.line >= 0, position.line < lineCount else {
      throw .line(Self.oneBased(position.line), count: lineCount)
    }
    let content = lineContentRange(position.line)
    guard position.column >= 0, position.column <= content.length else {
      throw .column(
        Self.oneBased(position.column), line: position.line + 1, last: content.length + 1)
    }
    return content.location + position.column
  }

  private static func oneBased(_ number: Int) -> Int { number == .max ? .max : number + 1 }
}
