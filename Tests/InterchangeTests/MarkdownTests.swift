import EditModel
import Foundation
import Interchange
import TestSupport
import Testing

@Suite struct MarkdownTests {
  /// What Markdown can carry comes back, and nothing is said to be lost.
  @Test(arguments: seeds(600))
  func whatItCanCarryComesBack(seed: UInt64) throws {
    var generator = AttributedGenerator(seed: seed)
    let text = generator.markup()
    var writer = MarkdownWriter()
    let markdown = writer.document(of: text)
    #expect(writer.losses.isEmpty, "seed \(seed): \(writer.losses)")
    let read = try MarkdownReader.text(markdown)
    #expect(read == text, "seed \(seed):\n\(String(decoding: markdown, as: UTF8.self))")
  }

  /// Lists in lists, with and without numbers: levels and numbers come back.
  @Test(arguments: seeds(300))
  func nestedListsComeBack(seed: UInt64) throws {
    var generator = AttributedGenerator(seed: seed)
    let text = generator.lists(jumps: false)
    var writer = MarkdownWriter()
    let markdown = writer.document(of: text)
    #expect(writer.losses.isEmpty, "seed \(seed): \(writer.losses)")
    let shown = String(decoding: markdown, as: UTF8.self)
    #expect(try MarkdownReader.text(markdown) == text, "seed \(seed):\n\(shown)")
  }

  /// What CommonMark numbers so has these numbers in the text, and what is written of it again.
  private static let lists: [(markdown: String, items: String, written: String)] = [
    ("1. a\n2. b", "a:1.,b:1.", "1. a\n2. b\n"), ("7. a\n9. b", "a:1.=7,b:1.", "7. a\n8. b\n"),
    ("0. a\n0. b", "a:1.=0,b:1.", "0. a\n1. b\n"),
    // Another mark begins another list.
    ("1. a\n1) b", "a:1.,b:1.=1", "1. a\n1) b\n"), ("1. a\n2) b", "a:1.,b:1.", "1. a\n2. b\n"),
    ("1. a\n5) b\n9. c", "a:1.,b:1.=5,c:1.=9", "1. a\n5) b\n9. c\n"),
    ("999999999. a\n1. b", "a:1.=999999999,b:1.", "999999999. a\n999999999. b\n"),
    ("1. a\n   - b\n2. c", "a:1.,b:2-,c:1.", "1. a\n    - b\n2. c\n"),
    ("1. a\n  - b", "a:1.,b:1-", "1. a\n- b\n"),
    // A list inside an item stands where the item's text begins, however long its number is.
    ("100. a\n     - b\n101. c", "a:1.=100,b:2-,c:1.", "100. a\n     - b\n101. c\n"),
    (
      "1. a\n   1. b\n      1. c\n   2. d\n2. e", "a:1.,b:2.,c:3.,d:2.,e:1.",
      "1. a\n    1. b\n        1. c\n    2. d\n2. e\n"
    ),
    ("- a\n\n  3. b\n- c\n  1. d", "a:1-,b:2.=3,c:1-,d:2.", "- a\n\n    3. b\n- c\n    1. d\n"),
    ("1. a\n\ntext\n\n2. b", "a:1.,text,b:1.=2", "1. a\n\ntext\n\n2. b\n"),
    ("1. a\n\n   more\n\n2. b", "a:1.,more,b:1.=2", "1. a\n\nmore\n\n2. b\n"),
    ("1. a\n```\nx\n```\n3. b", "a:1.,x,b:1.=3", "1. a\n\n```\nx\n```\n\n3. b\n"),
    ("1. a\n\n***\n\n3. b", "a:1.,***,b:1.=3", "1. a\n\n***\n\n3. b\n"),
    ("1. a\n- b\n1. c", "a:1.,b:1-,c:1.", "1. a\n- b\n1. c\n"),
    // A number other than 1, and an item without text, do not end a paragraph, but the item around it may
    // end.
    ("- a\n  3. b", "a 3. b:1-", "- a 3. b\n"), ("- a\n  *", "a *:1-", "- a \\*\n"),
    ("- a\n  01. b", "a:1-,b:2.", "- a\n    1. b\n"),
    ("1. a\n   2. b\n3. c", "a 2. b:1.,c:1.", "1. a 2. b\n2. c\n"),
    ("- a\n  - b\n  3. c", "a:1-,b:2-,c:2.=3", "- a\n    - b\n    3. c\n"),
    ("- a\n  5. b\n    - c", "a 5. b:1-,c:2-", "- a 5. b\n    - c\n"),
    ("5. a\n\n  5. b\n    - c", "a:1.=5,b - c:1.", "5. a\n6. b - c\n"),
    ("- a\n      - b", "a - b:1-", "- a - b\n"), ("> a\n3. b", "a,b:1.=3", "> a\n\n3. b\n"),
    ("- a\n3. b", "a:1-,b:1.=3", "- a\n3. b\n"), ("- a\n-\n- b", "a:1-,:1-,b:1-", "- a\n-\n- b\n"),
  ]

