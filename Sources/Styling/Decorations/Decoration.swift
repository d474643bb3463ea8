public import EditModel

/// A decoration of a part of a text, for a renderer to draw: for instance a quote bar, or the
/// rectangle behind a code block.
public struct Decoration: Hashable, Sendable {
  /// What is drawn, such as `quote-bar`. A renderer passes over kinds that it does not know.
  public var kind: String
  /// Whether it lies behind or over the characters.
  public var layer: DecorationLayer
  /// What the range was expanded to.
  public var granularity: DecorationGranularity
  /// The name of the attribute that causes it.
  public var attribute: String
  /// The value of the attribute, such as the level of a quote.
  public var value: AttributeValue
  /// The decorated units: the run on one line, a paragraph without its terminator, or whole
  /// paragraphs with their terminators.
  public var range: UTF16Range
  /// The longest range around the first decorated unit over which the attribute has this value.
  public var runRange: UTF16Range
  /// The colours of the decoration.
  public var appearance: TextAppearance
  /// The shape of its rectangle or bar.
  public var shape: DecorationShape

  /// A decoration.
  ///
  /// - Parameters:
  ///   - kind: What is drawn.
  ///   - layer: Behind or over the characters.
  ///   - granularity: What the range was expanded to.
  ///   - attribute: The name of the attribute.
  ///   - value: Its value.
  ///   - range: The decorated units.
  ///   - runRange: The attribute's own range.
  ///   - appearance: The colours.
  ///   - shape: The shape of its rectangle or bar.
  public init(
    kind: String, layer: DecorationLayer, granularity: DecorationGranularity, attribute: String,
    value: AttributeValue, range: UTF16Range, runRange: UTF16Range,
    appearance: TextAppearance = TextAppearance(), shape: DecorationShape = DecorationShape()
  ) {
    (self.kind, self.layer, self.granularity) = (kind, layer, granularity)
    (self.attribute, self.value, self.range) = (attribute, value, range)
    (self.runRange, self.appearance, self.shape) = (runRange, appearance, shape)
  }
}

/// Where a decoration lies. All of the background is drawn before the characters, all of the text
/// layer after them.
public enum DecorationLayer: String, CaseIterable, Hashable, Sendable {
  /// Behind the characters.
  case background
  /// Over the characters.
  case text
}

/// What the range of an attribute is expanded to before it is decorated.
public enum DecorationGranularity: String, CaseIterable, Hashable, Sendable {
  /// The run itself, one decoration for each visual line that it touches. A terminator belongs to its
  /// line.
  case characterRuns = "character-runs"
  /// Each paragraph that the run touches, without its terminator. Paragraphs without content have no
  /// decoration.
  case singleParagraph = "single-paragraph"
  /// All paragraphs that the run touches, as one, terminators included. Groups of the same value that
  /// touch are one.
  case contiguousParagraphs = "contiguous-paragraphs"
}
