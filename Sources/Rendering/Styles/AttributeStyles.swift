public import EditModel
import Styling
public import TextGrid
public import TextState

/// Styles that follow from the attributes of a text alone: `bold`, `italic`, `underline`,
/// `strikethrough` and `dim`, colours in `foreground` and `background`, and addresses in `link` or
/// `url`. Nothing is drawn around the text.
public struct AttributeStyles: TextStyles, Sendable {
  private let state: TextState
  private let theme = Theme()

  /// The styles of a version.
  public init(_ state: TextState) { self.state = state }

  /// No blank rows, and no indent.
  public func format(ofParagraph index: Int) -> ParagraphFormat { ParagraphFormat() }

  /// The looks of the units of `range`. O(log n + runs in it).
  public func looks(in range: UTF16Range) -> [LookRun] {
    state.attributeRuns(in: range).map { run in
      var appearance = theme.appearance(of: .paragraph, run.attributes, on: .light)
      let link = run.attributes.link
      if link != nil { appearance.underline = true }
      return LookRun(length: run.length, looks: Looks(appearance), link: link)
    }
  }

  /// None.
  public func decorations(in range: UTF16Range, lines: [UTF16Range]) -> [StyledDecoration] { [] }

  /// The attachment of the attributes. O(log n).
  public func attachment(at offset: Int) -> Attachment? {
    Attachment(state.attributes(at: offset).attributes)
  }

  /// No rows.
  public func padding(ofParagraph index: Int) -> (before: Int, after: Int) { (0, 0) }
}

extension AttributeSet {
  /// The address that text with these attributes leads to; nil if it has none, or one that no browser
  /// should be asked to open.
  var link: String? {
    for name in ["link", "url"] {
      if case .string(let address)? = self[name], LinkAddress.isSafe(address) { return address }
    }
    return nil
  }
}