  @Test(arguments: lists.indices)
  func numbersOfListsAreRead(index: Int) throws {
    let (markdown, items, written) = Self.lists[index]
    let text = try MarkdownReader.text(Array(markdown.utf8)).unspelled
    #expect(text.shownItems == items, "\(markdown)")
    var writer = MarkdownWriter()
    let again = writer.document(of: text)
    #expect(String(decoding: again, as: UTF8.self) == written)
    #expect(try MarkdownReader.text(again) == text, "\(markdown)")
  }

  /// A number that the list has anyway is lost, and one that is none.
  @Test func numbersThatCannotBeCarriedAreSaid() throws {
    for (start, isLost) in [
      (AttributeValue.integer(1), true), (.integer(2), false), (.integer(-1), true),
      (.string("2"), true), (.integer(1_000_000_000), true),
    ] {
      var text = AttributedText()
      text.append(Array("a".utf16), ["ordered-item": .integer(1), "ordered-start": start])
      var (markdown, html) = (MarkdownWriter(), HTMLWriter())
      _ = markdown.document(of: text)
      #expect(markdown.losses.attributes == (isLost ? ["ordered-start"] : []), "\(start)")
      _ = html.document(of: text, title: "")
      #expect(html.losses.isEmpty == (!isLost || start == .integer(1)), "\(start)")
    }
    var text = AttributedText()
    text.append(Array("a".utf16), ["list-item": .integer(1), "ordered-start": .integer(2)])
    var writer = MarkdownWriter()
    _ = writer.document(of: text)
    #expect(writer.losses.attributes == ["ordered-start"])
  }

  /// What it cannot carry is said.
  @Test(arguments: seeds(400))
  func whatItCannotCarryIsSaid(seed: UInt64) throws {
    var generator = AttributedGenerator(seed: seed)
    let text = generator.anything()
    var writer = MarkdownWriter()
    let read = try MarkdownReader.text(writer.document(of: text))
    #expect(writer.losses.isEmpty ? read == text : !writer.losses.lines.isEmpty, "seed \(seed)")
    var second = MarkdownWriter()
    let again = try MarkdownReader.text(second.document(of: read))
    #expect(again == read, "seed \(seed)")
  }

  private static let files: [(String, String, String)] = [
    ("", "", ""),
    ("a\nb\n\nc", "a b\nc", "3-1-1-"),
    ("a  \nb\\\nc", "a\u{2028}b\u{2028}c", ""),
    ("# A #\n## B##\nC\n===\nD\n---", "A\nB##\nC\nD", "heading 1,heading 2,heading 1,heading 2"),
    ("#hash\n####### seven", "#hash ####### seven", "-"),
    ("a\n    # b\n    > c\n    ===", "a # b > c ===", "-"),
    ("> q\nlazy\n>> r\n\nt", "q lazy\nr\nt", "quote 1,quote 2,-"),
    (
      "- a\n- b\n  - c\n    1. d\n- e", "a\nb\nc\nd\ne",
      "list-item 1,list-item 1,list-item 2,ordered-item 3,list-item 1"
    ),
    ("1. a\n2) b\n\ntext\n10. no", "a\nb\ntext 10. no", "ordered-item 1,ordered-item 1,-"),
    ("-\n- b", "\nb", "list-item 1,list-item 1"),
    (
      "```swift\nlet *x* = 1\n\n  y\n```\nz", "let *x* = 1\n\n  y\nz",
      "code swift,code swift,code swift,-"
    ),
    ("~~~\n```\n~~~~", "```", "code"),
    ("    code\n\n      more\ntext", "code\n\n  more\ntext", "code,code,code,-"),
    ("> ```\n> >  a\n> ```", ">  a", "code"),
    ("a\n***\nb\n- - -\nc", "a\n***\nb\n- - -\nc", "-,-,-,-,-"),
    ("\\*a\\* &amp; &lt;b&gt; \\q", "*a* & <b> \\q", "-"),
  ]

