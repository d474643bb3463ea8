import EditModel
import Interchange
import TestSupport
import Testing

@Suite struct XMLTests {
  /// The rule of the reference: runs of `p`, `b`, `i` and `h2` without an element around them.
  private static func referenceRule() throws -> XMLRule {
    try XMLRule(
      root: nil,
      styles: [
        .init("h2", ["style": .string("h2")], isBlock: true),
        .init("b", ["bold": .bool(true)]), .init("i", ["italic": .bool(true)]),
      ], otherTag: nil, unitTag: nil)
  }

  private static let hello: [(String, AttributeSet)] = [
    ("hello", .empty), ("world", ["bold": .bool(true)]), ("!", .empty),
  ]

  private static let facts: [([(String, AttributeSet)], String)] = [
    (hello, "<p>hello<b>world</b>!</p>"),
    (
      hello + [
        ("headingTest", ["style": .string("h2")]),
        ("boldItalicTest", ["bold": .bool(true), "italic": .bool(true)]),
      ],
      "<p>hello<b>world</b>!</p><h2>headingTest</h2><p><b><i>boldItalicTest</i></b></p>"
    ),
    ([("<&> \"'", .empty)], "<p>&lt;&amp;&gt; &quot;&apos;</p>"),
    ([], ""),
    (
      [("a", ["style": .string("h2")]), ("b", ["style": .string("h2"), "bold": .bool(true)])],
      "<h2>a<b>b</b></h2>"
    ),
  ]

  private func text(_ pieces: [(String, AttributeSet)]) -> AttributedText {
    pieces.reduce(into: AttributedText()) { $0.append(Array($1.0.utf16), $1.1) }
  }

  @Test(arguments: facts.indices)
  func theReferenceWritesThis(index: Int) throws {
    let (pieces, xml) = Self.facts[index]
    let rule = try Self.referenceRule()
    var writer = XMLWriter(rule)
    #expect(String(decoding: writer.document(of: text(pieces)), as: UTF8.self) == xml)
    #expect(writer.losses.isEmpty)
    #expect(try XMLReader.text(Array(xml.utf8), rule) == text(pieces))
  }

