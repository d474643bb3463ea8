import EditModel
import TestSupport
import Testing
import TextState

@testable import Styling

@Suite struct DecorationRegistryTests {
  private func kinds(_ registry: DecorationRegistry, _ state: TextState) -> [String] {
    let all = UTF16Range(0..<state.length)
    return registry.decorations(in: all, lines: [all], of: state).map(\.kind)
  }

  /// Row 19: no attribute, no call. Row 20: a second registration replaces; layers are independent.
  @Test func aSecondRegistrationReplacesInItsLayer() throws {
    let text = try state("abc", [(0..<2, ["a": .bool(true)])])
    var registry = DecorationRegistry()
    registry.register("a", .background, .characterRuns) { call, _ in call.decoration("first") }
    registry.register("none", .background, .characterRuns) { call, _ in call.decoration("none") }
    #expect(kinds(registry, text) == ["first"])
    registry.register("a", .text, .characterRuns) { call, _ in call.decoration("over") }
    registry.register("a", .background, .characterRuns) { call, _ in call.decoration("second") }
    #expect(kinds(registry, text) == ["second", "over"])
    registry.register("a", .background, .characterRuns) { _, _ in nil }
    #expect(kinds(registry, text) == ["over"])
    registry.remove("a", .text)
    #expect(kinds(registry, text) == [])
    #expect(kinds(registry, TextState()) == [])
  }

  /// Row 21: all of the background comes before all of the text layer.
  @Test func theBackgroundComesFirst() throws {
    let text = try state("abc", [(0..<2, ["a": .bool(true), "b": .bool(true)])])
    var registry = DecorationRegistry()
    registry.register("a", .text, .characterRuns) { call, _ in call.decoration("1") }
    registry.register("b", .background, .characterRuns) { call, _ in call.decoration("2") }
    registry.register("a", .background, .characterRuns) { call, _ in call.decoration("3") }
    #expect(kinds(registry, text) == ["2", "3", "1"])
  }

  /// Row 25: both ranges are in every call.
  @Test func aCallHasTheRunAndWhatItIsExpandedTo() throws {
    let text = try state("one\ntwo\n", [(1..<2, ["a": .integer(7)])])
    var registry = DecorationRegistry()
    registry.register("a", .background, .contiguousParagraphs, style: "x") { call, _ in
      call.decoration("k")
    }
    let decorations = registry.decorations(in: UTF16Range(0..<8), lines: [], of: text) { style in
      TextAppearance(bold: style == "x")
    }
    #expect(
      decorations == [
        Decoration(
          kind: "k", layer: .background, granularity: .contiguousParagraphs, attribute: "a",
          value: .integer(7),
          range: UTF16Range(0..<4), runRange: UTF16Range(1..<2),
          appearance: TextAppearance(bold: true))
      ])
  }

  @Test func builtInDecorationsOfMarkdown() throws {
    let rules = try rules("grammar = 'markdown'")
    let text = try state("a `b` ==c==\n> q\n> r\n- x\n- y\n```\nz\n```\n")
    let styled = StyledText(text, by: rules).state
    let all = UTF16Range(0..<styled.length)
    let lines = styled.paragraphs.map(\.range)
    let shown = rules.decorations.decorations(in: all, lines: lines, of: styled).map {
      "\($0.kind): \(String(styled.text(in: $0.range)))"
    }
    #expect(
      shown == [
        "block: ```\nz\n```\n", "bar: > q\n> r\n", "box: `b`", "highlight: ==c==", "bullet: - x",
        "bullet: - y",
      ])
    let spacing = rules.decorations.spacing(of: 0..<styled.paragraphCount, in: styled)
    #expect(spacing.map(\.before) == [0, 0, 0, 0, 0, 1, 0, 0, 0])
    // After the block's own terminator, and not after the empty row at the text's end.
    #expect(spacing.map(\.after) == [0, 0, 0, 0, 0, 0, 0, 1, 0])
  }

  @Test func aFileReplacesAndRemovesDecorations() throws {
    let rules = try rules(
      """
      grammar = "markdown"
      [[decorations]]
      attribute = "quote"
      draw = "none"
      [[decorations]]
      attribute = "code-block"
      granularity = "contiguous-paragraphs"
      draw = "block"
      padding-before = 2
      """)
    let styled = StyledText(try state("> q\n```\nz\n```"), by: rules).state
    let all = UTF16Range(0..<styled.length)
    #expect(rules.decorations.decorations(in: all, lines: [], of: styled).map(\.kind) == ["block"])
    #expect(
      rules.decorations.spacing(of: 0..<styled.paragraphCount, in: styled).map(\.before) == [
        0, 2, 0, 0,
      ])
  }
}

/// Rows around paragraphs: the larger margin of two neighbours counts.
@Suite struct MarginTests {
  private static func margins(_ before: Int, _ after: Int, _ attribute: String = "quote") -> String
  {
    """
    [[decorations]]
    attribute = "\(attribute)"
    granularity = "contiguous-paragraphs"
    draw = "bar"
    margin-before = \(before)
    margin-after = \(after)

    """
  }

