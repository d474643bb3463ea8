import EditModel
import TestSupport
import Testing

@testable import Interchange

/// Files of Markdown that come back as they were, and edits that change nothing else.
@Suite struct MarkdownFidelityTests {
  private static let files = [
    // Front matter.
    "---\ntitle: \"Hello\"\ntags: [a, b]\n---\n\n# Heading #\nRight after\nwrapped *line*  \nhard\\\nmore.\n",
    "+++\ntitle = \"x\"\n\n[a]\nb = 1\n+++\nText\n", "---\n\ntext\n\n---\n",
    "\u{FEFF}---\na: b\n---\nx\n",
    // Tables.
    "Intro\n\n| a | b |\n|---|:-:|\n| 1 \\| 2 | `x` |\n| 3 | 4\n\nA | pipe.\n\nx | y\n-- | --\n1 | 2\n> q\n",
    // Tasks, lists and their marks.
    "- [ ] todo\n- [x] done *em*\n  - [ ] sub\n\n\n* star\n+ plus\n\n1) a\n2) b\n\n10. ten\n11. eleven\n",
    "* a\n  * b\n\n    para in b\n  * c\n* d\n\n      code in d\n\n1. x\n   ```sh\n   y\n   ```\n2. z\n   > q\n",
    "1. a\n\n2. b\n\n3. c\n   continued\n\n   second\n4. d\n", "-\ta\n\t- b\n\n\tcode\n",
    "-\n- a\n-\n",
    // Footnotes, references and pictures.
    "Text[^1] and[^note].\n\n[^1]: First.\n[^note]: Second with `code`\n    continued.\n\n    More.\n\nEnd.\n",
    "See [a][r], [r], [b](</u v> \"t\"), ![alt](p.png \"T\") ![](q.png) [![badge](b.svg)](http://x).\n\n"
      + "[r]: http://e.example \"Title\"\n[s]: <x y>\n  'multi'\n\n[t]: /z\nafter\n",
    "[x](javascript:y) [note](obsidian://open?a=b)\n", "[a]: /u\n",
    // HTML.
    "<div class=\"x\">\n  *not em*\n</div>\n\nWith <span class=\"a\">inline</span> and <!-- comment --> x.\n\n"
      + "<!-- block\n\ncomment -->\nafter\n\n<details>\n<summary>S</summary>\n\n**b**\n\n</details>\n\n<pre>\na\n\nb\n"
      + "</pre>\n<img src=\"a.png\">\n", "<!-- x -->",
    // Headings, rules and code.
    "Title\n=====\n\nSub\n---\n\n***\n\n- - -\n\n___\ntext\n\n## \n#",
    "~~~ruby {.x}\nputs 1\n~~~\n\n```\n```\n\n````md\n```\nx\n```\n````\n\n    in\n\n      more\n\n```js title=\"a\"\nx\n",
    // What else is in a paragraph.
    "&copy; &amp; &#169; \\* AT&T a_b_c 5 < 6 > 4 <http://a.example> https://b.example/a_b?x=1&y=2 ~~s~~ ~o~\n",
    "Hello! C# #tag {{< figure src=\"x\" >}} {% raw %} $a_b$ :smile:\n\nTerm\n: Definition\n\n::: note\nx\n:::\n",
    // Quotes.
    "> a\n> b\n\n> # H\n>\n> - x\n> - y\n>\n> | a |\n> |---|\n> | b |\n\n>no space\nlazy\n",
    ">\n> a\n>\n\n>\n",
    // The ends of the file.
    "```\nabc\n\n", "```\n", "~~~", "\t\n~~~", "x\n\n> ```\n> a\n>\n", "```\n\n", "<pre>\na\n\n",
    "\n", "  \n", "\u{FEFF}\n", "\r\n \r\n", " \t", ">\n", "[](u)\n",
    "last line", "a\n\n\n\n", "\n\n  a\n", "\u{FEFF}# T\n", "para   \n\n# head   \n- item  \n",
  ]

