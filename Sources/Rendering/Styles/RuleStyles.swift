public import EditModel
public import Styling
public import TextGrid
import TextState

/// Styles by rules: a theme, decorations, and the space that they need around paragraphs.
///
/// The answers are those of the styled paragraphs; others have no styles. A bar and a bullet are drawn
/// beside the text, so the paragraphs with them are indented: by two cells for each level, and by four for
/// a level with numbers, or more if the sign is wider, so that the sign of an item inside another stands
/// under the text of that; by none for an item of a list if the text has a sign of its own, as in Markdown.
public struct RuleStyles: TextStyles, Sendable {
  /// The levels of bars and bullets that are drawn, at most.
  public static let levelMax = 8

  private let text: StyledText
  private let rules: StyleRules
  /// One each for the styled paragraphs.
  private let spacing: [ParagraphSpacing]
  private let indents: [(all: Int, sign: Int)]
  private let numbering: ListNumbering

  /// Cells for a bullet and the space after it.
  private static let bulletCells = 2
  /// Cells for a number of at most two digits, its dot, and the space after it.
  private static let numberCells = 4

  /// Cells for the sign of an item and the space after it.
  ///
  /// - Parameters:
  ///   - sign: The sign.
  ///   - isNumbered: True if the item is drawn with a number.
  static func signCells(_ sign: String, isNumbered: Bool) -> Int {
    max(isNumbered ? numberCells : bulletCells, ShownText.cut(sign, cells: .max).cells + 1)
  }

  /// The styles of a text by rules. O(attribute runs of the styled paragraphs).
  ///
  /// - Parameters:
  ///   - text: The styled paragraphs.
  ///   - rules: The rules that styled them.
  ///   - place: Where items of lists were counted up to; nil to look for the start of the list that is
  ///     open at the first styled paragraph, up to `ListNumbering.lookBackMax` paragraphs before.
  public init(_ text: StyledText, _ rules: StyleRules, listsFrom place: ListNumbering.Place? = nil)
  {
    (self.text, self.rules) = (text, rules)
    spacing = rules.spacing(of: text)
    numbering = ListNumbering(text, rules, from: place)
    indents = Self.indents(text, rules, numbering)
  }

  /// False if the numbers of items of a list may be too small, because the list begins too far before
  /// the styled paragraphs.
  public var areNumbersExact: Bool { numbering.isExact }

  /// What was counted of lists before a styled paragraph. O(the styled paragraphs before it).
  ///
  /// - Parameter paragraph: The paragraph, by index.
  public func listPlace(before paragraph: Int) -> ListNumbering.Place {
    numbering.place(before: paragraph)
  }

  private static func indents(
    _ text: StyledText, _ rules: StyleRules, _ numbering: ListNumbering
  ) -> [(all: Int, sign: Int)] {
    var indents = text.paragraphs.map { _ in (all: 0, sign: 0) }
    var barCells = indents.map { _ in 0 }
    guard let first = text.paragraphs.first, let last = text.paragraphs.last else { return [] }
    let state = text.state
    let range = UTF16Range(
      state.paragraph(at: first).range.location..<state.paragraph(at: last).range.upperBound)
    for decoration in rules.decorations.decorations(in: range, lines: [], of: state) {
      let level = decoration.value.drawnLevel
      let touched = state.paragraphs(in: decoration.range).indices.clamped(to: text.paragraphs)
      switch decoration.kind {
      case BuiltInDecoration.bar.rawValue:
        for paragraph in touched {
          indents[paragraph - first].all += 2 * level
          barCells[paragraph - first] += 2 * level
        }
      case BuiltInDecoration.bullet.rawValue, BuiltInDecoration.number.rawValue:
        let isNumber = decoration.kind == BuiltInDecoration.number.rawValue
        for paragraph in touched where !state.hasListSign(state.paragraph(at: paragraph)) {
          let sign = sign(
            of: decoration, number: numbering.number(ofParagraph: paragraph), rules)
          let own = signCells(sign ?? "", isNumbered: isNumber)
          let around = (1..<max(level, 1)).reduce(0) { cells, level in
            let number = numbering.number(aroundParagraph: paragraph, atLevel: level)
            guard let number else { return cells + bulletCells }
            let kind = ParagraphKind(ParagraphKind.orderedItem, level: level)
            let item = ListItem(kind, number: number)
            let sign = rules.signs.output(for: item)?.shown(item).withoutSpacesAtEnd
            return cells + signCells(sign ?? "", isNumbered: true)
          }
          indents[paragraph - first].all += around + own
          indents[paragraph - first].sign += own
        }
      default: break
      }
    }
    for index in indents.indices where indents[index].sign > 0 {
      indents[index].sign += barCells[index]
    }
    return indents
  }