  /// The rows between paragraphs, the first number before the first and the last after the last.
  private static func rows(
    _ text: String, _ attributes: [(Range<Int>, AttributeSet)], _ rules: String
  ) throws -> [Int] {
    let rules = try StylingTests.rules(rules)
    let styled = StyledText(try state(text, attributes), by: rules)
    let spacing = rules.spacing(of: styled)
    for paragraph in styled.paragraphs {
      let one = StyledText(styled.state, paragraphs: paragraph..<paragraph + 1, by: rules)
      #expect(rules.spacing(of: one) == [spacing[paragraph]], "a part has the rows of the whole")
    }
    return zip([0] + spacing.map(\.after), spacing.map(\.before) + [0]).map(+)
  }

  @Test func levelsOfQuotesShareAMargin() throws {
    let text = "a\nb\nc\nd"
    let levels: [(Range<Int>, AttributeSet)] = [
      (2..<4, ["quote": .integer(1)]), (4..<6, ["quote": .integer(2)]),
    ]
    let off = "[spacing]\nquote = 0\nparagraph = 0\n"
    #expect(try Self.rows(text, levels, Self.margins(1, 1) + off) == [0, 1, 1, 1, 0])
    #expect(try Self.rows(text, levels, Self.margins(2, 3) + off) == [0, 2, 3, 3, 0])
    #expect(try Self.rows(text, levels, Self.margins(3, 2) + off) == [0, 3, 3, 2, 0])
  }

  @Test func emptyParagraphsArePartOfTheSpace() throws {
    let rules = Self.margins(2, 3, "x")
    for (count, between) in [(0, 3), (1, 2), (2, 1), (3, 0), (4, 0)] {
      let gap = String(repeating: "\n", count: count)
      let end = 3 + count
      let rows = try Self.rows(
        "a\n\(gap)b\n",
        [(0..<2, ["x": .integer(1)]), (end - 1..<end + 1, ["x": .integer(2)])], rules)
      #expect(rows.dropFirst().dropLast(2).reduce(0, +) == between, "\(count)")
    }
  }

  @Test func noneKeepsItsMargins() throws {
    let rules = """
      [[decorations]]
      attribute = "code-block"
      granularity = "contiguous-paragraphs"
      draw = "none"
      margin-before = 2
      margin-after = 1
      [spacing]
      paragraph = 0
      """
    let code: [(Range<Int>, AttributeSet)] = [(2..<4, ["code-block": .bool(true)])]
    #expect(try Self.rows("a\nb\nc", code, rules) == [0, 2, 1, 0])
    let registry = try StylingTests.rules(rules).decorations
    let state = try state("a\nb\nc", code)
    #expect(registry.decorations(in: UTF16Range(0..<5), lines: [], of: state) == [])
  }

  /// A page of a book: the log has the kinds, and no blank lines.
  @Test func kindsHaveSpace() throws {
    let kinds: [(Range<Int>, AttributeSet)] = [
      (0..<2, ["heading": .integer(1)]), (6..<10, ["list-item": .integer(1)]),
      (10..<12, ["list-item": .integer(2)]), (12..<14, ["heading": .integer(2)]),
    ]
    let text = "h\na\nb\nc\nd\ne\nf\ng\n"
    #expect(try Self.rows(text, kinds, "") == [0, 1, 1, 1, 0, 0, 1, 1, 0, 0])
    let wide = "[spacing]\nheading = 3\nparagraph = 0\nlist = 0"
    #expect(try Self.rows(text, kinds, wide) == [0, 3, 0, 0, 0, 0, 3, 3, 0, 0])
    // Without kinds a text may be code, and its lines belong together.
    #expect(try Self.rows(text, [], "") == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    #expect(try Self.rows("a\nb\n", [], "[spacing]\nparagraph = 1") == [0, 1, 0, 0])
  }

  /// The lines of a table, and those of HTML with its blank lines, are one block.
  @Test func linesOfABlockHaveNoSpace() throws {
    let lines = ParagraphKind.lines
    let kinds: [(Range<Int>, AttributeSet)] = [
      (0..<4, [lines: .string("front-matter")]), (4..<6, ["paragraph": .bool(true)]),
      (6..<11, [lines: .string("html")]), (11..<13, ["paragraph": .bool(true)]),
    ]
    #expect(try Self.rows("f\ng\na\nt\n\nu\nb\n", kinds, "") == [0, 0, 1, 1, 0, 0, 1, 0, 0])
    let quoted: AttributeSet = [lines: .string("table"), "quote": .integer(1)]
    #expect(try Self.rows("q\nr\na", [(0..<4, quoted)], "") == [0, 0, 1, 0])
  }

  /// An imported text without any kind consists of paragraphs.
  @Test func markedParagraphsHaveSpace() throws {
    let marked: [(Range<Int>, AttributeSet)] = [(0..<6, ["paragraph": .bool(true)])]
    #expect(try Self.rows("a\nb\nc\n", marked, "") == [0, 1, 1, 0, 0])
  }

