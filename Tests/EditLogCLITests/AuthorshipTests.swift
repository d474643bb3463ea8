import EditModel
import EditProtocol
import Foundation
import FoundationXML
import TestSupport
import Testing

@testable import EditLogCommands

/// What `blame --format svg` prints of real stores.
@Suite struct AuthorshipTests {
  /// The elements and the texts of a picture.
  private final class Elements: NSObject, XMLParserDelegate {
    var (names, texts): ([String], [String]) = ([], [])
    private var text = ""

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) {
      names.append(name)
      text = ""
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(
      _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
      if !text.isEmpty { texts.append(text) }
      text = ""
    }
  }

  /// The picture of a history, with its elements.
  private func picture(
    of script: HistoryScript, name: String = "d", _ options: [String] = []
  ) async throws -> (svg: String, elements: Elements) {
    let store = try RealStore(script.entries, document: name)
    let (printed, _, code) = try await store.run(
      BlameCommand.self, [name, "--format", "svg"] + options)
    #expect(code == 0 && printed.hasSuffix("</svg>\n"))
    let (elements, parser) = (Elements(), XMLParser(data: Data(printed.utf8)))
    parser.delegate = elements
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    #expect(elements.names.prefix(3) == ["svg", "title", "desc"])
    return (printed, elements)
  }

  @Test func `a picture has the share of each author`() async throws {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    try script.replace(0..<0, "alpha beta", .load, author: "ann")
    script.wait(seconds: 3_600)
    try script.replace(10..<10, " gamma", .program, author: "bot")
    script.wait(seconds: 3_600)
    try script.replace(0..<0, "abcd", .typing)
    let (svg, elements) = try await picture(of: script)
    let sentences = """
      20 units by 3 authors, version 3. ann: 10 units, 50.0 %. bot (agent): 6 units, 30.0 %. \
      author unknown: 4 units, 20.0 %. \
      Written from 2026-07-01 12:00:00 to 2026-07-01 14:00:00.
      """
    #expect(elements.texts.contains(sentences), "\(elements.texts)")
    for text in ["Authors of d", "ann", "bot (agent)", "30.0 %", "When this text was written"] {
      #expect(elements.texts.contains { $0.hasSuffix(text) }, "\(text)")
    }
    // The strip begins with the writer of the least, and each bar is of one writer.
    #expect(svg.contains("<rect fill=\"url(#p2)\" x=\"20\" y=\"76\" width=\"144\""))
    #expect(elements.texts.contains("ann, 4 to 14"))
    #expect(elements.texts.contains("ann: 10 units") && svg.components(of: "<pattern") == 3)
    #expect(svg.contains("prefers-color-scheme: dark"))
    let (part, _) = try await picture(of: script, ["--at", "1"])
    #expect(part.contains("10 units by 1 author, version 1"))
  }

  @Test func `a picture holds no markup of names`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "x", author: "</svg>\u{1B}[2J\u{202E}&\"")
    let (svg, elements) = try await picture(of: script, name: "<script>\u{1B}[2J&\"\u{0}\u{202E}")
    #expect(!svg.contains("<script>") && svg.components(of: "</svg>") == 1)
    #expect(svg.unicodeScalars.allSatisfy { $0 == "\n" || $0.showsItself })
    #expect(elements.texts.contains("1 unit, 100.0 %"))
  }

  @Test func `no text is said in words`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "x", author: "ann")
    try script.replace(0..<1, "", .removal, author: "ann")
    let (svg, elements) = try await picture(of: script)
    #expect(elements.texts.contains("no text, version 2."))
    #expect(!svg.contains("url(#"))
  }

  /// Eight authors have a colour of their own, and pieces are no narrower than a pixel.
  @Test func `a hundred authors and thousands of pieces are bounded`() async throws {
    var script = HistoryScript()
    for number in 0..<3_000 {
      try script.replace(0..<0, number % 100 < 8 ? "long" : "x", author: "author \(number % 100)")
      script.wait(seconds: 7)
    }
    let (svg, elements) = try await picture(of: script)
    #expect(elements.texts.contains("92 others"))
    #expect(elements.texts.contains("author 7") && !elements.texts.contains("author 8"))
    #expect(svg.components(of: "<pattern") == 9)
    #expect(svg.components(of: " y=\"76\"") <= 720)
    #expect(elements.names.count { $0 == "rect" } <= 720 + 60 * 9 + 9 * 2 + 2)
  }
}

extension String {
  fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
