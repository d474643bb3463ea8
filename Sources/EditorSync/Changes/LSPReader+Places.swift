import EditModel
import EditProtocol
import TextState

extension LSPReader {
  /// A position as an offset.
  enum Place: Comparable {
    /// An offset in UTF-16 units.
    case offset(Int)
    /// After one more newline at the end of the text, which the text does not have.
    case pastEnd
  }

  /// The start and the end of a range: in order, and never inside a surrogate pair.
  func places(
    of range: LSPRange, in state: TextState, noting anomalies: inout [LSPAnomaly]
  ) -> (start: Place, end: Place) {
    var (first, last) = (range.start, range.end)
    if (last.line, last.character) < (first.line, first.character) {
      anomalies.append(.reversedRange(start: first, end: last))
      swap(&first, &last)
    }
    let start = place(of: first, in: state, noting: &anomalies)
    let before = snapping(start, of: first, by: -1, in: state, noting: &anomalies)
    // An insertion inside a pair is moved before it.
    guard first != last else { return (before, before) }
    let end = place(of: last, in: state, noting: &anomalies)
    let after = snapping(end, of: last, by: 1, in: state, noting: &anomalies)
    // A column after the end is before the CR of a CR LF; one right after the CR may be the start.
    return (before, max(before, after))
  }

  private func place(
    of position: LSPPosition, in state: TextState, noting anomalies: inout [LSPAnomaly]
  ) -> Place {
    let line = max(0, position.line)
    let lines = LSPLines(state, of: client)
    if line == lines.count { return .pastEnd }
    guard line < lines.count else {
      anomalies.append(.linePastEnd(position, lineCount: lines.count))
      return .offset(state.length)
    }
    let content = lines.content(line)
    switch client.encoding {
    case .utf16:
      guard position.character > content.length else {
        return .offset(content.location + max(0, position.character))
      }
      anomalies.append(.columnPastEnd(position, length: content.length))
      return .offset(lines.end(of: content))
    case .utf32: return utf32Place(of: position, in: content, lines, of: state, noting: &anomalies)
    }
  }

  private func utf32Place(
    of position: LSPPosition, in line: UTF16Range, _ lines: LSPLines, of state: TextState,
    noting anomalies: inout [LSPAnomaly]
  ) -> Place {
    let column = max(0, position.character)
    var (points, offset) = (0, line.location)
    while points < column, offset < line.upperBound {
      offset += 1
      if offset < line.upperBound, state.splitsSurrogatePair(at: offset) { offset += 1 }
      points += 1
    }
    guard points < column else { return .offset(offset) }
    anomalies.append(.columnPastEnd(position, length: points))
    return .offset(lines.end(of: line))
  }

  /// Returns `place`, moved by `step` units if it is inside a surrogate pair.
  private func snapping(
    _ place: Place, of position: LSPPosition, by step: Int, in state: TextState,
    noting anomalies: inout [LSPAnomaly]
  ) -> Place {
    guard case .offset(let offset) = place, state.splitsSurrogatePair(at: offset) else {
      return place
    }
    anomalies.append(.insideSurrogatePair(position, offset: offset + step))
    return .offset(offset + step)
  }
}
