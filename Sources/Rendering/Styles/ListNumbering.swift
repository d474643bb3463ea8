import EditModel
public import Styling
import TextState

/// The numbers of items of lists in the styled paragraphs of a text.
public struct ListNumbering: Sendable {
  /// A place up to which items were counted.
  public struct Place: Hashable, Sendable {
    /// The paragraph before which it lies, by index.
    public var paragraph: Int
    /// What was counted.
    public var counters: ListCounters

    /// A place.
    public init(before paragraph: Int, _ counters: ListCounters) {
      (self.paragraph, self.counters) = (paragraph, counters)
    }
  }

  /// Paragraphs before the styled ones that are looked at, at most, to find where a list begins.
  public static let lookBackMax = 1_024

  private let text: StyledText
  /// The first counted paragraph, and what was counted before it.
  private let start: Place
  /// From `start` on.
  private let numbers: [Int?]
  /// From `start` on: the numbered lists that are open around a paragraph, if it is an item, at the levels
  /// from 1 on that are not deeper than its own.
  private let open: [ArraySlice<Int>]
  /// False if a list begins before the paragraphs that were looked at.
  let isExact: Bool

  /// Counts the items of lists in the styled paragraphs. O(styled paragraphs · log n).
  ///
  /// - Parameters:
  ///   - text: The styled paragraphs.
  ///   - rules: The rules that styled them.
  ///   - place: A place up to which items were counted; nil to look for the start of the list.
  init(_ text: StyledText, _ rules: StyleRules, from place: Place?) {
    self.text = text
    let styled = text.paragraphs
    if let place {
      (start, isExact) = (place, true)
    } else {
      // Kinds that the rules derive are not known of the paragraphs before.
      let bound = rules.derivesKinds ? styled.lowerBound : styled.lowerBound - Self.lookBackMax
      let before = ListCounters.before(styled.lowerBound, in: text.state, notBefore: bound)
      start = Place(before: styled.lowerBound, before.counters)
      let isOpen =
        rules.derivesKinds && styled.lowerBound > 0
        && ListCounters.isItem(styled.lowerBound, text.state)
      isExact = before.isExact && !isOpen
    }
    var counters = start.counters
    let counted =
      min(max(start.paragraph, styled.lowerBound), styled.upperBound)..<styled.upperBound
    var (numbers, open): ([Int?], [ArraySlice<Int>]) = ([], [])
    for paragraph in text.state.paragraphs[counted] {
      numbers.append(counters.count(paragraph, in: text.state))
      open.append(counters.numbers.prefix(RuleStyles.levelMax))
    }
    (self.numbers, self.open) = (numbers, open)
  }

  /// The number of the item around an item at a level before its own; nil if it has none. O(1).
  func number(aroundParagraph index: Int, atLevel level: Int) -> Int? {
    let place = index - start.paragraph
    guard open.indices.contains(place), level >= 1, level <= open[place].count else { return nil }
    let number = open[place][open[place].startIndex + level - 1]
    return number > 0 ? number : nil
  }

  /// The number of a paragraph; nil if it is no item of a numbered list, or not counted. O(1).
  func number(ofParagraph index: Int) -> Int? {
    let place = index - start.paragraph
    return numbers.indices.contains(place) ? numbers[place] : nil
  }

  /// What was counted before a paragraph. O(the paragraphs).
  func place(before paragraph: Int) -> Place {
    var counters = start.counters
    let all = text.state.paragraphs
    let first = min(max(start.paragraph, 0), all.count)
    for paragraph in all[first..<min(max(paragraph, first), all.count)] {
      _ = counters.count(paragraph, in: text.state)
    }
    return Place(before: paragraph, counters)
  }
}
