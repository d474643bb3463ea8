import EditModel
import Styling
import TextState

/// Cases of the rows around a block of paragraphs, and the numbers that they share.
struct BlockCases: Decodable {
  struct Theme: Decodable {
    var marginTop: Int?
    var marginBottom: Int?
    var paddingTop: Int?
    var paddingBottom: Int?

    var spacing: BlockSpacing {
      BlockSpacing(
        marginBefore: marginTop ?? 0, marginAfter: marginBottom ?? 0,
        paddingBefore: paddingTop ?? 0,
        paddingAfter: paddingBottom ?? 0)
    }
  }

  var theme: Theme
  var cases: [BlockCase]
}

/// A case of the rows around a block.
struct BlockCase: Decodable {
  struct Block: Decodable {
    var range: [Int]
  }

  struct Rows: Decodable {
    var index: Int
    var spacingBefore: Int
    var spacingAfter: Int
  }

  struct LastRows: Decodable {
    var spacingBefore: Int
    var spacingAfter: Int
  }

  var name: String
  var text: String
  var block: Block
  var expected: [Rows]
  var extraLineFragmentAttributes: LastRows?

  /// What our outcome has that the case has not.
  func differences(_ theme: BlockCases.Theme) -> [String] {
    do {
      let range = try GranularityCase.range(block.range)
      var state = TextState()
      try state.apply(EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text)))
      try state.apply(
        EditAction(
          range: range, replacement: nil,
          attributes: .merge([
            AttributeRun(length: range.length, attributes: ["block": .bool(true)])
          ])))
      var registry = DecorationRegistry()
      registry.register(
        "block", .background, .contiguousParagraphs, spacing: theme.spacing
      ) { call, _ in call.decoration("case") }
      let spacing = registry.spacing(of: 0..<state.paragraphCount, in: state)
      var differences: [String] = []
      for rows in expected {
        guard rows.index >= 0, rows.index < state.length else {
          throw Problem("unit \(rows.index) is not in the text")
        }
        let found = spacing[state.paragraphIndex(at: rows.index)]
        differences += difference(
          "rows before unit \(rows.index)", found.before, rows.spacingBefore)
        differences += difference("rows after unit \(rows.index)", found.after, rows.spacingAfter)
      }
      if let rows = extraLineFragmentAttributes, let found = spacing.last {
        differences += difference("rows before the last line", found.before, rows.spacingBefore)
        differences += difference("rows after the last line", found.after, rows.spacingAfter)
      }
      return differences
    } catch { return ["\(error)"] }
  }
}