  @Test(arguments: files.indices)
  func filesAreRead(index: Int) throws {
    let (markdown, expected, kinds) = Self.files[index]
    for separator in ["\n", "\r\n", "\r"] {
      let bytes = Array(markdown.replacing("\n", with: separator).utf8)
      let text = try MarkdownReader.text(bytes)
      #expect(String(text.text) == expected, "\(markdown)")
      guard !kinds.isEmpty, !kinds.hasPrefix("3") else { continue }
      #expect(Self.kinds(of: text) == kinds, "\(markdown)")
    }
  }

  /// The kind of each paragraph, by its first unit.
  private static func kinds(of text: AttributedText) -> String {
    let attributes = text.runs.flatMap { Array(repeating: $0.attributes, count: $0.length) }
    var (kinds, start): ([String], Int) = ([], 0)
    for line in text.text.units.split(separator: 0x0A, omittingEmptySubsequences: false) {
      let own = start < attributes.count ? attributes[start] : .empty
      start += line.count + 1
      let shown = own.compactMap { name, value -> String? in
        switch value {
        case .integer(let level): "\(name) \(level)"
        case .string(let language) where name == "code-block": "code \(language)"
        case .bool(true) where name == "code-block": "code"
        default: nil
        }
      }
      kinds.append(shown.first ?? "-")
    }
    return kinds.joined(separator: ",")
  }

  /// Examples of the CommonMark specification, with the styles as HTML has them.
  private static let inline: [(String, String)] = [
    ("*foo bar*", "<em>foo bar</em>"), ("a * foo bar*", "a * foo bar*"),
    ("a*\"foo\"*", "a*\"foo\"*"), ("foo*bar*", "foo<em>bar</em>"),
    ("_foo bar_", "<em>foo bar</em>"),
    ("foo_bar_", "foo_bar_"), ("**foo bar**", "<strong>foo bar</strong>"),
    ("** foo bar**", "** foo bar**"), ("*foo**bar**baz*", "<em>foo<strong>bar</strong>baz</em>"),
    ("***foo** bar*", "<em><strong>foo</strong> bar</em>"), ("*foo**bar*", "<em>foo**bar</em>"),
    ("***foo***", "<strong><em>foo</em></strong>"), ("**foo*", "*<em>foo</em>"),
    ("*foo**", "<em>foo</em>*"), ("****foo****", "<strong>foo</strong>"),
    ("foo***bar***baz", "foo<strong><em>bar</em></strong>baz"),
    ("*foo _bar* baz_", "<em>foo _bar</em> baz_"), ("~~a~~ ~b~", "<s>a</s> <s>b</s>"),
    ("`` foo ` bar ``", "<code>foo ` bar</code>"), ("`a\\`b", "<code>a\\</code>b"),
    ("`foo", "`foo"), ("*foo`*`", "*foo<code>*</code>"), ("``a`b``", "<code>a`b</code>"),
    ("[a](/u)", "<a>a</a>"), ("[a](</u v> \"t\")", "<a>a</a>"), ("[a] (x)", "[a] (x)"),
    ("[a](b c)", "[a](b c)"), ("[*a*](x)*b*", "<em><a>a</a>b</em>"),
    ("[a [b](x) c](y)", "[a <a>b</a> c](y)"), ("![alt](p.png)", "alt"),
    ("*[a*](x)", "*<a>a*</a>"),
    ("<http://a.example> <x@y.z>", "<a>http://a.example</a> <a>x@y.z</a>"),
    ("<b>a<i>b</b>c</i>", "<strong>a<em>b</em></strong>c</i>"), ("<u>a", "<u>a</u>"),
    ("==a== =b= ===c=== a==b==c", "<mark>a</mark> =b= ===c=== a<mark>b</mark>c"),
    ("== a== ==b ==", "== a== ==b =="),
    ("**==a==** ==*b* c==", "<strong><mark>a</mark></strong> <mark><em>b</em> c</mark>"),
    ("\\==a== `==b==` ==[c](x)==", "==a== <code>==b==</code> <a><mark>c</mark></a>"),
    ("a<br>b", "a\u{2028}b"), ("<x>", "<x>"), ("[a](b(c)d)", "<a>a</a>"), ("[](x)y", "y"),
  ]

