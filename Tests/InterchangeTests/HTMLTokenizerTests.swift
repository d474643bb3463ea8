import Foundation
import Testing

@testable import Interchange

/// The tokenizer against public tests of the HTML standard's; `Fixtures` says from where, and what is left out.
@Suite struct HTMLTokenizerTests {
  private static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures/html5lib-tokenizer.json")

  @Test func conformanceTestsPass() throws {
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: Self.file))
    let groups = try #require((object as? [String: Any])?["groups"] as? [[String: Any]])
    var count = 0
    for group in groups {
      let state = try #require(group["state"] as? String)
      let element = try #require(group["element"] as? String)
      for test in try #require(group["tests"] as? [[Any]]) {
        let input = try #require(test[0] as? String)
        let read = try Self.tokens(of: input, state, in: element)
        #expect(try Self.json(read) == Self.json(test[1]), "\(state), \(element): \(input)")
        count += 1
      }
    }
    #expect(count == 3811)
  }

  private static func json(_ value: Any) throws -> String {
    let data = try JSONSerialization.data(withJSONObject: [value], options: .sortedKeys)
    return String(decoding: data, as: UTF8.self)
  }

  /// The tokens of a document as the tests have them.
  private static func tokens(
    of input: String, _ state: String, in element: String
  ) throws -> [Any] {
    // A reader takes one U+FEFF for the mark of the encoding.
    let mark = input.utf8.starts(with: "\u{FEFF}".utf8) ? "\u{FEFF}" : ""
    var (tokenizer, tokens) = (try HTMLTokenizer(Array((mark + input).utf8)), [Any]())
    tokenizer.content = content(state, element.isEmpty ? "no element" : element)
    while let token = try tokenizer.next() {
      switch token {
      case .text(let units):
        let text = String(decoding: units, as: UTF16.self)
        if let last = tokens.last as? String {
          tokens[tokens.count - 1] = last + text
        } else {
          tokens.append(text)
        }
      case .comment(let bytes): tokens.append(["c": String(decoding: bytes, as: UTF8.self)])
      case .documentType: tokens.append(["d": 1])
      case .end(let tag): tokens.append(["e": tag])
      case .start(let tag, let members, let isClosed):
        tokens.append(["s": tag, "m": members].merging(isClosed ? ["x": 1] : [:]) { $1 })
      }
    }
    return tokens
  }

  private static func content(_ state: String, _ element: String) -> HTMLTokenizer.Content {
    switch state {
    case "RCDATA": .text(until: element)
    case "RAWTEXT": .raw(until: element)
    case "Script data": .script
    case "PLAINTEXT": .plain
    case "CDATA section": .section
    default: .data
    }
  }

  /// What Markdown takes for a reference: CommonMark wants a semicolon, and numbers are code points.
  @Test(
    arguments: [
      ("&copy;", "©"), ("&copy", nil), ("&nope;", nil), ("&CounterClockwiseContourIntegral;", "∳"),
      ("&#128;", "\u{80}"), ("&#65", nil), ("&#x0;", "\u{FFFD}"), ("&#12345678;", nil), ("&", nil),
      ("&;", nil), ("&#;", nil), ("&#x;", nil), ("&NotEqualTilde;", "≂\u{338}"),
    ] as [(String, String?)])
  func referencesOfMarkdownAreClosed(reference: String, expected: String?) {
    let found = HTMLReferences.reference(Array(reference.utf8)[...], in: .markdown)
    #expect(found.map { String(decoding: $0.units, as: UTF16.self) } == expected)
    #expect(found?.end ?? reference.utf8.count == reference.utf8.count)
  }
}
