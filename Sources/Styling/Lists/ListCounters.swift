public import EditModel
public import TextState

/// Numbers the items of lists: what was counted so far at each level.
///
/// An item of kind `ordered-item` has the number after that of the item before it at its level, if
/// only items of lists at deeper levels lie between them, and 1 else. So a list ends at a paragraph
/// of another kind, and at an item of a list at its level that is not numbered; an item of a lower
/// level ends the lists inside. An integer in the attribute `ordered-start` of an item is its number.
public struct ListCounters: Hashable, Sendable {
  /// The attribute that gives an item its number: an integer from 0 to `numberMax`. Another value
  /// counts as absent.
  public static let startAttribute = "ordered-start"
  /// The greatest number. Items after it have it as well.
  public static let numberMax = 999_999_999
  /// The number of levels. Deeper ones count as the last.
  public static let levelMax = 64

  /// For each level, from 1, the number of the last item; 0 if no numbered list is open there. The last
  /// one is not 0.
  public private(set) var numbers: [Int]

  /// No list is open.
  public init() { numbers = [] }

  /// The counters after items with these numbers.
  ///
  /// - Parameter numbers: As `numbers`. Levels after `levelMax`, and what is no number, is left out.
  public init(numbers: [Int]) {
    self.numbers = numbers.prefix(Self.levelMax).map { min(max($0, 0), Self.numberMax) }
    trim()
  }

  private mutating func trim() {
    while numbers.last == 0 { numbers.removeLast() }
  }

  /// Counts a paragraph.
  ///
  /// - Parameters:
  ///   - kind: What it is.
  ///   - start: Its number, if it is given.
  /// - Returns: Its number; nil if it is no item of a numbered list.
  public mutating func count(_ kind: ParagraphKind, start: Int? = nil) -> Int? {
    let level = min(kind.level, Self.levelMax)
    switch kind.name {
    case ParagraphKind.orderedItem:
      numbers.removeLast(max(0, numbers.count - level))
      while numbers.count < level { numbers.append(0) }
      // A list that begins may have the number 0, which is kept as a list that is not open.
      numbers[level - 1] = start ?? min(numbers[level - 1] + 1, Self.numberMax)
      defer { trim() }
      return numbers[level - 1]
    case ParagraphKind.listItem:
      numbers.removeLast(max(0, numbers.count - (level - 1)))
      trim()
    default: numbers = []
    }
    return nil
  }

  /// Counts a paragraph of a version. O(log n).
  ///
  /// - Parameters:
  ///   - paragraph: Its descriptor.
  ///   - state: The version.
  /// - Returns: Its number; nil if it is no item of a numbered list.
  public mutating func count(_ paragraph: ParagraphDescriptor, in state: TextState) -> Int? {
    guard !paragraph.range.isEmpty else {
      numbers = []
      return nil
    }
    let attributes = state.attributes(at: paragraph.range.location).attributes
    return count(ParagraphKind(attributes), start: Self.start(attributes))
  }

  /// The number that attributes give an item; nil if they give none.
  package static func start(_ attributes: AttributeSet) -> Int? {
    guard case .integer(let number)? = attributes[startAttribute],
      0...Int64(numberMax) ~= number
    else { return nil }
    return Int(number)
  }

  /// The counters before a paragraph. O(p · log n), where p is how many items of lists are before it
  /// without a paragraph of another kind between them.
  ///
  /// - Parameters:
  ///   - paragraph: The paragraph, by index.
  ///   - state: The version.
  ///   - bound: The first paragraph that is looked at.
  /// - Returns: The counters, and whether they are right: false if the list that the paragraph may go on
  ///   with begins before `bound`. It is then counted from there.
  public static func before(
    _ paragraph: Int, in state: TextState, notBefore bound: Int
  ) -> (counters: ListCounters, isExact: Bool) {
    var counters = ListCounters()
    guard isItem(paragraph, state) else { return (counters, true) }
    var first = paragraph
    while first > max(bound, 0), isItem(first - 1, state) { first -= 1 }
    for paragraph in state.paragraphs[first..<paragraph] {
      _ = counters.count(paragraph, in: state)
    }
    return (counters, first == 0 || first > bound || !isItem(first - 1, state))
  }

  /// True if a paragraph is an item of a list, with a number or without. O(log n).
  ///
  /// - Parameters:
  ///   - paragraph: The paragraph, by index.
  ///   - state: The version.
  public static func isItem(_ paragraph: Int, _ state: TextState) -> Bool {
    guard paragraph < state.paragraphCount else { return false }
    let kind = ParagraphKind(of: state.paragraph(at: paragraph), in: state)
    return kind.name == ParagraphKind.orderedItem || kind.name == ParagraphKind.listItem
  }
}
