public import EditModel
public import Styling
public import TextGrid
import TextState

/// Styles by rules: a theme, decorations, and the space that they need around paragraphs.
///
/// The answers are those of the styled paragraphs; others have no styles. A bar and a bullet are drawn
/// beside the text, so the paragraphs with them are indented: by two cells for each level, and by none
/// for a bullet if the text has a sign of its own, as in Markdown.
public struct RuleStyles: TextStyles, Sendable {
  /// The levels of bars and bullets that are drawn, at most.
  public static let levelMax = 8

  private let text: StyledText
  private let rules: StyleRules
  /// One each for the styled paragraphs.
  private let spacing: [ParagraphSpacing]
  private let indents: [Int]

  /// The styles of a text by rules. O(attribute runs of the styled paragraphs).
  ///
  /// - Parameters:
  ///   - text: The styled paragraphs.
  ///   - rules: The rules that styled them.
  public init(_ text: StyledText, _ rules: StyleRules) {
    (self.text, self.rules) = (text, rules)
    spacing = rules.decorations.spacing(of: text.paragraphs, in: text.state)
    indents = Self.indents(text, rules)
  }

  private static func indents(_ text: StyledText, _ rules: StyleRules) -> [Int] {
    var indents = text.paragraphs.map { _ in 0 }
    guard let first = text.paragraphs.first, let last = text.paragraphs.last else { return [] }
    let state = text.state
    let range = UTF16Range(
      state.paragraph(at: first).range.location..<state.paragraph(at: last).range.upperBound)
    for decoration in rules.decorations.decorations(in: range, lines: [], of: state) {
      let level =
        if case .integer(let level) = decoration.value {
          Int(min(max(level, 1), Int64(levelMax)))
        } else { 1 }
      let touched = state.paragraphs(in: decoration.range).indices.clamped(to: text.paragraphs)
      switch decoration.kind {
      case BuiltInDecoration.bar.rawValue:
        for paragraph in touched { indents[paragraph - first] += 2 * level }
      case BuiltInDecoration.bullet.rawValue:
        for paragraph in touched where !hasListSign(state.paragraph(at: paragraph), state) {
          indents[paragraph - first] += 2 * level
        }
      default: break
      }
    }
    return indents
  }

  /// True if the text begins with `-`, `*`, `+` or `•` and a space.
  private static func hasListSign(_ paragraph: ParagraphDescriptor, _ state: TextState) -> Bool {
    let start = paragraph.range.location
    let units = state.text(
      in: UTF16Range(start..<min(start + 64, paragraph.range.upperBound))
    ).units.drop { $0 == 0x20 || $0 == 0x09 }
    let sign = units.first ?? 0
    return [0x2A, 0x2B, 0x2D, 0x2022].contains(sign)
      && [0x20, 0x09].contains(units.dropFirst().first)
  }

  private func index(of paragraph: Int) -> Int? {
    text.paragraphs.contains(paragraph) ? paragraph - text.paragraphs.lowerBound : nil
  }

  /// The blank rows and the indent that decorations need.
  public func format(ofParagraph index: Int) -> ParagraphFormat {
    guard let place = self.index(of: index) else { return ParagraphFormat() }
    return ParagraphFormat(
      rowsBefore: spacing[place].before, rowsAfter: spacing[place].after, indent: indents[place])
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
      StyledDecoration($0, looks: Looks(light: $0.appearance, dark: $1.appearance))
    }
  }
}
