import EditModel
import Styling
import TextState

/// A case of decorations: what the runs of an attribute are expanded to.
struct GranularityCase: Decodable {
  struct Run: Decodable {
    var range: [Int]
    var value: String
  }

  struct Call: Decodable, Equatable, CustomStringConvertible {
    var attributeRunRange: [Int]
    var granularityExpandedRange: [Int]
    var value: String

    var description: String { "\(attributeRunRange) \(granularityExpandedRange) \(value)" }
  }

  var name: String
  var text: String
  var length_utf16: Int?
  var attribute_runs: [Run]
  var granularity: String
  var drawn_range: [Int]
  var line_fragments: [[Int]]?
  var recommended: [Call]

  /// What our outcome has that the recommended one has not.
  var differences: [String] {
    do {
      var state = TextState()
      try state.apply(EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text)))
      for run in attribute_runs {
        let range = try Self.range(run.range)
        let attributes: AttributeSet = ["attribute": .string(run.value)]
        try state.apply(
          EditAction(
            range: range, replacement: nil,
            attributes: .merge([AttributeRun(length: range.length, attributes: attributes)])))
      }
      guard let granularity = Self.granularities[granularity] else {
        throw Problem("there is no granularity \(granularity)")
      }
      var registry = DecorationRegistry()
      registry.register("attribute", .background, granularity) { call, _ in
        call.decoration("case")
      }
      let drawn = try Self.range(drawn_range)
      let lines = try (line_fragments ?? []).map(Self.range)
      guard drawn.upperBound <= state.length else { throw Problem("\(drawn) is not in the text") }
      let calls = registry.decorations(in: drawn, lines: lines, of: state).map { decoration in
        Call(
          attributeRunRange: Self.numbers(decoration.runRange),
          granularityExpandedRange: Self.numbers(decoration.range),
          value: decoration.value.text)
      }
      return (length_utf16.map { difference("length", state.length, $0) } ?? [])
        + difference("calls", calls, recommended)
    } catch { return ["\(error)"] }
  }

  private static let granularities: [String: DecorationGranularity] = [
    "characterRuns": .characterRuns, "singleParagraph": .singleParagraph,
    "contiguousParagraphs": .contiguousParagraphs,
  ]

  static func range(_ numbers: [Int]) throws -> UTF16Range {
    guard numbers.count == 2, let range = UTF16Range(location: numbers[0], length: numbers[1])
    else { throw Problem("\(numbers) is not a range") }
    return range
  }

  private static func numbers(_ range: UTF16Range) -> [Int] { [range.location, range.length] }
}

extension AttributeValue {
  fileprivate var text: String { if case .string(let text) = self { text } else { "\(self)" } }
}
