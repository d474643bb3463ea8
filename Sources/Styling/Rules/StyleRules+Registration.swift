extension StyleRules {
  /// Adds a drawing of one's own: the decoration `kind` wherever the text has the attribute. It replaces the one of
  /// this attribute and layer.
  ///
  /// A renderer draws the kinds of `BuiltInDecoration` itself. HTML and SVG draw others by the functions that they are
  /// given for the kind, and a terminal passes over them.
  ///
  /// - Parameters:
  ///   - attribute: The name of the attribute.
  ///   - layer: Whether it is drawn behind or over the characters.
  ///   - granularity: What the attribute's runs are expanded to.
  ///   - kind: What is drawn.
  ///   - style: The style of the theme with its colours; nil for that of the attribute's name.
  ///   - spacing: The rows around a block. They count for contiguous paragraphs only.
  ///   - shape: The shape of a built-in rectangle or bar.
  public mutating func register(
    _ attribute: String, _ layer: DecorationLayer, _ granularity: DecorationGranularity,
    kind: String, style: String? = nil, spacing: BlockSpacing = BlockSpacing(),
    shape: DecorationShape = DecorationShape()
  ) {
    register(
      attribute, layer, granularity, style: style, spacing: spacing, shape: shape
    ) { call, _ in call.decoration(kind) }
  }

  /// Adds decorations that a function makes. They replace those of this attribute and layer.
  ///
  /// - Parameters:
  ///   - attribute: The name of the attribute.
  ///   - layer: Whether they are drawn behind or over the characters.
  ///   - granularity: What the attribute's runs are expanded to.
  ///   - style: The style of the theme with their colours; nil for that of the attribute's name.
  ///   - spacing: The rows around a block. They count for contiguous paragraphs only.
  ///   - shape: The shape of a built-in rectangle or bar.
  ///   - handler: Makes a decoration, or nil. It must depend only on its arguments.
  public mutating func register(
    _ attribute: String, _ layer: DecorationLayer, _ granularity: DecorationGranularity,
    style: String? = nil, spacing: BlockSpacing = BlockSpacing(),
    shape: DecorationShape = DecorationShape(), handler: @escaping DecorationRegistry.Handler
  ) {
    decorations.register(
      attribute, layer, granularity, style: style, spacing: spacing, shape: shape, handler: handler)
  }
}