  @Test(arguments: inline.indices)
  func stylesAreRead(index: Int) throws {
    let (markdown, html) = Self.inline[index]
    let text = try MarkdownReader.text(Array(markdown.utf8))
    #expect(Self.html(text) == html, "\(markdown)")
  }

  private static func html(_ text: AttributedText) -> String {
    let tags = [
      ("link", "a"), ("bold", "strong"), ("italic", "em"), ("underline", "u"),
      ("strikethrough", "s"), ("highlight", "mark"),
      ("inline-code", "code"),
    ]
    var (result, open, start): (String, [String], Int) = ("", [], 0)
    // An order in which the open elements stay open as long as they can.
    for run in text.runs {
      var wanted = tags.filter { run.attributes[$0.0] != nil }.map(\.1)
      wanted =
        open.filter { wanted.contains($0) }
        + Self.order(wanted.filter { !open.contains($0) }, text, start)
      let common = zip(open, wanted).prefix { $0 == $1 }.count
      for tag in open[common...].reversed() { result += "</\(tag)>" }
      for tag in wanted[common...] { result += "<\(tag)>" }
      open = wanted
      result += String(decoding: text.text.units[start..<start + run.length], as: UTF16.self)
      start += run.length
    }
    for tag in open.reversed() { result += "</\(tag)>" }
    return result
  }

  /// Tags that begin together, the one that ends last first.
  private static func order(_ opening: [String], _ text: AttributedText, _ start: Int) -> [String] {
    let names = [
      "a": "link", "strong": "bold", "em": "italic", "u": "underline", "s": "strikethrough",
      "mark": "highlight", "code": "inline-code",
    ]
    func end(_ tag: String) -> Int {
      var place = 0
      for run in text.runs {
        if place >= start, run.attributes[names[tag] ?? ""] == nil { return place }
        place += run.length
      }
      return place
    }
    return opening.enumerated().sorted {
      (end($1.element), $0.offset) < (end($0.element), $1.offset)
    }.map(\.element)
  }

  /// All attributes that make kinds, of each paragraph.
  private static func forms(of text: AttributedText) -> [String] {
    let attributes = text.runs.flatMap { Array(repeating: $0.attributes, count: $0.length) }
    var (forms, start): ([String], Int) = ([], 0)
    for line in text.text.units.split(separator: 0x0A, omittingEmptySubsequences: false) {
      let own = start < attributes.count ? attributes[start] : .empty
      start += line.count + 1
      let kinds = own.map { name, value in
        if case .integer(let level) = value { "\(name) \(level)" } else { name }
      }
      forms.append(
        ([String(decoding: line, as: UTF16.self)] + kinds.sorted()).joined(separator: ","))
    }
    return forms
  }

