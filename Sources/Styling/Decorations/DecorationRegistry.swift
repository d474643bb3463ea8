public import EditModel
public import TextState

/// Which attributes are decorated, in which layer, and by what.
///
/// There is at most one entry for each attribute and layer: a second registration replaces the first. An
/// attribute may have one entry in each layer.
public struct DecorationRegistry: Sendable {
  /// What a handler gets.
  public struct Call: Hashable, Sendable {
    /// The name of the attribute.
    public var attribute: String
    /// Its value.
    public var value: AttributeValue
    /// The longest range over which the attribute has the value.
    public var run: UTF16Range
    /// What the run was expanded to.
    public var expanded: UTF16Range
    /// The layer and the granularity of the registration.
    public var (layer, granularity): (DecorationLayer, DecorationGranularity)
    /// What the style of the registration looks like.
    public var appearance: TextAppearance
    /// The shape of the registration.
    public var shape = DecorationShape()

    /// The decoration of the expanded range, of this kind.
    public func decoration(_ kind: String) -> Decoration {
      Decoration(
        kind: kind, layer: layer, granularity: granularity, attribute: attribute, value: value,
        range: expanded, runRange: run, appearance: appearance, shape: shape)
    }
  }

  /// Makes a decoration; nil if nothing is to be drawn. It must depend only on its arguments.
  public typealias Handler = @Sendable (Call, TextState) -> Decoration?

  private struct Entry: Sendable {
    var attribute: String
    var layer: DecorationLayer
    var granularity: DecorationGranularity
    var style: String
    var spacing: BlockSpacing
    var shape: DecorationShape
    var handler: Handler
  }

  private var entries: [Entry] = []

  /// A registry without entries.
  public init() {}

  /// Adds an entry, or replaces the one of this attribute and layer, whose place in the order it keeps.
  ///
  /// - Parameters:
  ///   - attribute: The name of the attribute.
  ///   - layer: Whether it is drawn behind or over the characters.
  ///   - granularity: What its runs are expanded to.
  ///   - style: The style of the theme with its colours; nil for that of the attribute's name.
  ///   - spacing: The rows around a block. They count for contiguous paragraphs only.
  ///   - shape: The shape of a rectangle or a bar.
  ///   - handler: Makes the decorations.
  public mutating func register(
    _ attribute: String, _ layer: DecorationLayer, _ granularity: DecorationGranularity,
    style: String? = nil, spacing: BlockSpacing = BlockSpacing(),
    shape: DecorationShape = DecorationShape(), handler: @escaping Handler
  ) {
    let entry = Entry(
      attribute: attribute, layer: layer, granularity: granularity, style: style ?? attribute,
      spacing: spacing, shape: shape, handler: handler)
    if let index = index(of: attribute, layer) {
      entries[index] = entry
    } else {
      entries.append(entry)
    }
  }

  /// Removes the entry of an attribute and a layer, if there is one.
  public mutating func remove(_ attribute: String, _ layer: DecorationLayer) {
    if let index = index(of: attribute, layer) { entries.remove(at: index) }
  }

  private func index(of attribute: String, _ layer: DecorationLayer) -> Int? {
    entries.firstIndex { $0.attribute.isExactly(attribute) && $0.layer == layer }
  }

  /// True if some of the attributes is decorated. O(entries).
  func decorates(_ attributes: AttributeSet) -> Bool {
    entries.contains { attributes[$0.attribute] != nil }
  }

  /// The decorations that lie at least partly in what is drawn: all of the background, then all of the
  /// text layer, each in the order of registration, and of the text.
  ///
  /// - Parameters:
  ///   - drawn: What is drawn, in UTF-16 units; it must lie inside the text.
  ///   - lines: The visual lines in order, each with its terminator.
  ///   - state: The version.
  ///   - appearance: What a style looks like.
  public func decorations(
    in drawn: UTF16Range, lines: [UTF16Range], of state: TextState,
    appearance: (String) -> TextAppearance = { _ in TextAppearance() }
  ) -> [Decoration] {
    DecorationLayer.allCases.flatMap { layer in
      entries.filter { $0.layer == layer }.flatMap { entry in
        let looks = appearance(entry.style)
        return DecorationRange.all(
          of: entry.attribute, entry.granularity, in: drawn, lines: lines, of: state
        ).compactMap { range in
          entry.handler(
            Call(
              attribute: entry.attribute, value: range.value, run: range.run,
              expanded: range.expanded, layer: layer, granularity: entry.granularity,
              appearance: looks, shape: entry.shape), state)
        }
      }
    }
  }

  /// The empty rows around paragraphs.
  ///
  /// The first paragraph of a block gets the rows before it, the last one those after it: they come after the
  /// terminator of the block, so the empty row at the end of a text is no part of it. Margins of neighbours
  /// collapse: the larger one counts.
  ///
  /// - Parameters:
  ///   - paragraphs: Their indices, without gaps; they must exist.
  ///   - state: The version.
  /// - Returns: The rows around each.
  public func spacing(of paragraphs: Range<Int>, in state: TextState) -> [ParagraphSpacing] {
    guard let first = paragraphs.first else { return [] }
    let start = max(0, first - 1)
    var result = blockSpacing(of: start..<paragraphs.upperBound, in: state)
    // From the end, so that each meets the margin of the one before as it was.
    for index in result.indices.dropFirst().reversed() {
      result[index].collapse(with: result[index - 1].marginAfter)
    }
    return Array(result[(first - start)...])
  }

  /// The rows that blocks add to paragraphs, before margins of neighbours collapse.
  func blockSpacing(of paragraphs: Range<Int>, in state: TextState) -> [ParagraphSpacing] {
    var result = paragraphs.map { _ in ParagraphSpacing() }
    guard let first = paragraphs.first, let last = paragraphs.last else { return result }
    let drawn = UTF16Range(
      state.paragraph(at: first).range.location..<state.paragraph(at: last).range.upperBound)
    for entry in entries where entry.granularity == .contiguousParagraphs && !entry.spacing.isEmpty
    {
      for block in DecorationRange.all(
        of: entry.attribute, entry.granularity, in: drawn, lines: [], of: state)
      {
        let first = state.paragraphIndex(at: block.expanded.location)
        let last = state.paragraphIndex(at: block.expanded.upperBound - 1)
        if paragraphs.contains(first) { result[first - paragraphs.lowerBound].begin(entry.spacing) }
        if paragraphs.contains(last) { result[last - paragraphs.lowerBound].end(entry.spacing) }
      }
    }
    return result
  }
}
