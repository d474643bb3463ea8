import EditModel
import TestSupport
import Testing
import TextState

@testable import Styling

@Suite struct URLFinderTests {
  @Test(
    "addresses are found as people type them",
    arguments: [
      ("see https://example.com.", ["https://example.com"]),
      ("https://example.com/a, b", ["https://example.com/a"]),
      ("(https://example.com/a)", ["https://example.com/a"]),
      (
        "https://en.wikipedia.org/wiki/Swift_(bird)", ["https://en.wikipedia.org/wiki/Swift_(bird)"]
      ),
      ("(see https://x.org/a_(b))", ["https://x.org/a_(b)"]),
      ("https://x.org/a)b", ["https://x.org/a)b"]),
      ("[https://x.org/a]", ["https://x.org/a"]), ("\"https://x.org/a\"", ["https://x.org/a"]),
      ("<https://x.org/a>", ["https://x.org/a"]),
      ("'https://x.org/a'", ["https://x.org/a"]), ("**https://x.org/a**", ["https://x.org/a"]),
      ("https://x.org/a?b=c&d=e#f!", ["https://x.org/a?b=c&d=e#f"]),
      ("https://x.org/?q=a;", ["https://x.org/?q=a"]), ("https://x.org/a...", ["https://x.org/a"]),
      ("https://x.org/a…", ["https://x.org/a"]),
      ("www.example.com/a", ["https://www.example.com/a"]),
      ("example.com", ["https://example.com"]), ("Example.COM/x", ["https://Example.COM/x"]),
      ("README.md", []), ("main.swift", []), ("e.g. this", []), ("a.b.c", []), ("www.", []),
      ("www", []), ("http://", []), ("http:// a", []),
      ("https://müller.de/straße", ["https://müller.de/straße"]),
      ("https://例え.jp/パス を見て", ["https://例え.jp/パス"]),
      ("見てhttps://example.com/a。次", ["https://example.com/a"]),
      ("https://example.com/a、b", ["https://example.com/a"]),
      ("https://пример.испытание/путь", ["https://пример.испытание/путь"]),
      ("https://x.org/😀", ["https://x.org/😀"]),
      ("HTTPS://X.ORG", ["HTTPS://X.ORG"]),
      ("http://localhost:8080/a", ["http://localhost:8080/a"]),
      ("http://127.0.0.1:80", ["http://127.0.0.1:80"]),
      ("http://[::1]:80/a", ["http://[::1]:80/a"]), ("http://[zz]/a", []),
      ("http://x.org:/a", ["http://x.org"]), ("http://x.org:123456", ["http://x.org:12345"]),
      ("ftp://user:pw@x.org/a", ["ftp://user:pw@x.org/a"]), ("mailto:a@x.org", ["mailto:a@x.org"]),
      ("mailto:a", []), ("a@example.com", []),
      ("xhttps://x.org", []), ("a-example.com", ["https://a-example.com"]), ("/example.com", []),
      ("https://x.org https://y.org", ["https://x.org", "https://y.org"]),
      ("https://x.org/a%20b~c_d-e", ["https://x.org/a%20b~c_d-e"]),
      ("https://x.org/a_", ["https://x.org/a"]), ("https://x.org/“a”", ["https://x.org/"]),
      ("https://x.org\u{A0}a", ["https://x.org"]), ("https://-x.org", []),
      ("https://x..org", ["https://x"]), ("", []), (".", []),
      ("https://x.org/a\\b", ["https://x.org/a"]),
      ("https://x.org/{a}", ["https://x.org/{a}"]), ("{https://x.org/a}", ["https://x.org/a"]),
      ("https://x.org)", ["https://x.org"]), ("go to x.dev!", ["https://x.dev"]),
    ])
  func found(text: String, expected: [String]) {
    #expect(URLFinder.links(in: text).map(\.address) == expected)
  }

  @Test("ranges lie in the line, ascend, and have the address", arguments: seeds(300))
  func ranges(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let pieces = [
      "http://", "https://", "www.", "mailto:", "a", "x.org", "example.com", "/", "?", "#", "(",
      ")", "[", "]", "{", "}", ".", ",", " ", "@", ":", "80",
      "é", "例", "。", "😀", "\"", "'", "*", "_", "-", "\\", "<", ">", "::1", "%41",
    ]
    for _ in 0..<20 {
      let text = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }
      var units = Array(text.joined().utf16)
      if !units.isEmpty, seed % 3 == 0 {
        units[Int.random(in: 0..<units.count, using: &random)] = 0xD83D
      }
      let links = units.withUnsafeBufferPointer { URLFinder.links(in: $0) }
      var end = 0
      for link in links {
        #expect(
          link.range.lowerBound >= end && link.range.upperBound <= units.count
            && !link.range.isEmpty, "seed \(seed)")
        end = link.range.upperBound
        #expect(
          link.address.hasSuffix(String(decoding: units[link.range], as: UTF16.self)),
          "seed \(seed)")
      }
    }
  }

  @Test("a long address is cut")
  func long() {
    let links = URLFinder.links(in: "https://x.org/" + String(repeating: "a", count: 5_000))
    #expect(links.first?.range == 0..<URLFinder.lengthMax)
  }
}

