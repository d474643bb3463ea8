public import EditModel
import Styling
public import TextGrid

/// Styles that follow from the attributes of a text alone: `bold`, `italic`, `underline`,
/// `strikethrough` and `dim`, colours in `foreground` and `background`, and addresses in `link` or
/// `url`. Nothing is drawn around the text, which may be in any storage.
public struct AttributeStyles<Storage: AttributedStorage>: TextStyles {
  private let storage: Storage
  private let theme = Theme()

  /// The styles of a text.
  public init(_ storage: Storage) { self.storage = storage }

  /// No blank rows, and no indent.
  public func format(ofParagraph index: Int) -> ParagraphFormat { ParagraphFormat() }

  /// The looks of the units of `range`. The storage is asked for each run in it.
  public func looks(in range: UTF16Range) -> [LookRun] {
    var (looks, place): ([LookRun], Int) = ([], range.location)
    while place < range.upperBound {
      let run = storage.attributes(at: place)
      let end = max(place + 1, min(run.range.upperBound, range.upperBound))
      var appearance = theme.appearance(of: .paragraph, run.attributes, on: .light)
      let link = run.attributes.link
      if link != nil { appearance.underline = true }
      looks.append(LookRun(length: end - place, looks: Looks(appearance), link: link))
      place = end
    }
    return looks
  }

  /// None.
  public func decorations(in range: UTF16Range, lines: [UTF16Range]) -> [StyledDecoration] { [] }

  /// The attachment of the attributes.
  public func attachment(at offset: Int) -> Attachment? {
    Attachment(storage.attributes(at: offset).attributes)
  }

  /// No rows.
  public func padding(ofParagraph index: Int) -> (before: Int, after: Int) { (0, 0) }
}

extension AttributeStyles: Sendable where Storage: Sendable {}

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
