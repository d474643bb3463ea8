/// The empty rows around a block of paragraphs. Margins lie outside its decoration, paddings inside.
public struct BlockSpacing: Hashable, Sendable {
  /// Rows before the first paragraph, outside.
  public var marginBefore: Int
  /// Rows after the last paragraph, outside.
  public var marginAfter: Int
  /// Rows before the first paragraph, inside.
  public var paddingBefore: Int
  /// Rows after the last paragraph, inside.
  public var paddingAfter: Int

  /// The maximum of each in a file of rules.
  public static let rowCountMax = 100

  /// No rows, or these.
  ///
  /// - Parameters:
  ///   - marginBefore: Rows before the first paragraph, outside.
  ///   - marginAfter: Rows after the last paragraph, outside.
  ///   - paddingBefore: Rows before the first paragraph, inside.
  ///   - paddingAfter: Rows after the last paragraph, inside.
  public init(
    marginBefore: Int = 0, marginAfter: Int = 0, paddingBefore: Int = 0, paddingAfter: Int = 0
  ) {
    (self.marginBefore, self.marginAfter) = (marginBefore, marginAfter)
    (self.paddingBefore, self.paddingAfter) = (paddingBefore, paddingAfter)
  }

  /// True if there are no rows.
  public var isEmpty: Bool { self == BlockSpacing() }
}

/// The empty rows around one paragraph: those of the blocks that begin or end with it.
public struct ParagraphSpacing: Hashable, Sendable {
  /// Rows before the paragraph, outside of decorations.
  public var marginBefore = 0
  /// Rows before the paragraph, inside the decoration of its block.
  public var paddingBefore = 0
  /// Rows after the paragraph, inside the decoration of its block.
  public var paddingAfter = 0
  /// Rows after the paragraph, outside of decorations.
  public var marginAfter = 0

  /// No rows.
  public init() {}

  /// All rows before the paragraph.
  public var before: Int { marginBefore + paddingBefore }
  /// All rows after the paragraph.
  public var after: Int { paddingAfter + marginAfter }

  /// Adds the rows before the first paragraph of a block. Margins of blocks that begin together collapse.
  mutating func begin(_ spacing: BlockSpacing) {
    marginBefore = max(marginBefore, spacing.marginBefore)
    paddingBefore += spacing.paddingBefore
  }

  /// Adds the rows after the last paragraph of a block. Margins of blocks that end together collapse.
  mutating func end(_ spacing: BlockSpacing) {
    marginAfter = max(marginAfter, spacing.marginAfter)
    paddingAfter += spacing.paddingAfter
  }

  /// Takes from the margin before the paragraph what is between it and the one before already, so that the
  /// space is the larger of both margins, as in CSS.
  mutating func collapse(with rows: Int) { marginBefore = max(0, marginBefore - rows) }
}