@Suite struct AutomaticLinkTests {
  private func range(_ typed: UTF16Text, _ caret: Int, _ text: String) throws -> Range<Int>? {
    AutomaticLink.action(beforeTyping: typed, at: caret, in: try state(text))?.range.bounds
  }

  /// Row 52: only an address that ends at the caret.
  @Test func anAddressThatEndsAtTheCaretBecomesALink() throws {
    #expect(try range(" ", 17, "see https://x.org") == 4..<17)
    #expect(try range("\n", 17, "see https://x.org") == 4..<17)
    #expect(try range("\r\n", 17, "see https://x.org") == 4..<17)
    #expect(try range("a", 17, "see https://x.org") == nil)
    #expect(try range("", 17, "see https://x.org") == nil)
    #expect(try range("  ", 17, "see https://x.org") == nil)
    #expect(try range(" ", 16, "see https://x.org") == nil)
    #expect(try range(" ", 18, "see https://x.org.") == nil)
    #expect(try range(" ", 18, "see https://x.org and") == nil)
    #expect(try range(" ", 17, "see https://x.org and") == 4..<17)
    #expect(try range(" ", 17, "see https://x.org\nnext") == 4..<17)
    #expect(try range(" ", 18, "see https://x.org\nnext") == nil)
    #expect(try range(" ", 99, "see https://x.org") == nil)
    #expect(try range(" ", -1, "see https://x.org") == nil)
    #expect(try range(" ", 0, "") == nil)
  }

  @Test func theActionSetsTheAddressOnce() throws {
    var text = try state("x.dev")
    let action = try #require(AutomaticLink.action(beforeTyping: " ", at: 5, in: text))
    try text.apply(action)
    #expect(text.texts(of: "link", .string("https://x.dev")) == ["x.dev"])
    #expect(AutomaticLink.action(beforeTyping: " ", at: 5, in: text) == nil)
  }

  @Test func aLongParagraphIsReadAroundTheCaretOnly() throws {
    let text = String(repeating: "a", count: 100_000) + " https://x.org"
    #expect(try range(" ", text.count, text) == 100_001..<100_014)
    let cut = "https://x.org/" + String(repeating: "a", count: 3_000)
    #expect(try range(" ", cut.count, cut) == nil)
  }
}

@Suite struct CaretValueTests {
  /// Rows 53 and 54: the unit before the caret counts, and a link comes first.
  @Test func linksComeFirstThenPatterns() throws {
    let rules = try rules(
      "[[patterns]]\nname = 'word'\nmatch = '\\w+'\n[[patterns]]\nname = 'any'\nmatch = '.'\n[links]"
    )
    let text = try state("ab x.dev", [(0..<2, ["link": .string("to")])])
    let styled = StyledText(text, by: rules)
    func names(_ caret: Int) -> [String] { styled.values(atCaret: caret, rules).map(\.name) }
    #expect(names(0) == ["link", "word", "any"])
    #expect(names(1) == ["link", "word", "any"])
    #expect(names(2) == ["link", "word", "any"])
    #expect(names(3) == ["any"])
    #expect(names(4) == ["url", "word", "any"])
    #expect(names(8) == ["url", "word", "any"])
    #expect(names(9) == [] && names(-1) == [])
    let value = try #require(styled.values(atCaret: 8, rules).first)
    #expect(value.value == .string("https://x.dev") && value.range == UTF16Range(3..<8))
    #expect(StyledText(TextState(), by: rules).values(atCaret: 0, rules).isEmpty)
  }

  /// The facts for "abc" with a = p, b = b, c = b and i.
  @Test func activeTagsAreThoseOfTheUnitBefore() throws {
    let text = try state(
      "abc",
      [
        (0..<1, ["p": .bool(true)]), (1..<3, ["b": .bool(true)]), (2..<3, ["i": .bool(true)]),
      ])
    let active = (0...3).map { caret in
      text.attributes(at: max(0, caret - 1)).attributes.map(\.name).joined(separator: ",")
    }
    #expect(active == ["p", "p", "b", "b,i"])
  }
}
