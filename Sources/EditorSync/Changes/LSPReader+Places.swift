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
    return (before, snapping(end, of: last, by: 1, in: state, noting: &anomalies))
  }

  private func place(
    of position: LSPPosition, in state: TextState, noting anomalies: inout [LSPAnomaly]
  ) -> Place {
    let line = max(0, position.line)
    if line == state.lineCount { return .pastEnd }
    guard line < state.lineCount else {
      anomalies.append(.linePastEnd(position, lineCount: state.lineCount))
      return .offset(state.length)
    }
    let content = state.lineContentRange(line)
    switch client.encoding {
    case .utf16:
      if position.character > content.length {
        anomalies.append(.columnPastEnd(position, length: content.length))
      }
      return .offset(state.offset(of: LinePosition(line: line, column: position.character)))
    case .utf32: return utf32Place(of: position, in: content, of: state, noting: &anomalies)
    }
  }

  private func utf32Place(
    of position: LSPPosition, in line: UTF16Range, of state: TextState,
    noting anomalies: inout [LSPAnomaly]
  ) -> Place {
    let column = max(0, position.character)
    var (points, offset) = (0, line.location)
    while points < column, offset < line.upperBound {
      offset += 1
      if offset < line.upperBound, state.splitsSurrogatePair(at: offset) { offset += 1 }
      points += 1
    }
    if points < column { anomalies.append(.columnPastEnd(position, length: points)) }
    return .offset(offset)
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