  @Test func escapesAreReplaceable() throws {
    var escapes = XMLRule.standardEscapes
    (escapes[0x22], escapes[0x27], escapes[0xE9]) = (nil, "&#39;", "&#xE9;")
    let rule = try XMLRule(root: nil, styles: [], escapes: escapes)
    var writer = XMLWriter(rule)
    let xml = writer.elements(of: AttributedText("\"'é&"))
    #expect(String(decoding: xml, as: UTF8.self) == "<p>\"&#39;&#xE9;&amp;</p>")
    #expect(try XMLReader.text(xml, rule) == AttributedText("\"'é&"))
    #expect(throws: XMLRuleError.badEscape("&x;")) {
      try XMLRule(styles: [], escapes: [0x26: "&x;"])
    }
    #expect(throws: XMLRuleError.missingEscape(0x3C)) {
      try XMLRule(styles: [], escapes: [0x26: "&amp;", 0x3E: "&gt;"])
    }
  }

  /// Every text comes back, units that XML cannot have included.
  @Test(arguments: seeds(400))
  func everythingComesBack(seed: UInt64) throws {
    var generator = AttributedGenerator(seed: seed)
    let text = generator.anything()
    var writer = XMLWriter()
    let xml = writer.document(of: text)
    #expect(writer.losses.isEmpty)
    #expect(try XMLReader.text(xml) == text, "seed \(seed)")
  }

  /// What a rule does not name is lost and said, all else comes back.
  @Test(arguments: seeds(100))
  func aRuleKeepsWhatItNames(seed: UInt64) throws {
    var generator = AttributedGenerator(seed: seed)
    let text = generator.anything()
    let rule = try XMLRule(
      styles: [
        .init("x", parameter: .init("to", of: "link")), .init("b", ["bold": .bool(true)]),
      ], otherTag: nil)
    var expected = AttributedText()
    var start = 0
    for run in text.runs {
      var attributes = AttributeSet()
      if run.attributes["bold"] == .bool(true) { attributes["bold"] = .bool(true) }
      if case .string(let link)? = run.attributes["link"], !link.contains("\0") {
        attributes["link"] = .string(link)
      }
      expected.append(text.text.units[start..<start + run.length], attributes)
      start += run.length
    }
    var writer = XMLWriter(rule)
    #expect(try XMLReader.text(writer.document(of: text), rule) == expected, "seed \(seed)")
    #expect(writer.losses.isEmpty == (expected == text), "seed \(seed)")
  }

  private static let errors: [(String, String)] = [
    ("<document><p>a</document>", "expected the end tag of \"p\""),
    ("<document><p>a</p>", "has no end tag"),
    ("<document>\n a</document>", "text outside of an element"),
    ("<doc/>", "must be \"document\""),
    ("<document/><document/>", "nothing may follow"),
    ("<document>\n<p>x</p>\n <q/></document>", "line 3, column 2: the rule has no element \"q\""),
    ("<document><p>a&b;</p></document>", "\"&b;\" is not known"),
    ("<document><p>a & b</p></document>", "a plain \"&\" is &amp;"),
    ("<document><p>&#0;&#xD800;</p></document>", "is not known"),
    ("<!DOCTYPE x [<!ENTITY a 'b'>]><document/>", "a document type"),
    ("<document><p a='1' a='2'/></document>", "given twice"),
    ("<document><p a=1/></document>", "in quotes"),
    ("<document><p a='<'/></document>", "&lt;"),
    ("<document><a>x</a></document>", "needs the XML attribute \"href\""),
    ("<document><run attributes='{'>x</run></document>", "\"attributes\" of this element"),
    ("<document><p><unit code='D8'/></p></document>", "four hexadecimal digits"),
    ("<document><p><unit code='D800'>a</unit></p></document>", "must be empty"),
    ("<document><p>\u{1}</p></document>", "XML has no place"),
    ("<document><p>\u{FFFE}</p></document>", "XML has no place"),
    ("<?xml version='1.0' encoding='latin-1'?><document/>", "must be UTF-8"),
    ("<document><p><![CDATA[x</p></document>", "CDATA section has no end"),
    ("<document><!-- </document>", "a comment has no end"),
    ("<document", "the file ends inside a tag"),
    ("", "has no end tag"),
  ]

  @Test(arguments: errors.indices)
  func errorsSayWhatAndWhere(index: Int) throws {
    let (xml, message) = Self.errors[index]
    let error = #expect(throws: InterchangeError.self) { try XMLReader.text(Array(xml.utf8)) }
    #expect(try #require(error).description.contains(message), "\(error?.description ?? "")")
    #expect(error?.line != nil)
  }

  @Test func whatOthersWriteIsRead() throws {
    let xml = """
      \u{FEFF}<?xml version="1.0" encoding="utf-8"?>
      <?style x?> <!-- c -->
      <document  a = '1'>
        <p>a\r\nb&#13;<![CDATA[<&]]>c<!-- - --></p>
        <h1 >T</h1 ><p/>
      </document>

      """
    let text = try XMLReader.text(Array(xml.utf8))
    #expect(text.text == "a\nb\r<&cT")
    #expect(text.runs.last?.attributes == ["heading": .integer(1)])
  }

  @Test func hostileFilesEnd() throws {
    let deep = String(repeating: "<b>", count: 100_000)
    let error = #expect(throws: InterchangeError.self) {
      try XMLReader.text(Array(("<document>" + deep).utf8))
    }
    #expect(error?.what.contains("nest more than 64 deep") == true)
    for xml in [
      "<document>" + String(repeating: "<p a", count: 100_000),
      "<document><p " + (0..<100).map { "a\($0)='1' " }.joined() + "/>",
      "<" + String(repeating: "n", count: 100_000),
      "<document><p>" + String(repeating: "&", count: 100_000),
    ] {
      #expect(throws: InterchangeError.self) { try XMLReader.text(Array(xml.utf8)) }
    }
    let notUTF8 = #expect(throws: InterchangeError.self) {
      try XMLReader.text(Array("<document>\n<p>a".utf8) + [0xC3, 0x28])
    }
    #expect(notUTF8?.line == 2 && notUTF8?.column == 5)
  }

  /// Each cut and each changed byte is read or refused, and neither crashes nor hangs.
  @Test func changedBytesAreReadOrRefused() {
    var generator = AttributedGenerator(seed: 7)
    var writer = XMLWriter()
    let xml = writer.document(of: generator.anything())
    for cut in xml.cuts { _ = try? XMLReader.text(cut) }
    for flip in xml.flips { _ = try? XMLReader.text(flip) }
  }

  @Test func aRuleIsReadFromAFile() throws {
    let rule = try XMLRule(
      Array(
        """
        {"root": null, "default": "t", "other": null, "unit": "u", "escapes": {"'": "&#39;"},
         "styles": [{"tag": "h2", "attributes": {"style": "h2"}, "block": true},
                    {"tag": "a", "parameter": {"name": "href", "attribute": "link"}}]}
        """.utf8))
    #expect(rule.root == nil && rule.otherTag == nil && rule.defaultTag == "t")
    #expect(rule.styles.count == 2 && rule.styles[0].isBlock)
    #expect(rule.escapes[0x27] == "&#39;" && rule.unitTag == "u")
    for (json, message) in [
      ("{", "line 1, column 2"), ("{}", "styles"), (#"{"styles":[],"stile":1}"#, "stile"),
      (#"{"styles":[{"tag":"b"}]}"#, "needs attributes"),
      (#"{"styles":[{"tag":"1","attributes":{"b":true}}]}"#, "not an XML name"),
      (#"{"styles":[],"default":"run"}"#, "two elements"),
      (
        #"{"styles":[{"tag":"h","attributes":{"heading":99}}]}"#,
        "styles[0].attributes must be attributes with valid values (heading must be from 1 to 6; found 99)"
      ),
    ] {
      let error = #expect(throws: InterchangeError.self) { try XMLRule(Array(json.utf8)) }
      #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }
  }
}
