import EditModel
import Projections
import TestSupport
import Testing
import TextState

@Suite struct OutlineTests {
  private func state(_ text: UTF16Text) throws -> TextState {
    var state = TextState()
    try state.apply(replace(0, 0, text))
    return state
  }

  private func headings(_ text: String) throws -> [String] {
    try Outline(of: state(UTF16Text(text))).sections.map { section in
      section.heading.map { "\(section.level) \($0.string)" } ?? "-"
    }
  }

  private static let cases: [(String, [String])] = [
    ("", ["-"]),
    ("text\n", ["-"]),
    ("# One\ntext\n## Two\n", ["1 One", "2 Two"]),
    ("before\n# One", ["-", "1 One"]),
    ("#\n######\n", ["1 ", "6 "]),
    ("####### seven\n#no\n", ["-"]),
    ("   # three spaces\n    # four\n", ["1 three spaces"]),
    ("# One #\n## Two ###   \n# C#\n# \\#\n", ["1 One", "2 Two", "1 C#", "1 \\#"]),
    ("```\n# code\n```\n# One\n", ["-", "1 One"]),
    ("~~~~ sh\n# code\n~~~\n# code\n~~~~\n# One\n", ["-", "1 One"]),
    ("``` a`b\n# One\n", ["-", "1 One"]),
    ("```\n# never closed\n", ["-"]),
    ("# One\r\n## Two\r", ["1 One", "2 Two"]),
    ("---\n# yaml\ntitle: x\n---\n\n# Real\n", ["-", "1 Real"]),
    ("---\r\n# yaml\r\n... \r\n# One\n---\n", ["-", "1 One"]),
    ("+++\n# toml\n---\n# toml\n+++\n# One\n", ["-", "1 One"]),
    ("---\n\n# One\n---\n", ["-", "1 One"]),
    ("---\n# One\n", ["-", "1 One"]),
    ("...\n# One\n...\n", ["-", "1 One"]),
    ("text\n---\n# One\n---\n", ["-", "1 One"]),
    ("<!--\n# no\n-->\n# One\n", ["-", "1 One"]),
    ("   <!-- a -->\n# One\n<!--\n# no -->\n## Two\n", ["-", "1 One", "2 Two"]),
    ("<!--\n# never ended\n", ["-"]),
    ("a <!--\n# One\n    <!--\n# Two -->\n", ["-", "1 One", "1 Two -->"]),
    ("```\n<!--\n```\n# One\n<!--\n```\n-->\n# Two\n", ["-", "1 One", "1 Two"]),
  ]

  @Test(arguments: cases.indices)
  func headingsOfMarkdown(index: Int) throws {
    #expect(try headings(Self.cases[index].0) == Self.cases[index].1, "\(Self.cases[index].0)")
  }

  @Test func countsOfASection() throws {
    let sections = try Outline(of: state("# Two words\nand  three\tmore 👩‍🚀\r\n\n")).sections
    #expect(sections.count == 1)
    // The mark of a heading is no word.
    #expect(sections[0].paragraphs == 0..<4 && sections[0].wordCount == 6)
    #expect(sections[0].characterCount == 11 + 17)
  }

  @Test func sectionsByAnAttribute() throws {
    var state = try state("Title\ntext\nPart\nmore")
    func mark(_ location: Int, _ value: AttributeValue) throws {
      try state.apply(
        EditAction(
          range: UTF16Range(location..<location + 1), replacement: nil,
          attributes: .merge([AttributeRun(length: 1, attributes: ["heading": value])])))
    }
    try mark(0, .bool(true))
    try mark(11, .integer(2))
    let outline = Outline(of: state, rule: .attribute("heading"))
    #expect(outline.sections.map { $0.heading?.string } == ["Title", "Part"])
    #expect(outline.sections.map(\.level) == [1, 2])
    #expect(outline.sections.map(\.paragraphs) == [0..<2, 2..<4])
    #expect(Outline(of: state, rule: .attribute("other")).sections.count == 1)
  }

  /// In an imported text headings are attributes, and lines that are no text have attributes too.
  @Test func headingsOfBothKinds() throws {
    var state = try state("Title\n# code\n```\n#tag\n# yaml\n## Two ##\n# no\n# One\n")
    let marks: [(Range<Int>, AttributeSet)] = [
      (0..<6, ["heading": .integer(1)]), (6..<17, ["code-block": .bool(true)]),
      (17..<22, ["heading": .integer(3)]), (22..<29, ["markdown": .string("front-matter")]),
      (29..<39, ["heading": .bool(false)]), (39..<44, ["markdown": .string("html")]),
    ]
    for (range, attributes) in marks {
      try state.apply(
        EditAction(
          range: UTF16Range(range), replacement: nil,
          attributes: .merge([AttributeRun(length: range.count, attributes: attributes)])))
    }
    let sections = Outline(of: state).sections
    #expect(sections.map { $0.heading?.string } == ["Title", "#tag", "Two", "One"])
    #expect(sections.map(\.level) == [1, 3, 2, 1])
    #expect(sections.map(\.paragraphs) == [0..<3, 3..<5, 5..<7, 7..<9])
  }

  /// Every paragraph is in one section, in order, and the sections cover the text.
  @Test(arguments: UInt64(0)..<60)
  func sectionsTileTheText(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var text = UTF16Text()
    for _ in 0..<Int.random(in: 0...30, using: &random) {
      text.append(
        random.pick(["# a", "## b\n", "\n", "```\n", "~~~\n", "word ", "\r\n", "#", "\u{2029}"]))
    }
    let state = try state(text)
    let sections = Outline(of: state).sections
    #expect(sections.first?.paragraphs.lowerBound == 0, "seed \(seed)")
    #expect(sections.last?.paragraphs.upperBound == state.paragraphCount)
    #expect(sections.last?.range.upperBound == state.length)
    for (left, right) in zip(sections, sections.dropFirst()) {
      #expect(left.paragraphs.upperBound == right.paragraphs.lowerBound)
      #expect(left.range.upperBound == right.range.location)
      #expect(right.id == state.paragraph(at: right.paragraphs.lowerBound).id)
    }
    func words(_ text: UTF16Text) -> Int {
      String(text).split(whereSeparator: \.isWhitespace).count
    }
    for section in sections {
      // The marks of headings are no words.
      let heading = section.id.map { _ in section.paragraphs.lowerBound }
      let count = section.paragraphs.reduce(section.heading.map(words) ?? 0) { sum, index in
        index == heading ? sum : sum + words(state.text(in: state.paragraph(at: index).range))
      }
      #expect(section.wordCount == count, "seed \(seed)")
    }
  }
}

extension UTF16Text {
  fileprivate var string: String { String(self) }
}
