public import EditModel

/// Some lines that differ, with equal lines around them: what `diff -u` prints under one `@@`.
public struct LineHunk: Hashable, Sendable, CustomStringConvertible {
  /// What became of a line.
  public enum Kind: Character, Hashable, Sendable {
    /// It is in both texts.
    case context = " "
    /// It is in the old text only.
    case removed = "-"
    /// It is in the new text only.
    case added = "+"
  }

  /// A line of either text.
  public struct Line: Hashable, Sendable {
    /// What became of it.
    public let kind: Kind
    /// Its text, LF included; the last line of a text may have none.
    public let text: UTF16Text
  }

  /// Lines of the old text, counted from 0.
  public let oldLines: Range<Int>
  /// Lines of the new text, counted from 0.
  public let newLines: Range<Int>
  /// The lines in order; removed ones before added ones.
  public let lines: [Line]

  /// `@@ -1,3 +1,4 @@`, as `diff -u` counts.
  public var header: String {
    func side(_ lines: Range<Int>) -> String {
      let first = lines.isEmpty ? lines.lowerBound : lines.lowerBound + 1
      return lines.count == 1 ? "\(first)" : "\(first),\(lines.count)"
    }
    return "@@ -\(side(oldLines)) +\(side(newLines)) @@"
  }

  /// The hunk as `diff -u` prints it, with an LF at the end.
  public var description: String {
    var result = header + "\n"
    for line in lines {
      result.append(line.kind.rawValue)
      result += line.text.description
      if line.text.units.last != .lineFeed { result += "\n\\ No newline at end of file\n" }
    }
    return result
  }
}

extension TextDifference {
  /// The lines that differ between two texts, with up to `context` equal lines around them.
  /// Only LF ends a line. Cost as `replacements`.
  public static func lineHunks(
    from old: UTF16Text, to new: UTF16Text, context: Int = 3
  ) -> [LineHunk] {
    precondition(context >= 0)
    let context = min(context, EditAction.textLengthMax)
    let (oldLines, newLines) = (Lines(old.units), Lines(new.units))
    var work = workMax
    var groups: [[Hunk]] = []
    for hunk in lineHunks(oldLines, newLines, &work) {
      let end = groups.last?.last?.old.upperBound
      if let end, hunk.old.lowerBound - end <= 2 * context {
        groups[groups.count - 1].append(hunk)
      } else {
        groups.append([hunk])
      }
    }
    return groups.map { lineHunk($0, oldLines, newLines, context) }
  }

  /// Neighbouring hunks with the lines around and between them.
  private static func lineHunk(
    _ hunks: [Hunk], _ old: Lines, _ new: Lines, _ context: Int
  ) -> LineHunk {
    let whole = hunks[1...].reduce(hunks[0]) { $0.joined($1) }
    let before = min(context, whole.old.lowerBound)
    let behind = min(context, old.count - whole.old.upperBound)
    let oldRange = whole.old.lowerBound - before..<whole.old.upperBound + behind
    let newRange = whole.new.lowerBound - before..<whole.new.upperBound + behind

    var lines: [LineHunk.Line] = []
    func add(_ kind: LineHunk.Kind, _ text: Lines, _ numbers: Range<Int>) {
      for number in numbers {
        let units = Array(text.text[text[number]])
        lines.append(LineHunk.Line(kind: kind, text: UTF16Text(units: units)))
      }
    }
    var done = oldRange.lowerBound
    for hunk in hunks {
      add(.context, old, done..<hunk.old.lowerBound)
      add(.removed, old, hunk.old)
      add(.added, new, hunk.new)
      done = hunk.old.upperBound
    }
    add(.context, old, done..<oldRange.upperBound)
    return LineHunk(oldLines: oldRange, newLines: newRange, lines: lines)
  }
}
