import EditModel
import Projections
import Testing
import TextState

@testable import Styling

/// Paragraphs that are longer than the rules style: their start has styles, and the work is bounded.
@Suite struct LongParagraphTests {
  /// An expression with 600 branches, which fails late.
  private static let hostile = "(a?){600}b"

  @Test("the fewer branches, the longer is the part that is styled")
  func lengths() throws {
    #expect(StyleRules().styledLengthMax == 1 << 17)
    #expect(try rules("[[patterns]]\nname = 'm'\nmatch = '@[a-z]+'\n").styledLengthMax == 1 << 17)
    #expect(try rules("grammar = 'json'").styledLengthMax > 1 << 14)
    for grammar in StyleRules.grammarNames {
      let rules = try rules("grammar = '\(grammar)'")
      let branchCount = try #require(rules.grammar).branchCount
      #expect(branchCount > 0 && rules.styledLengthMax >= 1 << 14)
      #expect(rules.styledLengthMax == LineScanner.lineLengthMax(branchCount: branchCount))
    }
    let hostile = try rules("[[patterns]]\nname = 'm'\nmatch = '\(Self.hostile)'\n")
    #expect(hostile.styledLengthMax == 1 << 14)
    for count in [0, 1, 64, 65, 100, 512, 513, 1_024, 1 << 30] {
      let length = LineScanner.lineLengthMax(branchCount: count)
      #expect((1 << 14...1 << 17).contains(length))
      #expect(count * length <= max(1 << 23, count << 14))
    }
  }

  /// What the start of a long paragraph has is what it has as a paragraph of its own, but for what
  /// touches its end.
  @Test("the start of a long paragraph is styled", arguments: [0, 1, 2, 3, 4, 5, 6])
  func theStartIsStyled(offset: Int) throws {
    let rules = try rules(
      """
      [links]
      [[patterns]]
      name = "mention"
      match = '@\\w+'
      [[patterns]]
      name = "end"
      match = 'x$'
      """)
    let length = rules.styledLengthMax
    let filler = String(repeating: "😀x ", count: length / 4 - 400)
    let start = String(repeating: "-", count: offset) + "@ann a.org " + filler
    let text = start + String(repeating: "@ben b.org x😀", count: 1_000)
    let styled = StyledText(try state(text + "\n@cat x\n"), by: rules)
    #expect(styled.tooLongCount == 1)
    let mentions = styled.state.texts(of: "mention")
    let inside = start.utf16.count
    let expected = ["@ann"] + text.utf16.ends(of: "@ben", after: inside, before: length)
    #expect(mentions == expected + ["@cat"])
    // The end of the part is not the end of the paragraph.
    #expect(styled.state.texts(of: "end") == ["x"])
    let links = styled.state.texts(of: "url").filter { $0 == "b.org" }
    #expect(links.count <= expected.count && links.count + 2 >= expected.count)
    // A cut inside a pair leaves out its half.
    for run in styled.state.attributeRuns where run.attributes != .empty {
      #expect(run.length < 10)
    }
  }

  @Test("kinds of a long paragraph are those of its start, and the state goes over it")
  func kindsAndStates() throws {
    let markdown = try rules("grammar = 'markdown'")
    let long = String(repeating: "word ", count: markdown.styledLengthMax / 5 + 10)
    let styled = StyledText(try state("## \(long)\n```\n\(long)\n```\ntext"), by: markdown).state
    let kinds = styled.paragraphs.map { ParagraphKind(of: $0, in: styled).style }
    #expect(
      kinds == ["heading.2", "code-block.1", "code-block.1", "code-block.1", "paragraph"])
    // A comment that begins in the long paragraph may end in its rest.
    let swift = try rules("grammar = 'swift'")
    let code = String(repeating: "let ", count: swift.styledLengthMax / 4 + 10)
    let comment = StyledText(try state("let /* \(code)*/\nlet"), by: swift)
    #expect(comment.tooLongCount == 1)
    #expect(comment.state.texts(of: "syntax", .string("keyword")) == ["let", "let"])
  }

  /// Each step of a hostile expression is counted: a paragraph of any length takes a bounded number.
  @Test("hostile expressions on the longest line are bounded")
  func hostileExpressionsAreBounded() throws {
    for pattern in [
      "(a*)*b", "(a|aa)+$", "((a*)*(a*)*)*c", "(a|a|a|a)*(a|a|a|a)*d", Self.hostile,
    ] {
      var scanner = try LineScanner([(pattern, false)])
      let length = LineScanner.lineLengthMax(branchCount: scanner.branchCount)
      let line = [UInt16](repeating: 0x61, count: length - 1) + [0x65]
      line.withUnsafeBufferPointer { line in
        scanner.begin(line)
        var next = 0
        while let match = scanner.next(in: line, from: next) { next = match.range.upperBound }
      }
      #expect(scanner.stepCount > 0 && scanner.stepCount < 1 << 27, "\(pattern)")
    }
  }
}

extension String.UTF16View {
  /// `word` for each place after `start` at which it begins, and ends before `end`.
  fileprivate func ends(of word: String, after start: Int, before end: Int) -> [String] {
    let (units, wanted) = (Array(self), Array(word.utf16))
    return (start..<Swift.min(end, units.count)).filter {
      $0 + wanted.count < end && units[$0...].starts(with: wanted)
    }.map { _ in word }
  }
}
