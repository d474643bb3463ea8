public import EditModel
public import TextState

/// The range of an attribute, and what it is expanded to.
public struct DecorationRange: Hashable, Sendable {
  /// The longest range over which the attribute has this value; of a group of paragraphs its first
  /// one. It is not cut to what is drawn.
  public var run: UTF16Range
  /// What the run is expanded to.
  public var expanded: UTF16Range
  /// The value.
  public var value: AttributeValue
}

extension DecorationRange {
  /// The ranges of an attribute that lie at least partly in what is drawn, in the order of the text.
  ///
  /// Unlike in the reference system, a run is not cut to what is drawn, a paragraph is reported once
  /// for each value, and groups of paragraphs of the same value that touch are one.
  ///
  /// O(log n + runs of the attribute in what is drawn, and in the groups that reach into it).
  ///
  /// - Parameters:
  ///   - attribute: The name of the attribute.
  ///   - granularity: What runs are expanded to.
  ///   - drawn: What is drawn, in UTF-16 units; it must lie inside the text.
  ///   - lines: For character runs, the visual lines in order, each with its terminator.
  ///   - state: The version.
  public static func all(
    of attribute: String, _ granularity: DecorationGranularity, in drawn: UTF16Range,
    lines: [UTF16Range], of state: TextState
  ) -> [DecorationRange] {
    guard !drawn.isEmpty else { return [] }
    switch granularity {
    case .characterRuns: return runs(of: attribute, in: drawn, lines, state)
    case .singleParagraph: return paragraphs(of: attribute, in: drawn, state)
    case .contiguousParagraphs:
      var groups = ParagraphGroups(attribute, state)
      return groups.all(in: drawn)
    }
  }

  private static func runs(
    of attribute: String, in drawn: UTF16Range, _ lines: [UTF16Range], _ state: TextState
  ) -> [DecorationRange] {
    let lines = lines.filter {
      $0.location < drawn.upperBound && $0.upperBound > drawn.location
    }
    guard let first = lines.first, let last = lines.last else { return [] }
    var (found, line) = ([DecorationRange](), 0)
    for (run, value) in AttributeRanges(attribute, in: first.location..<last.upperBound, state) {
      while line < lines.count, lines[line].upperBound <= run.location { line += 1 }
      var next = line
      while next < lines.count, lines[next].location < run.upperBound {
        let lower = max(run.location, lines[next].location)
        let upper = min(run.upperBound, lines[next].upperBound)
        if lower < upper {
          found.append(DecorationRange(run: run, expanded: UTF16Range(lower..<upper), value: value))
        }
        next += 1
      }
    }
    return found
  }

  private static func paragraphs(
    of attribute: String, in drawn: UTF16Range, _ state: TextState
  ) -> [DecorationRange] {
    var found: [DecorationRange] = []
    let paragraphs = state.paragraphs(in: drawn)
    guard let first = paragraphs.first, let last = paragraphs.last else { return [] }
    var walk = AttributeRanges(attribute, in: first.range.location..<last.range.upperBound, state)
    var run = walk.next()
    for paragraph in paragraphs {
      let content = state.contentRange(of: paragraph)
      var seen: Set<AttributeValue> = []
      while let (range, value) = run, range.location < paragraph.range.upperBound {
        if range.upperBound > paragraph.range.location, !content.isEmpty,
          seen.insert(value).inserted
        {
          found.append(DecorationRange(run: range, expanded: content, value: value))
        }
        // It may go on in the next paragraph.
        guard range.upperBound <= paragraph.range.upperBound else { break }
        run = walk.next()
      }
    }
    return found
  }
}

extension TextState {
  /// The range of a paragraph without its terminator. O(log n).
  func contentRange(of paragraph: ParagraphDescriptor) -> UTF16Range {
    let range = paragraph.range
    guard !range.isEmpty else { return range }
    let last = self[range.upperBound - 1]
    guard last == 0x0A || last == 0x0D || last == 0x2029 else { return range }
    let isPair = last == 0x0A && range.length > 1 && self[range.upperBound - 2] == 0x0D
    return UTF16Range(range.location..<range.upperBound - (isPair ? 2 : 1))
  }
}