  @Test(arguments: files) func filesComeBack(markdown: String) throws {
    let (text, losses) = try MarkdownReader.file(Array(markdown.utf8))
    var writer = MarkdownWriter()
    #expect(String(decoding: writer.document(of: text), as: UTF8.self) == markdown)
    var rest = losses
    rest.leftItems = 0
    #expect(rest.isEmpty && writer.losses.isEmpty, "\(losses.lines) \(writer.losses.lines)")
  }

  @Test(arguments: seeds(600)) func filesOfAllPartsComeBack(seed: UInt64) throws {
    var generator = MarkdownGenerator(seed: seed)
    let markdown = generator.file()
    let (text, losses) = try MarkdownReader.file(Array(markdown.utf8))
    guard !text.isEmpty else { return }
    var writer = MarkdownWriter()
    let written = String(decoding: writer.document(of: text), as: UTF8.self)
    #expect(written == markdown, "seed \(seed): \(losses.lines)")
    #expect(losses.respelledBlocks == 0 && writer.losses.isEmpty, "seed \(seed)")
  }

  /// A letter more in one block leaves the bytes of all others alone.
  @Test(arguments: seeds(600)) func editsChangeTheirBlock(seed: UInt64) throws {
    var generator = MarkdownGenerator(seed: seed)
    let bytes = Array(generator.file().utf8)
    var blocks = MarkdownBlocks()
    blocks.read(bytes)
    blocks.finish()
    let places = blocks.ended.indices.filter { Self.isEdited(blocks.ended[$0]) }
    guard !places.isEmpty else { return }
    let place = places[generator.below(places.count)]
    let text = try MarkdownReader.text(bytes)
    var writer = MarkdownWriter()
    let written = writer.document(
      of: generator.inserting("x", in: text, Self.paragraph(of: place, blocks.ended)))
    let start = place == 0 ? 0 : blocks.ended[place - 1].end
    let end = place + 1 == blocks.ended.count ? bytes.count : blocks.ended[place].end
    let shown = "seed \(seed): \(String(decoding: written, as: UTF8.self))"
    #expect(written != bytes && written.starts(with: bytes[..<start]), "\(shown)")
    #expect(written.reversed().starts(with: bytes[end...].reversed()), "\(shown)")
  }

  /// The text of a rule, and of the lines that make a table one, is not edited here: they would be text.
  private static func isEdited(_ block: MarkdownBlocks.Block) -> Bool {
    if case .raw = block.form.block { return false }
    return !block.content.isEmpty
  }

  /// The paragraph of the text that a block is.
  private static func paragraph(of place: Int, _ blocks: [MarkdownBlocks.Block]) -> Int {
    (0..<place).reduce(place) { sum, index in
      sum + (blocks[index + 1].isFirst && blocks[index + 1].form == blocks[index].form ? 1 : 0)
    }
  }

