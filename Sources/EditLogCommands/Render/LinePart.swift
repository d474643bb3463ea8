import EditModel

/// The part of a piece of text that is on one line.
struct LinePart: Hashable, Sendable {
  /// The line, counted from 1.
  var line: Int
  /// True if the line begins with it.
  var isFirst: Bool
  /// The text without the LF.
  var units: ArraySlice<UInt16>
  /// True if the part ends with the line's LF.
  var endsLine: Bool

  /// The length in UTF-16 units, the LF included.
  var length: Int { units.count + (endsLine ? 1 : 0) }
}

/// Cuts the pieces of a text at the ends of lines. Only LF ends a line.
struct LineCutter {
  /// The line of the next unit.
  private var line: Int
  private var isFirst = true

  /// A text that begins with the start of this line.
  init(from line: Int) { self.line = line }

  /// The parts of the next piece, in order.
  mutating func parts(of text: UTF16Text) -> [LinePart] {
    var parts: [LinePart] = []
    var rest = text.units[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 0x0A)
      parts.append(
        LinePart(
          line: line, isFirst: isFirst, units: rest[..<(end ?? rest.endIndex)],
          endsLine: end != nil))
      rest = end.map { rest[($0 + 1)...] } ?? []
      isFirst = end != nil
      if isFirst { line += 1 }
    }
    return parts
  }
}