  private func index(of paragraph: Int) -> Int? {
    text.paragraphs.contains(paragraph) ? paragraph - text.paragraphs.lowerBound : nil
  }

  /// The blank rows and the indent that decorations need.
  public func format(ofParagraph index: Int) -> ParagraphFormat {
    guard let place = self.index(of: index) else { return ParagraphFormat() }
    return ParagraphFormat(
      rowsBefore: spacing[place].before, rowsAfter: spacing[place].after,
      indent: indents[place].all, signCells: indents[place].sign)
  }

  /// The blank rows of a paragraph that lie inside the decoration of its block.
  public func padding(ofParagraph index: Int) -> (before: Int, after: Int) {
    guard let place = self.index(of: index) else { return (0, 0) }
    return (spacing[place].paddingBefore, spacing[place].paddingAfter)
  }

  /// The looks of the units of `range`, by the theme. O(log n + runs in it).
  public func looks(in range: UTF16Range) -> [LookRun] {
    let state = text.state
    var looks: [LookRun] = []
    guard !range.isEmpty else { return looks }
    for paragraph in state.paragraphs(in: range) {
      let kind = ParagraphKind(of: paragraph, in: state)
      let part = paragraph.range.bounds.clamped(to: range.bounds)
      for run in state.attributeRuns(in: UTF16Range(part)) {
        looks.append(
          LookRun(
            length: run.length,
            looks: Looks(
              light: rules.theme.appearance(of: kind, run.attributes, on: .light),
              dark: rules.theme.appearance(of: kind, run.attributes, on: .dark)),
            link: link(run.attributes)))
      }
    }
    return looks
  }

  private func link(_ attributes: AttributeSet) -> String? {
    if let name = rules.linkAttribute, case .string(let address)? = attributes[name],
      LinkAddress.isSafe(address)
    {
      return address
    }
    return attributes.link
  }

  /// The attachment of the attributes. O(log n).
  public func attachment(at offset: Int) -> Attachment? {
    Attachment(text.state.attributes(at: offset).attributes)
  }

  /// The decorations of the rules.
  public func decorations(in range: UTF16Range, lines: [UTF16Range]) -> [StyledDecoration] {
    let (registry, theme, state) = (rules.decorations, rules.theme, text.state)
    let light = registry.decorations(in: range, lines: lines, of: state) {
      theme.appearance(of: $0, on: .light)
    }
    let dark = registry.decorations(in: range, lines: lines, of: state) {
      theme.appearance(of: $0, on: .dark)
    }
    return zip(light, dark).map {
      StyledDecoration(
        $0, looks: Looks(light: $0.appearance, dark: $1.appearance), sign: sign(of: $0))
    }
  }

  /// What is drawn before the paragraph of a decoration: by the table of renderers, if the text has no
  /// sign of its own.
  private func sign(of decoration: Decoration) -> String? {
    guard BuiltInDecoration(rawValue: decoration.kind)?.isSign == true else { return nil }
    let state = text.state
    let index = state.paragraphIndex(at: decoration.range.location)
    guard !state.hasListSign(state.paragraph(at: index)) else { return nil }
    return Self.sign(of: decoration, number: numbering.number(ofParagraph: index), rules)
  }

  private static func sign(
    of decoration: Decoration, number: Int?, _ rules: StyleRules
  ) -> String? {
    let level =
      if case .integer(let level) = decoration.value { Int(clamping: level) } else { 1 }
    let kind = ParagraphKind(
      decoration.attribute, level: min(max(level, 1), ParagraphKind.levelMax))
    let item = ListItem(kind, number: number)
    return rules.signs.output(for: item)?.shown(item).withoutSpacesAtEnd
  }
}

extension String {
  /// The space after a sign is drawn anyway.
  fileprivate var withoutSpacesAtEnd: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

extension AttributeValue {
  /// The levels that are drawn, if the value is an integer, else 1.
  var drawnLevel: Int {
    if case .integer(let level) = self {
      Int(min(max(level, 1), Int64(RuleStyles.levelMax)))
    } else {
      1
    }
  }
}

extension TextState {
  /// True if a paragraph begins with `-`, `*`, `+` or `•`, or with digits and `.` or `)`, and a space.
  fileprivate func hasListSign(_ paragraph: ParagraphDescriptor) -> Bool {
    let start = paragraph.range.location
    let units = text(in: UTF16Range(start..<min(start + 64, paragraph.range.upperBound))).units
      .drop { $0 == 0x20 || $0 == 0x09 }
    let digits = units.prefix { 0x30...0x39 ~= $0 }
    let rest = units.dropFirst(digits.count)
    let signs: [UInt16] = digits.isEmpty ? [0x2A, 0x2B, 0x2D, 0x2022] : [0x29, 0x2E]
    return signs.contains(rest.first ?? 0) && [0x20, 0x09].contains(rest.dropFirst().first)
  }
}
