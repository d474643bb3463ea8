import EditModel
import Projections
import TextState

/// The slow picture of a search: in every version all matches, each as the list of its units.
struct SearchOracle {
  struct Match: Hashable {
    var units: [Int]
    var text: [UInt16]
    var location: Int
    var paragraph: ParagraphID
    var appeared: SequenceNumber
    var vanished: SequenceNumber?
  }

  /// Finds the matches of a text, as ranges.
  let find: ([UInt16], TextState) -> [Range<Int>]
  /// The numbers of the units of the text.
  private var units: [Int] = []
  private var nextUnit = 0
  private var living: [[Int]: Match] = [:]
  private var ended: [Match] = []

  init(_ find: @escaping ([UInt16], TextState) -> [Range<Int>]) { self.find = find }

  /// `state` is the version after the edit.
  mutating func apply(_ action: EditAction, _ state: TextState) {
    if let replacement = action.replacement {
      units.replaceSubrange(
        action.range.bounds, with: nextUnit..<nextUnit + replacement.count)
      nextUnit += replacement.count
    }
    let text = state.text.units
    var now: [[Int]: Match] = [:]
    for range in find(text, state) {
      let key = Array(units[range])
      now[key] =
        living[key]
        ?? Match(
          units: key, text: Array(text[range]), location: range.lowerBound,
          paragraph: state.paragraph(at: state.paragraphIndex(at: range.lowerBound)).id,
          appeared: state.sequence)
    }
    for (key, match) in living where now[key] == nil {
      var match = match
      match.vanished = state.sequence
      ended.append(match)
    }
    living = now
  }

  /// All matches in the order in which they appeared.
  var matches: [Match] {
    (ended + living.values).sorted { ($0.appeared, $0.location) < ($1.appeared, $1.location) }
  }

  /// The matches of a string: the leftmost ones that do not overlap.
  static func fixed(_ pattern: [UInt16]) -> ([UInt16], TextState) -> [Range<Int>] {
    { text, _ in
      var (found, start) = ([Range<Int>](), 0)
      while start + pattern.count <= text.count {
        if text[start..<start + pattern.count].elementsEqual(pattern) {
          found.append(start..<start + pattern.count)
          start += pattern.count
        } else {
          start += 1
        }
      }
      return found
    }
  }

  /// The matches of Swift's `Regex` in each paragraph, without its terminator.
  static func lines(
    _ pattern: String, ignoresCase: Bool = false
  ) throws -> ([UInt16], TextState) -> [Range<Int>] {
    let regex = try Regex(pattern).matchingSemantics(.unicodeScalar)
      .wordBoundaryKind(.simple).ignoresCase(ignoresCase)
    return { text, state in
      state.paragraphs.flatMap { paragraph -> [Range<Int>] in
        var content = text[paragraph.range.bounds]
        if content.last == 0x0A {
          content.removeLast()
          if content.last == 0x0D { content.removeLast() }
        } else if content.last == 0x0D || content.last == 0x2029 {
          content.removeLast()
        }
        return ranges(of: regex, in: content)
      }
    }
  }

  /// The matches of a regular expression that are not empty.
  static func ranges(of regex: Regex<AnyRegexOutput>, in line: ArraySlice<UInt16>) -> [Range<Int>] {
    let string = String(decoding: line, as: UTF16.self)
    return string.matches(of: regex).compactMap { match in
      guard !match.range.isEmpty else { return nil }
      let lower = match.range.lowerBound.utf16Offset(in: string)
      let upper = match.range.upperBound.utf16Offset(in: string)
      return line.startIndex + lower..<line.startIndex + upper
    }
  }
}
