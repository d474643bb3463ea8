public import EditModel

/// Lines that differ, with equal lines around them: what `diff -u` prints after one `@@`.
public struct LineHunk: Hashable, Sendable, CustomStringConvertible {
  /// The kinds of lines.
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
    /// Its kind.
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
    var printed = UnifiedLines()
    printed.add(header)
    for line in lines { printed.add(line.kind, line.text.units[...]) }
    return String(UTF16Text(units: printed.units))
  }
}

/// Lines as `diff -u` prints them.
private struct UnifiedLines {
  private(set) var units: [UInt16] = []

  mutating func add(_ header: String) {
    units += header.utf16
    units.append(.lineFeed)
  }

  mutating func add(_ kind: LineHunk.Kind, _ line: ArraySlice<UInt16>) {
    units += kind.rawValue.utf16
    units += line
    if line.last != .lineFeed { units += "\n\\ No newline at end of file\n".utf16 }
  }

  /// Removes and returns the lines so far.
  mutating func take() -> UTF16Text {
    defer { units.removeAll(keepingCapacity: true) }
    return UTF16Text(compacting: units)
  }
}

extension TextDifference {
  /// The lines that differ between two texts, with up to `context` equal lines around them.
  /// Only LF ends a line. Cost as `replacements`.
  public static func lineHunks(
    from old: UTF16Text, to new: UTF16Text, context: Int = 3
  ) -> [LineHunk] {
    let difference = LineDifference(from: old, to: new, context: context)
    return difference.groups.map { group in
      var lines: [LineHunk.Line] = []
      difference.forEachLine(of: group) { kind, units in
        lines.append(LineHunk.Line(kind: kind, text: UTF16Text(units: Array(units))))
      }
      return LineHunk(oldLines: group.old, newLines: group.new, lines: lines)
    }
  }

  /// The hunks of `lineHunks` as `diff -u` prints them, in pieces of whole lines: each ends at the
  /// first line's end after `pieceLength` UTF-16 units. None if the texts are equal. Cost as
  /// `lineHunks`; the lines are not kept one by one.
  public static func unifiedPieces(
    from old: UTF16Text, to new: UTF16Text, context: Int = 3, pieceLength: Int
  ) -> [UTF16Text] {
    let difference = LineDifference(from: old, to: new, context: context)
    var pieces: [UTF16Text] = []
    var lines = UnifiedLines()
    for group in difference.groups {
      lines.add(LineHunk(oldLines: group.old, newLines: group.new, lines: []).header)
      difference.forEachLine(of: group) { kind, units in
        lines.add(kind, units)
        if lines.units.count >= pieceLength { pieces.append(lines.take()) }
      }
    }
    if !lines.units.isEmpty { pieces.append(lines.take()) }
    return pieces
  }
}

/// The lines of two texts, and where they differ.
private struct LineDifference {
  /// Neighbouring hunks with the lines around and between them.
  struct Group {
    var hunks: [Hunk]
    var old: Range<Int>
    var new: Range<Int>
  }

  private let (old, new): (Lines, Lines)
  private(set) var groups: [Group] = []

  init(from old: UTF16Text, to new: UTF16Text, context: Int) {
    precondition(context >= 0)
    let context = min(context, EditAction.textLengthMax)
    (self.old, self.new) = (Lines(old.units), Lines(new.units))
    var work = TextDifference.workMax
    var neighbours: [Hunk] = []
    for hunk in TextDifference.lineHunks(self.old, self.new, &work) {
      if let last = neighbours.last, hunk.old.lowerBound - last.old.upperBound > 2 * context {
        add(neighbours, context)
        neighbours = []
      }
      neighbours.append(hunk)
    }
    add(neighbours, context)
  }

  private mutating func add(_ hunks: [Hunk], _ context: Int) {
    guard let first = hunks.first else { return }
    let whole = hunks.dropFirst().reduce(first) { $0.joined($1) }
    let before = min(context, whole.old.lowerBound)
    let after = min(context, old.count - whole.old.upperBound)
    groups.append(
      Group(
        hunks: hunks, old: whole.old.lowerBound - before..<whole.old.upperBound + after,
        new: whole.new.lowerBound - before..<whole.new.upperBound + after))
  }

  /// Runs `body` on the lines of a group in order; removed ones before added ones.
  func forEachLine(of group: Group, _ body: (LineHunk.Kind, ArraySlice<UInt16>) -> Void) {
    func forEach(_ kind: LineHunk.Kind, _ lines: Lines, _ numbers: Range<Int>) {
      for number in numbers { body(kind, lines.text[lines[number]]) }
    }
    var done = group.old.lowerBound
    for hunk in group.hunks {
      forEach(.context, old, done..<hunk.old.lowerBound)
      forEach(.removed, old, hunk.old)
      forEach(.added, new, hunk.new)
      done = hunk.old.upperBound
    }
    forEach(.context, old, done..<group.old.upperBound)
  }
}