  /// A quote may be around each kind of paragraph.
  private static let quoted: [(String, [String], String)] = [
    ("> - a\n> - b", ["a,list-item 1,quote 1", "b,list-item 1,quote 1"], "> - a\n> - b\n"),
    (
      "> 1. a\n>    - b\n\nc", ["a,ordered-item 1,quote 1", "b,list-item 2,quote 1", "c"],
      "> 1. a\n>     - b\n\nc\n"
    ),
    ("> # T\n> p", ["T,heading 1,quote 1", "p,quote 1"], "> # T\n>\n> p\n"),
    ("> T\n> ---", ["T,heading 2,quote 1"], "> ## T\n"),
    (
      ">> ```\n>> x\n>>\n>> y\n>> ```",
      ["x,code-block,quote 2", ",code-block,quote 2", "y,code-block,quote 2"],
      ">> ```\n>> x\n>> \n>> y\n>> ```\n"
    ),
    (
      ">     x\n>\n>       y",
      ["x,code-block,quote 1", ",code-block,quote 1", "  y,code-block,quote 1"],
      "> ```\n> x\n> \n>   y\n> ```\n"
    ),
    ("- > q\n  > r", ["q r,list-item 1,quote 1"], "> - q r\n"),
    // A list in a quote is another one than the list before it.
    (
      "1. a\n\n> 1. b\n\n2. c",
      ["a,ordered-item 1", "b,ordered-item 1,ordered-start 1,quote 1", "c,ordered-item 1"],
      "1. a\n\n> 1. b\n\n2. c\n"
    ),
    (
      "> 1. a\n\n> 1. b", ["a,ordered-item 1,quote 1", "b,ordered-item 1,ordered-start 1,quote 1"],
      "> 1. a\n> 1) b\n"
    ),
  ]

  @Test(arguments: quoted.indices)
  func quotesAreAroundAllKinds(index: Int) throws {
    let (markdown, forms, written) = Self.quoted[index]
    let text = try MarkdownReader.text(Array(markdown.utf8)).unspelled
    #expect(Self.forms(of: text) == forms, "\(markdown)")
    var (writer, html) = (MarkdownWriter(), HTMLWriter())
    let again = writer.document(of: text)
    #expect(String(decoding: again, as: UTF8.self) == written)
    #expect(try MarkdownReader.text(again) == text && writer.losses.isEmpty)
    #expect(try HTMLReader.text(html.document(of: text, title: "")) == text)
    #expect(html.losses.isEmpty)
  }

  /// Two blocks of code that follow each other stay two.
  @Test(arguments: ["```\na\n```\n```\nb\n```", "> ```c\n> a\n> ```\n>\n> ```c\n> b\n> ```"])
  func blocksOfCodeStayApart(markdown: String) throws {
    let text = try MarkdownReader.text(Array(markdown.utf8))
    #expect(String(text.text) == "a\n\nb")
    var writer = MarkdownWriter()
    let again = writer.document(of: text)
    let count = String(decoding: again, as: UTF8.self).components(separatedBy: "```").count
    #expect(try MarkdownReader.text(again) == text && writer.losses.isEmpty && count == 5)
    // Of two empty paragraphs one is lost.
    var (second, longer) = (MarkdownWriter(), AttributedText())
    for line in ["a\n", "b"] {
      longer.append(Array(line.utf16), ["code-block": .bool(true)])
      if line == "a\n" { longer.append(Array("\n\n".utf16), .empty) }
    }
    _ = second.document(of: longer)
    #expect(second.losses.droppedParagraphs == 1)
  }

  /// What is inside an item beside its text is counted.
  @Test(arguments: [
    ("1. a\n\n   p2\n\n2. b", 1), ("- a\n\n  p\n\n  q\n", 2), ("- a\n  ```\n  x\n  ```", 1),
    ("- a\n\n  # T\n", 1), ("- a\n\np", 0), ("- a\n  b\n- c", 0),
  ])
  func paragraphsOfItemsAreSaid(markdown: String, count: Int) throws {
    let losses = try MarkdownReader.file(Array(markdown.utf8)).losses
    #expect(losses.leftItems == count && losses.isEmpty == (count == 0), "\(markdown)")
    #expect(losses.lines.allSatisfy { $0.hasSuffix("outside of their list: \(count)") })
  }