  /// The lines of a source belong together, and its own blank lines are space.
  @Test func sourcesKeepTheirLines() throws {
    let rows = try Self.rows(
      "# h\na\nb\n- c\n- d\n\n## i\n\ne\n", [], "grammar = 'markdown'")
    #expect(rows == [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  }
}

/// Decorations against a slow, obvious picture: one value for each unit, and whole lists of paragraphs.
@Suite struct DecorationOracleTests {
  private struct Oracle {
    let values: [AttributeValue?]
    let paragraphs: [UTF16Range]
    let contents: [UTF16Range]

    init(_ state: TextState) {
      values = state.attributeRuns.flatMap { run in
        Array(repeating: run.attributes["a"], count: run.length)
      }
      paragraphs = state.paragraphs.map(\.range)
      contents = paragraphs.map { range in
        var units = state.text(in: range).units
        if units.last == 0x0A { units.removeLast() }
        if units.last == 0x0D { units.removeLast() }
        if units.last == 0x2029 { units.removeLast() }
        return UTF16Range(range.location..<range.location + units.count)
      }
    }

    var runs: [(range: UTF16Range, value: AttributeValue)] {
      var (runs, start): ([(UTF16Range, AttributeValue)], Int) = ([], 0)
      while start < values.count {
        var end = start + 1
        while end < values.count, values[end] == values[start] { end += 1 }
        if let value = values[start] { runs.append((UTF16Range(start..<end), value)) }
        start = end
      }
      return runs
    }

    func touched(_ range: UTF16Range) -> [Int] {
      paragraphs.indices.filter { paragraphs[$0].bounds.overlaps(range.bounds) }
    }

    func lines(_ lines: [UTF16Range], in drawn: UTF16Range) -> [DecorationRange] {
      runs.flatMap { run in
        lines.filter { $0.bounds.overlaps(drawn.bounds) && $0.bounds.overlaps(run.range.bounds) }
          .map {
            DecorationRange(
              run: run.range, expanded: UTF16Range($0.bounds.clamped(to: run.range.bounds)),
              value: run.value)
          }
      }
    }

    func paragraphs(in drawn: UTF16Range) -> [DecorationRange] {
      var found: [DecorationRange] = []
      for index in touched(drawn) where !contents[index].isEmpty {
        var seen: [AttributeValue] = []
        for (range, value) in runs where range.bounds.overlaps(paragraphs[index].bounds) {
          guard !seen.contains(value) else { continue }
          seen.append(value)
          found.append(DecorationRange(run: range, expanded: contents[index], value: value))
        }
      }
      return found
    }

    func groups(in drawn: UTF16Range) -> [DecorationRange] {
      var groups: [(DecorationRange, ClosedRange<Int>)] = []
      for value in Set(runs.map(\.value)) {
        var own: [(UTF16Range, ClosedRange<Int>)] = []
        for run in runs where run.value == value {
          let touched = touched(run.range)
          guard let first = touched.first, let last = touched.last else { continue }
          if let previous = own.last, first <= previous.1.upperBound + 1 {
            own[own.count - 1].1 = previous.1.lowerBound...max(last, previous.1.upperBound)
          } else {
            own.append((run.range, first...last))
          }
        }
        groups += own.map { run, indices in
          let range =
            paragraphs[indices.lowerBound].location..<paragraphs[indices.upperBound].upperBound
          return (DecorationRange(run: run, expanded: UTF16Range(range), value: value), indices)
        }
      }
      let shown = touched(drawn)
      return groups.filter { group in shown.contains { group.1.contains($0) } }.map(\.0)
        .sorted { $0.run.location < $1.run.location }
    }
  }

  @Test("ranges are those of the oracle", arguments: seeds(150))
  func ranges(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<15 {
      let pieces = ["a", "bc", "\n", "\n", "\r\n", "\u{2029}", "😀"]
      let text = (0..<Int.random(in: 1...14, using: &random)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }
      var version = try state(text.joined())
      let length = version.length
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let lower = Int.random(in: 0..<length, using: &random)
        let upper = Int.random(in: lower + 1...length, using: &random)
        let value = Int64.random(in: 0..<3, using: &random)
        try version.apply(try merge(lower..<upper, ["a": .integer(value), "b": .integer(value)]))
      }
      let lower = Int.random(in: 0..<length, using: &random)
      let drawn = UTF16Range(lower..<Int.random(in: lower + 1...length, using: &random))
      var (lines, start): ([UTF16Range], Int) = ([], 0)
      while start < length {
        let end = min(length, start + Int.random(in: 1...4, using: &random))
        lines.append(UTF16Range(start..<end))
        start = end
      }
      let oracle = Oracle(version)
      func all(_ granularity: DecorationGranularity) -> [DecorationRange] {
        DecorationRange.all(of: "a", granularity, in: drawn, lines: lines, of: version)
      }
      #expect(all(.characterRuns) == oracle.lines(lines, in: drawn), "seed \(seed)")
      #expect(all(.singleParagraph) == oracle.paragraphs(in: drawn), "seed \(seed)")
      #expect(all(.contiguousParagraphs) == oracle.groups(in: drawn), "seed \(seed)")
    }
  }
}
