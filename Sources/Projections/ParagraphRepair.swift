public import EditModel
import TextState

/// The paragraphs of a host's model, corrected so that together they are a text: each but the last
/// ends with a terminator, and no paragraph has one before its end.
///
/// It is the first half of the initial synchronisation from a model. The other half is the edit
/// that loads `text`: the state after it has `paragraphs`.
public struct ParagraphRepair: Hashable, Sendable {
  /// One correction. `index` is that of a paragraph in the model.
  public enum Correction: Hashable, Sendable {
    /// The model had no paragraph: the empty one was added.
    case emptyAdded
    /// The paragraph had no terminator at its end: an LF was added.
    case terminatorAdded(index: Int)
    /// The last paragraph had a terminator at its end: it was removed.
    case terminatorRemoved(index: Int)
    /// The paragraph had terminators before its end: it is now `count` paragraphs.
    case divided(index: Int, count: Int)
    /// The paragraph began with the LF of a CR at the end of the one before: the LF is now the end
    /// of that one. If nothing else was in the paragraph, it is gone.
    case terminatorJoined(index: Int)
  }

  /// The paragraphs after the corrections, terminators included.
  public let paragraphs: [UTF16Text]
  /// The corrections, by ascending index.
  public let corrections: [Correction]
  /// For each of `paragraphs`, the index of the paragraph in the model in which it starts: a host
  /// keeps what belongs to it. Nil if the model had no paragraph.
  public let sources: [Int?]

  /// The whole text.
  public var text: UTF16Text { paragraphs.reduce(into: UTF16Text()) { $0.append($1) } }

  /// Repairs the paragraphs of a model. O(n).
  ///
  /// - Throws: `EditError.textTooLong` if they have more than `EditAction.textLengthMax` units.
  public init(_ model: [UTF16Text]) throws(EditError) {
    var corrections: [Correction] = model.isEmpty ? [.emptyAdded] : []
    var (text, starts): (UTF16Text, [Int]) = (UTF16Text(), [])
    for (index, paragraph) in model.enumerated() {
      starts.append(text.count)
      var units = paragraph.units
      let length = Self.terminatorLength(of: units)
      if index < model.count - 1, length == 0 {
        units.append(0x0A)
        corrections.append(.terminatorAdded(index: index))
      } else if index == model.count - 1, length > 0 {
        units.removeLast(length)
        corrections.append(.terminatorRemoved(index: index))
      }
      text.append(contentsOf: units)
    }
    var state = TextState()
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: text))
    let found = Array(state.paragraphs)
    paragraphs = found.map { state.text(in: $0.range) }
    sources = found.map { paragraph in
      let source = starts.partitionPoint { $0 <= paragraph.range.location } - 1
      return source < 0 ? nil : source
    }
    corrections += Self.divisions(of: starts, length: text.count, into: found)
    self.corrections = corrections.enumerated()
      .sorted { ($0.element.index, $0.offset) < ($1.element.index, $1.offset) }.map(\.element)
  }

  /// The units of the terminator at the end of a text; 0 if there is none.
  private static func terminatorLength(of units: [UInt16]) -> Int {
    guard let last = units.last, [0x0A, 0x0D, 0x2029].contains(last) else { return 0 }
    return last == 0x0A && units.dropLast().last == 0x0D ? 2 : 1
  }

  /// The corrections of paragraphs that start at `starts` and are not those of the text.
  private static func divisions(
    of starts: [Int], length: Int, into found: [ParagraphDescriptor]
  ) -> [Correction] {
    var (corrections, next): ([Correction], Int) = ([], 0)
    for (index, start) in starts.enumerated() {
      if next < found.count, found[next].range.location > start, index > 0 {
        corrections.append(.terminatorJoined(index: index))
      }
      let end = index + 1 < starts.count ? starts[index + 1] : length + 1
      let first = next
      while next < found.count, found[next].range.location < end { next += 1 }
      if next - first > 1 { corrections.append(.divided(index: index, count: next - first)) }
    }
    return corrections
  }
}

extension ParagraphRepair.Correction {
  /// The index of the paragraph in the model; 0 if the model had none.
  fileprivate var index: Int {
    switch self {
    case .emptyAdded: 0
    case .terminatorAdded(let index), .terminatorRemoved(let index), .divided(let index, _),
      .terminatorJoined(let index):
      index
    }
  }
}