  /// References and their addresses, with the text and the address of each link.
  private static let references: [(String, String)] = [
    ("[a][r]\n\n[r]: http://ref.example", "<a http://ref.example>"),
    ("[r]: /u 'title'\n[R][] [r] [ r\n] [x]", "<R /u> <r /u> < r  /u> [x]"),
    ("[r]: /u\n[r]: /v\n\n[r]", "<r /u>"), ("[r]:\n/u\n\"t\"\n\n![a][r] [*b*][r]", "a <b /u>"),
    ("[r]: </a b> (t)\n\n[r]x", "<r /a b>x"), ("[r]: /u t\n\n[r]", "[r]: /u t|[r]"),
    ("p\n[r]: /u\n\n[r]", "p [r]: /u|[r]"), ("[r]: /u\n\n[r](/v) [r][s]", "<r /v> [r][s]"),
    ("- [r]: /u\n- [r]", "|<r /u>"), ("> [R]: /u\n\n[r]\n===", "<r /u>"),
    ("[a [r]](x) [b [r] c][r]\n\n[r]: /u", "[a <r /u>](x) [b <r /u> c]<r /u>"),
    ("[\\]]: /u\n\n[\\]]", "<] /u>"), ("[^1]: note\n\nx[^1]", "[^1]: note|x[^1]"),
    ("[r]: /u \"t\" x\n\n[r]", "[r]: /u \"t\" x|[r]"), ("[r]: /u\n\"t\" x", "\"t\" x"),
    ("[ẞ]: /u\n\n[SS]", "<SS /u>"), ("```\n[r]: /u\n```\n[r]", "[r]: /u|[r]"),
    ("[r]: /u\n===\n[r]", "=== <r /u>"), ("[r]: <>\n\n[r]", "r"), ("[]: /u\n\n[]", "[]: /u|[]"),
  ]

  @Test(arguments: references.indices)
  func referencesAreLinks(index: Int) throws {
    let (markdown, expected) = Self.references[index]
    let text = try MarkdownReader.text(Array(markdown.utf8))
    var (shown, start) = ("", 0)
    for run in text.runs {
      let part = String(
        decoding: text.text.units[start..<start + run.length], as: UTF16.self
      ).replacing("\n", with: "|")
      start += run.length
      // The addresses are lines of their own.
      if run.attributes["markdown"] == .string("link-definition") { continue }
      if case .string(let address)? = run.attributes["link"] {
        shown += "<\(part) \(address)>"
      } else {
        shown += part
      }
    }
    if text.runs.last?.attributes["markdown"] != nil, shown.last == "|" { shown.removeLast() }
    #expect(shown == expected, "\(markdown)")
  }

