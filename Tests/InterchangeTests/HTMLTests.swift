import EditModel
import Interchange
import TestSupport
import Testing

@Suite struct HTMLTests {
  /// What HTML can carry comes back, and nothing is said to be lost.
  @Test(arguments: seeds(400))
  func whatItCanCarryComesBack(seed: UInt64) throws {
    var generator = AttributedGenerator(seed: seed)
    let text = generator.markup()
    var writer = HTMLWriter()
    let html = writer.document(of: text, title: "<t>&")
    #expect(writer.losses.isEmpty, "seed \(seed): \(writer.losses)")
    #expect(try HTMLReader.text(html) == text, "seed \(seed)")
  }

  /// Lists in lists, with and without numbers: levels and numbers come back.
  @Test(arguments: seeds(300))
  func nestedListsComeBack(seed: UInt64) throws {
    var generator = AttributedGenerator(seed: seed)
    let text = generator.lists(jumps: seed % 2 == 0)
    var writer = HTMLWriter()
    let html = writer.document(of: text, title: "")
    #expect(writer.losses.isEmpty, "seed \(seed): \(writer.losses)")
    let shown = String(decoding: html, as: UTF8.self)
    #expect(try HTMLReader.text(html) == text, "seed \(seed):\n\(shown)")
  }

  /// What a browser numbers so has these numbers in the text: each item with its kind, its level and the
  /// number that the text gives it.
  private static let lists: [(String, String)] = [
    ("<ol><li>a<li>b</ol>", "a:1.,b:1."), ("<ol start=5><li>a<li>b</ol>", "a:1.=5,b:1."),
    ("<ol start=0><li>a<li>b</ol>", "a:1.=0,b:1."), ("<ol start=1><li>a</ol>", "a:1."),
    ("<ol start=x><li>a</ol>", "a:1."), ("<ol start=-2><li>a</ol>", "a:1."),
    ("<ol><li value=7>a<li>b</ol>", "a:1.=7,b:1."), ("<ol><li value=1>a</ol>", "a:1.=1"),
    ("<ol><li value=1000000000>a</ol>", "a:1."),
    ("<ol start=999999999><li>a</ol>", "a:1.=999999999"),
    // Two lists, one after the other, begin twice.
    ("<ol><li>a<li>b</ol><ol><li>c</ol>", "a:1.,b:1.,c:1.=1"),
    ("<ol><li>a</ol><ol start=2><li>b</ol>", "a:1.,b:1."),
    ("<ol><li>a</ol><p>p</p><ol start=2><li>b</ol>", "a:1.,p,b:1.=2"),
    ("<ol><li>a<ul><li>b</ul><li>c</ol>", "a:1.,b:2-,c:1."),
    ("<ul><li>a<ol><li>b<li>c</ol><li>d<ol><li>e</ol></ul>", "a:1-,b:2.,c:2.,d:1-,e:2."),
    (
      "<ol><li>a<ol start=3><li>b<ul><li>c</ul><li>d</ol><li>e</ol>",
      "a:1.,b:2.=3,c:3-,d:2.,e:1."
    ),
    ("<ol><li>a<ol><li>b</ol><ol><li>c</ol></ol>", "a:1.,b:2.,c:2.=1"),
    ("<ol><ol><li>a</ol><li>b</ol>", "a:2.,b:1."),
    ("<ul><li value=4>a</ul>", "a:1-"), ("<menu><li>a</menu>", "a:1-"),
    // An item has one paragraph; the others do not count.
    ("<ol><li><p>a<p>b<li>c</ol>", "a:1.,b,c:1.=2"),
    ("<ol><li>a<ul><li>b</ul>c<li>d</ol>", "a:1.,b:2-,c,d:1.=2"),
    ("<ol><li><h2>a</h2>b<li>c</ol>", "a,b:1.,c:1."),
    ("<ol><li><pre>a</pre><li>b</ol>", "a,b:1.=2"),
    ("<ol><li><ol><li>a</ol></ol>", ":1.,a:2."), ("<li>a", "a"),
    ("<blockquote><ol><li>a</ol>b</blockquote>", "a:1.,b"),
  ]