  /// What an edit of one place leaves as it was in the file.
  @Test(arguments: [
    // The mark of an item and the box of a task.
    ("* [ ] one\n* [x] two\n", "one", "1", "* [ ] 1\n* [x] two\n"),
    ("* [ ] one\n* [x] two\n", "[ ]", "[x]", "* [x] one\n* [x] two\n"),
    // Its underline, its fence, its address.
    ("Title\n=====\ntext\n", "Title", "Name", "Name\n=====\ntext\n"),
    ("~~~js {1}\na\n~~~\n", "a", "a\nb", "~~~js {1}\na\nb\n~~~\n"),
    ("    a\n\n    b\n", "b", "c\nd", "    a\n\n    c\n    d\n"),
    ("| a |\n|---|\n| b |\n", "b", "c", "| a |\n|---|\n| c |\n"),
    ("a\n\n[r]: /u\n", "/u", "/v", "a\n\n[r]: /v\n"),
    ("---\na: 1\n---\nx\n", "1", "2", "---\na: 2\n---\nx\n"),
    ("![a](<p.png> \"t\") x!\n", "x", "y", "![a](<p.png> \"t\") y!\n"),
    (
      "b <span>x</span>[^1] C# a_b AT&T 1 < 2\n", "b", "c",
      "c <span>x</span>[^1] C# a_b AT&T 1 < 2\n"
    ),
    // The other lines of a paragraph, and their hard breaks.
    ("a *b*\nc d\n_e_\n", "d", "f!", "a *b*\nc f!\n_e_\n"),
    ("> a\n> b\nc\n", "b", "d", "> a\n> d\nc\n"),
    ("a  \nb\\\nc\n", "b", "d", "a  \nd\\\nc\n"), ("- a\n  b\n  c\n", "c", "d", "- a\n  b\n  d\n"),
    ("a **b\nc** d\ne\n", "d", "f", "a **b c** f\ne\n"),
    // A new paragraph, a new item.
    ("# T\na\n", "a", "a\nb", "# T\na\n\nb\n"), ("* a\n* b\n", "a", "a\nc", "* a\n* c\n* b\n"),
  ])
  func editsKeepWhatTheyCan(
    markdown: String, old: String, new: String, expected: String
  ) throws {
    let text = try MarkdownReader.text(Array(markdown.utf8))
    let range = try #require(String(text.text).range(of: old))
    let start = range.lowerBound.utf16Offset(in: String(text.text))
    let attributes = text.runs.flatMap { Array(repeating: $0.attributes, count: $0.length) }
    var (edited, units) = (AttributedText(), text.text.units)
    for index in 0..<start { edited.append(units[index...index], attributes[index]) }
    edited.append(Array(new.utf16), attributes[start])
    for index in (start + old.utf16.count)..<units.count {
      edited.append(units[index...index], attributes[index])
    }
    units = []
    var writer = MarkdownWriter()
    #expect(String(decoding: writer.document(of: edited), as: UTF8.self) == expected)
  }

  /// Blocks whose lines end with CR LF come back so, beside others that do not.
  @Test(arguments: [
    "# a\r\n", "a\r\nb\r\n", "a\r\n\r\n\r\nb", "a\n\nb\r\n", "a\r\n\r\n- b\r\n- c\r\n\r\nd\n",
    "```\r\na\r\n\r\nb\r\n```\r\n", "| a |\r\n| - |\r\n| b |\r\n\r\nc\r\n", "a\r\n\r\nb\n\nc\r\n",
    "---\r\nt: 1\r\n---\r\n\r\n> q\r\n> r\r\n", "a  \r\nb\\\r\nc\r\n",
  ])
  func lineEndsComeBack(markdown: String) throws {
    let (text, losses) = try MarkdownReader.file(Array(markdown.utf8))
    #expect(losses.lines.isEmpty && !text.text.units.contains(0x0D))
    var writer = MarkdownWriter()
    #expect(writer.document(of: text) == Array(markdown.utf8))
    #expect(writer.losses.lines.isEmpty)
  }

  /// A paragraph that is typed after another one has its line ends, and one that is pasted has LF.
  @Test func newParagraphsHaveLineEnds() throws {
    let old = try MarkdownReader.text(Array("a\r\n\r\nb\r\n".utf8))
    let attributes = try #require(old.runs.last?.attributes)
    var (text, writer) = (old, MarkdownWriter())
    text.append(Array("\nc".utf16), attributes)
    text.append(Array("\n".utf16), attributes)
    text.append(Array("d".utf16), .empty)
    let bytes = writer.document(of: text)
    #expect(String(decoding: bytes, as: UTF8.self) == "a\r\n\r\nb\r\n\r\nc\r\n\r\nd\n")
  }

  /// What cannot be kept is said.
  @Test(arguments: [
    ("a\rb\r\n", 2), ("a\rb\n", 1), ("```\r\na\n```\n", 1), ("a\n\r\nb\n", 1),
    ("```\na\r\n```\n", 1),
  ])
  func lineEndsAreSaid(markdown: String, count: Int) throws {
    let (_, losses) = try MarkdownReader.file(Array(markdown.utf8))
    #expect(losses.lines == ["line ends of the file that change: \(count)"])
  }
}

extension String {
  fileprivate func range(of other: String) -> Range<String.Index>? { ranges(of: other).first }
}
