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
    ("&lt;&copy;&#8364;&#x20AC;&#128;&nope;&amp &#0;", "<©€€€&nope;&amp \u{FFFD}", []),
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
    let count = 200_000
    for piece in [
      "<", "<a", "</", "<a b", "<a b='", "&", "&#", "<!--", "<p>", "</p>", "<br>", "<pre>\n</pre>",
      "&amp", " ",
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
