import EditModel
import Foundation
import Rendering
import Styling
import Testing
import TextGrid
import TextState

/// A document with every built-in decoration, as each renderer shows it. The pictures were looked at; if a
/// change of them is meant, `EDITLOG_GOLDEN=1 swift test --filter GoldenTests` writes them anew.
@Suite struct GoldenTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Golden")

  private static let rulesText = """
    grammar = "markdown"
    [[patterns]]
    name = "mention"
    match = '@\\w*[0-9A-Za-z]'
    [links]
    """

  /// The kinds of paragraphs by attributes of the log, in a text without marks of its own.
  private static func attributed() throws -> Sheet {
    let text = """
      A heading
      one point
      inside it, and long enough to be wrapped onto a second row
      a quote
      code()
      """
    var (location, runs): (Int, [(Range<Int>, AttributeSet)]) = (0, [])
    let kinds: [AttributeSet] = [
      ["heading": .integer(1)], ["list-item": .integer(1)], ["list-item": .integer(2)],
      ["quote": .integer(1)], ["code-block": .bool(true)],
    ]
    for (line, kind) in zip(text.split(separator: "\n"), kinds) {
      let end = min(location + line.utf16.count + 1, text.utf16.count)
      runs.append((location..<end, kind))
      location = end
    }
    return RenderingTests.sheet(try state(text, runs), try rules(), width: 44)
  }

  private static func sheet() throws -> Sheet {
    let text = try String(contentsOf: folder.appending(path: "decorations.md"), encoding: .utf8)
    // Attributes of the log are shown beside those of the grammar.
    let struck = try #require(text.range(of: "struck"))
    let start = text.utf16.distance(from: text.startIndex, to: struck.lowerBound)
    let state = try state(text, [(start..<start + 6, ["strikethrough": .bool(true)])])
    return RenderingTests.sheet(state, try rules(rulesText), width: 44)
  }

  /// Numbered lists and attachments, which the log has.
  private static func lists() throws -> Sheet {
    let lines: [(String, AttributeSet)] = [
      ("See \u{FFFC} and \u{FFFC} beside it.", [:]), ("First", ["ordered-item": .integer(1)]),
      ("nested", ["ordered-item": .integer(2)]), ("nested too", ["ordered-item": .integer(2)]),
      ("a point", ["list-item": .integer(2)]),
      (
        "Second, and long enough to be wrapped onto a row of its own",
        ["ordered-item": .integer(1)]
      ),
      ("far on", ["ordered-item": .integer(1), "ordered-start": .integer(99)]),
      ("and on", ["ordered-item": .integer(1)]), ("in code: \u{FFFC}", ["code-block": .bool(true)]),
    ]
    let text = lines.map(\.0).joined(separator: "\n")
    var (location, runs): (Int, [(Range<Int>, AttributeSet)]) = (0, [])
    var sizes = [(16, 4, "plan.png"), (9, 1, "a long name.pdf"), (6, 2, "図.svg")]
    for (line, set) in lines {
      let end = min(location + line.utf16.count + 1, text.utf16.count)
      runs.append((location..<end, set))
      for (offset, unit) in line.utf16.enumerated() where unit == Attachment.unit {
        let (columns, rows, name) = sizes.removeFirst()
        runs.append(
          (
            location + offset..<location + offset + 1,
            Attachment(name: name, columns: columns, rows: rows).attributes
          ))
      }
      location = end
    }
    return RenderingTests.sheet(try state(text, runs), try rules(), width: 44)
  }

  private static func rendered(_ name: String) throws -> String {
    let sheet =
      switch name.prefix(while: { $0 != "." }) {
      case "attributes": try attributed()
      case "lists": try lists()
      default: try sheet()
      }
    let document = RenderedDocument(
      title: String(name.prefix { $0 != "." }), subtitle: "version 1")
    return switch name.drop(while: { $0 != "." }) {
    case ".txt": TextRenderer().render(sheet)
    case ".ansi": ANSIRenderer(mode: .dark).render(sheet)
    case ".html": HTMLRenderer(document).render([sheet])
    default: SVGRenderer(document).render([sheet])
    }
  }

  @Test(arguments: [
    "decorations.txt", "decorations.ansi", "decorations.html", "decorations.svg",
    "attributes.txt", "attributes.ansi", "attributes.html", "attributes.svg",
    "lists.txt", "lists.ansi", "lists.html", "lists.svg",
  ])
  func `decorations look as they did`(name: String) throws {
    let file = Self.folder.appending(path: name)
    let rendered = try Self.rendered(name)
    if ProcessInfo.processInfo.environment["EDITLOG_GOLDEN"] != nil {
      try Data(rendered.utf8).write(to: file)
    }
    let golden = try String(contentsOf: file, encoding: .utf8)
    let (found, wanted) = (rendered.split(separator: "\n"), golden.split(separator: "\n"))
    for (line, pair) in zip(found, wanted).enumerated() where pair.0 != pair.1 {
      Issue.record("\(name), line \(line + 1): \(pair.0), not \(pair.1)")
      return
    }
    #expect(rendered == golden)
  }

  @Test func `every built-in decoration is in the document`() throws {
    let kinds = Set((try Self.sheet().decorations + Self.lists().decorations).map(\.kind))
    #expect(kinds == Set(BuiltInDecoration.allCases.map(\.rawValue)).subtracting(["none"]))
  }
}
