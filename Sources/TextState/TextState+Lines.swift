public import EditModel

extension TextState {
  /// Lines in the text as LSP counts them here: LFs + 1. A CR or U+2029 on its own ends a
  /// paragraph but no line.
  public var lineCount: Int { core.lineCount }

  /// The range of a line, its LF included. `line` must be less than `lineCount`. O(log n).
  public func lineRange(_ line: Int) -> UTF16Range {
    precondition(line >= 0 && line < lineCount)
    let start = line == 0 ? 0 : core.lineEnd(line - 1)
    return UTF16Range(start..<(line == lineCount - 1 ? length : core.lineEnd(line)))
  }

  /// The range of a line without its LF; a CR before it is content. `line` must be less than
  /// `lineCount`. O(log n).
  public func lineContentRange(_ line: Int) -> UTF16Range {
    let range = lineRange(line)
    // Each line but the last ends in LF.
    return line == lineCount - 1 ? range : UTF16Range(range.location..<range.upperBound - 1)
  }

  /// The line that holds `offset`: a line's start belongs to it, the text's end to the last.
  /// `offset` must not be greater than `length`. O(log n).
  public func line(at offset: Int) -> Int {
    precondition(offset >= 0 && offset <= length)
    return core.paragraphPlace(at: offset).line
  }

  /// The line that holds `offset`, and the units before it there. `offset` must not be greater
  /// than `length`. O(log n).
  public func position(at offset: Int) -> LinePosition {
    let line = line(at: offset)
    return LinePosition(line: line, column: offset - (line == 0 ? 0 : core.lineEnd(line - 1)))
  }

  /// The offset of a position with any numbers: a column after the line's content is the
  /// content's end, before the LF; a line after the last is the text's end; a negative number is
  /// 0. Inside the text it may fall between the halves of a surrogate pair or of a CR LF. O(log n).
  public func offset(of position: LinePosition) -> Int {
    guard position.line < lineCount else { return length }
    let content = lineContentRange(max(0, position.line))
    return content.location + min(max(0, position.column), content.length)
  }
}