  /// CommonMark reads an item that is empty, or has another number than 1, as more of the text before it.
  @Test func itemsInsideItemsAreNoText() throws {
    var text = AttributedText()
    for (item, attributes) in [
      ("a\n", ["ordered-item": .integer(1)]), ("\n", ["ordered-item": .integer(2)]),
      ("b\n", ["list-item": .integer(1), "quote": .integer(1)]),
      ("\n", ["list-item": .integer(2), "quote": .integer(1)]),
      ("c", ["ordered-item": .integer(1)]),
    ] as [(String, AttributeSet)] { text.append(Array(item.utf16), attributes) }
    var writer = MarkdownWriter()
    let markdown = writer.document(of: text)
    #expect(
      String(decoding: markdown, as: UTF8.self)
        == "1. a\n\n    1.\n\n> - b\n>\n>     -\n\n1. c\n")
    #expect(try MarkdownReader.text(markdown) == text && writer.losses.isEmpty)
  }

  /// An attachment has its name, where its picture would be.
  @Test func attachmentsHaveTheirName() throws {
    for (attachment, name) in [
      (Attachment(name: "a]\n.png", columns: 3, rows: 1), "a] .png"),
      (Attachment(type: "image/png", columns: 3, rows: 1), "image/png"),
      (Attachment(columns: 3, rows: 1), "attachment"),
    ] {
      var text = AttributedText("x ")
      text.append(CollectionOfOne(Attachment.unit), attachment.attributes)
      text.append(Array(" y".utf16), .empty)
      var (writer, html) = (MarkdownWriter(), HTMLWriter())
      let markdown = writer.document(of: text)
      #expect(try String(MarkdownReader.text(markdown).text) == "x \(name) y")
      let page = String(decoding: html.document(of: text, title: ""), as: UTF8.self)
      #expect(page.contains("x <img alt=\"\(name)\"> y"))
      #expect(
        writer.losses.attributes == ["attachment"] && html.losses.attributes == ["attachment"])
    }
  }

  /// A picture is its description, with its address and its title.
  @Test func picturesAreText() throws {
    let markdown = "![a *b*](p.png) ![](q \"t\")\n![c][r]\n\n[r]: /u 'v'\n"
    let (text, losses) = try MarkdownReader.file(Array(markdown.utf8))
    let pictures = text.runs.map(\.attributes).filter { $0["picture"] != nil }
    #expect(String(text.text).hasPrefix("a b \u{FFFC} c\n") && losses.isEmpty)
    #expect(pictures.map { $0["picture"] } == [.string("p.png"), .string("q"), .string("/u")])
    #expect(pictures.map { $0["picture-title"] } == [nil, .string("t"), .string("v")])
  }

  /// A highlight has its signs where a word is between them, and an element elsewhere.
  @Test(arguments: [
    ("a word b", 2..<6, "a ==word== b\n"), ("(word)", 1..<5, "(==word==)\n"),
    ("swords", 1..<5, "s<mark>word</mark>s\n"), ("a word b", 2..<7, "a <mark>word </mark>b\n"),
    ("=a=", 1..<2, "\\===a==\\=\n"), ("a == b = c", 0..<0, "a \\=\\= b = c\n"),
  ])
  func highlightsAreWritten(line: String, range: Range<Int>, expected: String) throws {
    var text = AttributedText()
    let units = Array(line.utf16)
    text.append(units[..<range.lowerBound], .empty)
    text.append(units[range], ["highlight": .bool(true)])
    text.append(units[range.upperBound...], .empty)
    var (writer, html) = (MarkdownWriter(), HTMLWriter())
    let markdown = writer.document(of: text)
    #expect(String(decoding: markdown, as: UTF8.self) == expected)
    #expect(try MarkdownReader.text(markdown) == text && writer.losses.isEmpty)
    #expect(try HTMLReader.text(html.document(of: text, title: "")) == text)
  }

  /// A highlight with another value than true, such as a colour, is lost, and said to be.
  @Test func otherHighlightsAreSaid() {
    var text = AttributedText()
    text.append(Array("a".utf16), ["highlight": .string("pink")])
    var (markdown, html) = (MarkdownWriter(), HTMLWriter())
    #expect(markdown.document(of: text) == Array("a\n".utf8))
    _ = html.document(of: text, title: "")
    #expect(markdown.losses.attributes == ["highlight"])
    #expect(html.losses.attributes == ["highlight"])
  }

  @Test func theTextIsLiteral() throws {
    var writer = MarkdownWriter()
    let text = AttributedText("# *a* [b](c) `d` <b>\n1. x\n- y\n    z")
    let markdown = writer.document(of: text)
    #expect(try MarkdownReader.text(markdown) == text && writer.losses.isEmpty)
  }

  @Test func hostileFilesEnd() {
    let count = 2_000
    for piece in [
      "*", "*a", "a*", "**a_", "_a*", "[", "]", "[a](", "](", "[a](x", "![", "`", "`a``", "<",
      "<b>",
      "</b>", "<a", "&", "\\", ">", "> ", "- ", "1. ", "  - a\n", "```\n", "    a\n", "#", "\n",
      "~",
      "~~a", "=", "==a", "==a== ", "==", "[a]: /u\n", "[a]:", "[a][", "[a][b]", "[a]: <",
      "[a]: /u \"", "> ```\n",
      "> - a\n> > 1. ", "[a](<", "[a](\"", "*a**b***c", "((", "[a](x (", "| a |\n", "| a |\n|--|\n",
      "<div>\n", "<!--", "<a b=\"", "---\n", "![*a*](x)", "[^a]: x\n",
      "<?", "* a\n", "a\n===\n", "    a\n\n",
    ] {
      _ = try? MarkdownReader.text(Array(String(repeating: piece, count: count).utf8))
    }
    let deep = (0..<500).map { String(repeating: " ", count: 2 * $0) + "- a\n" }.joined()
    _ = try? MarkdownReader.text(Array(deep.utf8))
    // Each line could end a heading, if the item were none.
    let underlined = "- a\n" + String(repeating: "===\n", count: 20_000)
    _ = try? MarkdownReader.text(Array(underlined.utf8))
  }
}