  @Test(arguments: lists.indices)
  func numbersOfListsAreRead(index: Int) throws {
    let (html, expected) = Self.lists[index]
    let text = try HTMLReader.text(Array(html.utf8))
    #expect(text.shownItems == expected, "\(html)")
    // The number is the one in the text: written and read again it is the same.
    var writer = HTMLWriter()
    let again = try HTMLReader.text(writer.document(of: text, title: ""))
    #expect(again == text && writer.losses.isEmpty, "\(html)")
  }

  /// An image is read as its alternative text with its address; one that has none is reported as a loss.
  @Test(arguments: [
    ("a <img alt='the  sea &amp; sky' src=x.png> b", "a the sea & sky b", 0),
    ("<img alt='x'>", "x", 1), ("<p><img src=x><img alt=''>a</p>", "\u{FFFC}a", 1),
    ("<pre>a<img alt='b\nc'></pre>", "ab c", 1), ("<b><img alt=x></b>y", "xy", 1), ("a", "a", 0),
  ])
  func picturesAreText(html: String, expected: String, count: Int) throws {
    let (text, losses) = try HTMLReader.file(Array(html.utf8))
    #expect(String(text.text) == expected, "\(html)")
    #expect(losses.pictures == count && losses.isEmpty == (count == 0))
    #expect(
      losses.lines == (count == 0 ? [] : ["images reduced to their alternative text: \(count)"]))
  }

  /// A picture keeps its address, its description and its title, in HTML and in Markdown.
  @Test(arguments: [
    ("<img src=\"a b.png\" alt=\"x &amp; y\" title=\"t\">", "![x & y](<a b.png> \"t\")\n"),
    ("<img src=\"p.png\" alt=\"\">", "![](<p.png>)\n"),
    (
      "<a href=\"/u\" title=\"l\"><img src=\"p.png\" alt=\"x\"></a>",
      "[![x](<p.png>)](</u> \"l\")\n"
    ),
  ])
  func picturesComeBack(html: String, markdown: String) throws {
    let text = try HTMLReader.text(Array(html.utf8))
    var (writer, page) = (MarkdownWriter(), HTMLWriter())
    #expect(String(decoding: writer.document(of: text), as: UTF8.self) == markdown)
    #expect(try MarkdownReader.text(Array(markdown.utf8)) == text)
    let again = page.document(of: text, title: "")
    #expect(String(decoding: again, as: UTF8.self).contains("<p>\(html)</p>"))
    #expect(try HTMLReader.text(again) == text && page.losses.isEmpty && writer.losses.isEmpty)
  }

  /// The address of a script is not written into a page, nor a picture that is in its address.
  @Test(arguments: ["javascript:x", "data:image/png;base64,AA"])
  func picturesOfScriptsAreLost(address: String) throws {
    let (text, losses) = try HTMLReader.file(Array("<img src='\(address)' alt='x'>".utf8))
    #expect(text == AttributedText("x") && losses.pictures == 1)
    let markdown = try MarkdownReader.text(Array("![x](\(address))".utf8))
    var page = HTMLWriter()
    let html = page.document(of: markdown, title: "")
    #expect(!String(decoding: html, as: UTF8.self).contains(address))
    #expect(page.losses.attributes == ["picture"])
  }

  /// The name of an attachment comes back as text.
  @Test func namesOfAttachmentsComeBack() throws {
    var text = AttributedText("x ")
    let attachment = Attachment(name: "a\u{2028}\"b\".png", columns: 3, rows: 1)
    text.append(CollectionOfOne(Attachment.unit), attachment.attributes)
    var writer = HTMLWriter()
    let file = try HTMLReader.file(writer.document(of: text, title: ""))
    #expect(String(file.text.text) == "x a \"b\".png")
    #expect(file.losses.lines == ["images reduced to their alternative text: 1"])
  }

  /// What it cannot carry is said: what comes back without a word is the same.
  @Test(arguments: seeds(400))
  func whatItCannotCarryIsSaid(seed: UInt64) throws {
    var generator = AttributedGenerator(seed: seed)
    let text = generator.anything()
    var writer = HTMLWriter()
    let read = try HTMLReader.text(writer.document(of: text, title: ""))
    #expect(writer.losses.isEmpty ? read == text : !writer.losses.lines.isEmpty, "seed \(seed)")
    // It is written the same again, so nothing more is lost.
    var second = HTMLWriter()
    let again = try HTMLReader.text(second.document(of: read, title: ""))
    #expect(again == read && second.losses.isEmpty, "seed \(seed)")
  }

  /// What programs write: the paragraphs of the text, and the kinds and styles of some.
  private static let pages: [(String, String, [String])] = [
    ("", "", []),
    ("plain  text\n more", "plain text more", []),
    ("<p>a</p><p>b", "a\nb", []),
    ("<p>a</p>\n\n<p></p>\n<p>c</p>", "a\n\nc", []),
    ("<div>a<div>b</div>c</div>", "a\nb\nc", []),
    ("a<br>b<br/>c", "a\u{2028}b\u{2028}c", []),
    ("<h2>T</h2>x", "T\nx", ["heading 2", "heading 2", "-"]),
    (
      "<ul><li>a<li>b<ol><li>c</ol></ul>", "a\nb\nc",
      ["list-item 1", "list-item 1", "list-item 1", "list-item 1", "ordered-item 2"]
    ),
    ("<ul><li><p>a</p></li></ul>", "a", ["list-item 1"]),
    (
      "<blockquote>q<blockquote><p>r</blockquote></blockquote>", "q\nr",
      ["quote 1", "quote 1", "quote 2"]
    ),
    ("<pre>\n a\n  b\n</pre>", " a\n  b", Array(repeating: "code-block", count: 6)),
    ("<pre><code class='x language-swift'>a</code></pre>", "a", ["code-block swift"]),
    (
      "<b>a <i>b</i></b> <a href='http://x.example/?a&amp;b'>c</a>", "a b c",
      ["bold", "bold", "bold,italic", "-", "link"]
    ),
    ("<p><b>a<p>b</b>c", "a\nbc", ["bold", "-", "-", "-"]),
    ("&lt;&copy;&#8364;&#x20AC;&#128;&nope;&amp &#0;", "<©€€€&nope;& \u{FFFD}", []),
    (
      "<p>caf&eacute; &Aring;ngstr&ouml;m &frac12; &alpha;&rarr;&copy 1 &AMP; &notit;</p>",
      "café Ångström ½ α→© 1 & ¬it;", []
    ),
    (
      "<a title='&copy=1&copy' href='?a=1&copy=2&amp;b'>x</a>", "x",
      ["link,link-title &copy=1©"]
    ),
    ("a<!-->b<!--->c<!-- x --!>d<!----!>e<!-- <!-- -->f", "abcdef", []), ("a<!-- x", "a", []),
    ("a<![CDATA[x]]>b<svg><![CDATA[>]]></svg>c", "abc", []),
    ("<script><!--<script></script>x</script>--></script>y", "-->y", []),
    ("<title></b>&lt;</title><textarea><p></textarea>x\0y", "xy", []),
    ("a<svg><svg></svg><title>t</title></svg>b<svg/>c<math><mi>x</mi>y<p>d", "abc\nd", []),
    ("a<template><template></template>x</template>b", "ab", []),
    ("a<noscript><p>b &amp; <i>c</i></p><style>p{}</style></noscript>d", "a\nb & c\nd", []),
    ("<xmp><b>&lt;</xmp>", "<b>&lt;", Array(repeating: "code-block", count: 7)),
    ("a<!-- x > y -->b<!doctype x><?php ?>c", "abc", []),
    ("<script>alert('</p>')</script><style>p{}</style>x<title>t</title>", "x", []),
    ("1 < 2 <3 </ p>", "1 < 2 <3", []),
    (
      "<span style='font-weight: bold; white-space:pre'> a\n</span>", " a\u{2028}",
      Array(repeating: "bold", count: 3)
    ),
    ("<table><tr><td>a<td>b</table>", "a\nb", []),
    ("<P CLASS=x>A</P>", "A", []),
  ]

  @Test(arguments: pages.indices)
  func pagesAreRead(index: Int) throws {
    let (html, expected, kinds) = Self.pages[index]
    let text = try HTMLReader.text(Array(html.utf8))
    #expect(String(text.text) == expected, "\(html)")
    guard !kinds.isEmpty else { return }
    let found = text.runs.flatMap { run in
      Array(repeating: Self.shown(run.attributes), count: run.length)
    }
    #expect(found == kinds, "\(html)")
  }

  private static func shown(_ attributes: AttributeSet) -> String {
    let parts = attributes.map { name, value -> String in
      switch value {
      case .integer(let level): "\(name) \(level)"
      case .string(let language) where name != "link": "\(name) \(language)"
      default: name
      }
    }
    return parts.isEmpty ? "-" : parts.joined(separator: ",")
  }

  /// A quote may be around each kind of paragraph, two blocks of code stay two, and what is inside an item
  /// beside its text is counted.
  @Test func quotesCodeAndItemsAreKept() throws {
    let (text, losses) = try HTMLReader.file(
      Array(
        """
        <blockquote><ol><li>a<li>b</ol><h2>T</h2><pre>x</pre><pre>y</pre></blockquote>
        <ol><li>c<p>d</p><pre>e</pre><li>f</ol>
        """.utf8))
    #expect(String(text.text) == "a\nb\nT\nx\n\ny\nc\nd\ne\nf" && losses.leftItems == 2)
    let quoted = text.runs.filter { $0.attributes["quote"] == .integer(1) }
    #expect(quoted.reduce(0) { $0 + $1.length } == "a\nb\nT\nx\n\ny\n".utf16.count)
    var writer = HTMLWriter()
    let again = writer.document(of: text, title: "")
    #expect(try HTMLReader.text(again) == text && writer.losses.isEmpty)
  }

  /// A list that goes on in a quote has the numbers of the text.
  @Test func numbersGoOnInQuotes() throws {
    var text = AttributedText()
    text.append(Array("a\n".utf16), ["ordered-item": .integer(1)])
    text.append(Array("b".utf16), ["ordered-item": .integer(1), "quote": .integer(1)])
    var writer = HTMLWriter()
    let html = writer.document(of: text, title: "")
    #expect(String(decoding: html, as: UTF8.self).contains("<ol start=\"2\">\n<li>b"))
    #expect(try HTMLReader.text(html) == text && writer.losses.isEmpty)
  }

  /// Text and addresses cannot become tags or scripts.
  @Test func nothingIsRunByABrowser() throws {
    var text = AttributedText("<script>x</script>\"'")
    for address in [
      "javascript:alert(1)", "JaVaScRiPt:x", "data:text/html,x", " javascript:x", "x\u{1}y",
    ] {
      text.append(Array("l".utf16), ["link": .string(address)])
      text.append(Array(" ".utf16), .empty)
    }
    text.append(Array("k".utf16), ["link": .string("\"onclick=x")])
    var writer = HTMLWriter()
    let html = String(
      decoding: writer.document(of: text, title: "</title><script>"), as: UTF8.self)
    #expect(!html.contains("<script>") && !html.lowercased().contains("javascript:"))
    #expect(!html.contains("data:text") && html.contains("href=\"&quot;onclick=x\""))
    #expect(writer.losses.attributes == ["link"])
  }

  @Test func hostilePagesEnd() throws {
    let count = 20_000
    for piece in [
      "<", "<a", "</", "<a b", "<a b='", "&", "&#", "<!--", "<p>", "</p>", "<br>", "<pre>\n</pre>",
      "&amp", " ", "&CounterClockwiseContourIntegra", "<!-", "-", "<svg>", "<svg><![CDATA[",
      "<script",
      "<!--<script", "</script", "<title>",
    ] {
      let page = String(repeating: piece, count: count)
      _ = try? HTMLReader.text(Array(page.utf8))
    }
    let error = #expect(throws: InterchangeError.self) {
      try HTMLReader.text(Array(String(repeating: "<div>", count: count).utf8))
    }
    #expect(error?.what.contains("256 deep") == true && error?.column == 1 + 5 * 256)
    #expect(throws: InterchangeError.self) { try HTMLReader.text([0x61, 0xFF]) }
  }
}
