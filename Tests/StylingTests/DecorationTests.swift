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
    #expect(spacing.map(\.after) == [0, 0, 0, 0, 0, 0, 0, 0, 1])
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
