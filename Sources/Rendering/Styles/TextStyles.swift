public import EditModel
public import Styling
public import TextGrid

/// What a renderer asks about a text: what its units look like, what is drawn around them, and the space
/// around paragraphs.
///
/// `AttributeStyles` answers from the attributes of a text alone, `RuleStyles` by rules.
public protocol TextStyles: ParagraphFormats {
  /// The looks of the units of `range`, as runs that cover it.
  func looks(in range: UTF16Range) -> [LookRun]

  /// The decorations that lie at least partly in `range`, in the order in which they are drawn.
  ///
  /// - Parameters:
  ///   - range: What is shown, in UTF-16 units.
  ///   - lines: The units of each row in it, terminators included.
  func decorations(in range: UTF16Range, lines: [UTF16Range]) -> [StyledDecoration]

  /// The attachment that the character at `offset` stands for; nil if it stands for none.
  func attachment(at offset: Int) -> Attachment?

  /// The blank rows of a paragraph that lie inside the decoration of its block.
  func padding(ofParagraph index: Int) -> (before: Int, after: Int)
}

/// A number of units that look the same.
public struct LookRun: Hashable, Sendable {
  /// UTF-16 units.
  public var length: Int
  /// What they look like.
  public var looks: Looks
  /// The address that they lead to; nil if there is none.
  public var link: String?

  /// A run.
  public init(length: Int, looks: Looks, link: String? = nil) {
    (self.length, self.looks, self.link) = (length, looks, link)
  }
}

/// A decoration with its colours on both backgrounds.
public struct StyledDecoration: Hashable, Sendable {
  /// The decoration.
  public var decoration: Decoration
  /// Its colours.
  public var looks: Looks
  /// What is drawn before its paragraph, as of a list; nil if nothing is.
  public var sign: String?

  /// A decoration.
  ///
  /// - Parameters:
  ///   - decoration: The decoration.
  ///   - looks: Its colours.
  ///   - sign: What is drawn before its paragraph.
  public init(_ decoration: Decoration, looks: Looks, sign: String? = nil) {
    (self.decoration, self.looks, self.sign) = (decoration, looks, sign)
  }
}
