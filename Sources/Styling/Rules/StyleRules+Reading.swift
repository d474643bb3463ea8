import EditModel
import Projections

extension StyleRules {
  /// The maximum number of patterns, and of rules for paragraphs.
  private static let patternCountMax = 64
  /// The maximum number of styles, and of decorations.
  private static let styleCountMax = 1_024
  /// The maximum number of files with grammars.
  private static let fileCountMax = 32
  /// The maximum number of tags.
  private static let tagCountMax = 256

  /// The rules that hold without a file: themes and decorations, and no grammar.
  ///
  /// - Throws: `RulesError` if the built-in file is wrong, which a test excludes.
  public static func builtIn() throws(RulesError) -> StyleRules {
    var rules = StyleRules()
    let text = String(decoding: PackageResources.rules_toml, as: UTF8.self)
    do throws(RulesError) {
      try rules.add(text) { place, _ throws(RulesError) in
        throw RulesError(place, "the built-in rules name a file")
      }
      rules.kindSpacing.becomeDefaults()
    } catch {
      var error = error
      error.file = error.file ?? "the built-in rules"
      throw error
    }
    return rules
  }

  /// The rules of a file, on top of the built-in ones: of each property of a style the file's wins, and a
  /// decoration replaces that of the same attribute and layer.
  ///
  /// - Parameters:
  ///   - text: The text of the file.
  ///   - grammar: The grammar that holds if the file names none; nil for none.
  ///   - load: Returns the text of another file that it names, or throws. The place is that of the
  ///     name.
  /// - Throws: `RulesError` at the first mistake.
  public init(
    _ text: String, grammar: String? = nil,
    load: (TextPlace, String) throws(RulesError) -> String
  ) throws(RulesError) {
    self = try Self.builtIn()
    try add(text, grammar: grammar, load: load)
  }

  private mutating func add(
    _ text: String, grammar fallback: String? = nil,
    load: (TextPlace, String) throws(RulesError) -> String
  ) throws(RulesError) {
    let file = try RuleTable(try TOMLReader.table(of: text), "the file", .rules)
    try addGrammar(file, fallback, load)
    for table in try file.tables("paragraphs", .paragraph, countMax: Self.patternCountMax) {
      paragraphs.append(
        Paragraph(
          scanner: try Self.scanner(table), attributes: try Self.attributes(table)))
    }
    for table in try file.tables("patterns", .pattern, countMax: Self.patternCountMax) {
      guard let name = try table.string("name") else { continue }
      guard !patterns.contains(where: { $0.name.isExactly(name) }) else {
        throw table.error("name", "is that of another pattern")
      }
      patterns.append(Pattern(name: name, scanner: try Self.scanner(table)))
    }
    let branches = (paragraphs.map(\.scanner) + patterns.map(\.scanner)).map(\.branchCount)
    guard branches.reduce(0, +) <= GrammarCompiler.branchCountMax else {
      throw RulesError(
        file.place(of: "patterns"),
        """
        the expressions of patterns and paragraphs have more than \(GrammarCompiler.branchCountMax) \
        branches
        """)
    }
    if let table = try file.table("links", .links) {
      linkAttribute = try table.string("attribute") ?? "url"
      marksTypedLinksOnly = try table.bool("automatic") ?? false
    }
    (styleNames, decoratedNames, signTexts, spacedNames) = ([], [], [], [])
    for (name, _, table) in try file.named("styles", .style, countMax: Self.styleCountMax) {
      styleNames.append(name)
      theme.override(name, with: try Self.style(table))
    }
    for table in try file.tables("decorations", .decoration, countMax: Self.styleCountMax) {
      try addDecoration(table)
    }
    if let table = try file.table("spacing", .spacing) {
      for group in KindSpacing.Group.allCases {
        let rows = try table.integer(group.rawValue, in: 0...BlockSpacing.rowCountMax)
        guard let rows else { continue }
        kindSpacing.update(group, to: rows)
        spacedNames.append(group.rawValue)
      }
    }
    var signs = RendererTable<ListSign>()
    for table in try file.tables("renderers", .renderer, countMax: Self.styleCountMax) {
      signs = try adding(table, to: signs)
    }
    self.signs = signs.followed(by: self.signs)
    if let table = try file.table("tags", .tags) { tags = try Self.tags(table) }
    try checkNames(file)
  }

  /// Each attribute must come from one part of the rules: the parts would take it from each other.
  private func checkNames(_ file: RuleTable) throws(RulesError) {
    var own = patternNames + [linkAttribute].compactMap { $0 }
    if let grammar {
      own += [SyntaxReader.attribute, ParagraphStyler.stateAttribute] + grammar.attributeNames
    }
    var seen: Set<ExactString> = []
    for name in own where !seen.insert(ExactString(name)).inserted {
      throw RulesError(
        file.place(of: "patterns"),
        """
        the attribute \(name.shown) comes from two of patterns, links and grammar; give the pattern \
        another name
        """)
    }
  }

  // MARK: Parts

  private mutating func addGrammar(
    _ file: RuleTable, _ fallback: String?,
    _ load: (TextPlace, String) throws(RulesError) -> String
  ) throws(RulesError) {
    var sources: [GrammarSource] = []
    for (name, place) in try file.strings(
      "grammars", countMax: Self.fileCountMax, lengthMax: 4_096)
    {
      let source = try GrammarSource(try load(place, name), file: name)
      guard !sources.contains(where: { $0.name == source.name }) else {
        throw RulesError(place, "\(name.shown) has the grammar \(source.name), as a file before it")
      }
      sources.append(source)
    }
    guard let name = try file.string("grammar") ?? fallback else { return }
    grammar = try GrammarCompiler.grammar(name, at: file.place(of: "grammar"), of: sources)
  }

  private static func scanner(_ table: RuleTable) throws(RulesError) -> LineScanner {
    let text = try table.string("match", lengthMax: 4_096) ?? ""
    let ignoresCase = try table.bool("ignores-case") ?? false
    do throws(LineScannerError) {
      return try LineScanner([(text, ignoresCase)])
    } catch { throw table.error("match", "cannot be used: \(error.problem)") }
  }

  private static func attributes(_ table: RuleTable) throws(RulesError) -> AttributeSet {
    var attributes = AttributeSet()
    for entry in try table.entries("attributes", countMax: 32) {
      attributes[entry.key] =
        switch entry.node.value {
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        case .double(let number): .double(number)
        case .bool(let isOn): .bool(isOn)
        case .array, .table:
          throw RulesError(
            entry.node.place, "the value of \(entry.key.shown) must not be \(entry.node.kind)")
        }
      if let value = attributes[entry.key], let problem = Theme.problem(of: entry.key, value) {
        throw RulesError(entry.node.place, "\(entry.key.shown) \(problem)")
      }
    }
    return attributes
  }

  private static func style(_ table: RuleTable) throws(RulesError) -> Theme.Style {
    var style = Theme.Style()
    style.foreground = try colours("foreground", table)
    style.background = try colours("background", table)
    style.bold = try table.bool("bold")
    style.italic = try table.bool("italic")
    style.underline = try table.bool("underline")
    style.strikethrough = try table.bool("strikethrough")
    style.dim = try table.bool("dim")
    style.size = try table.integer("size", in: Theme.Style.sizes)
    return style
  }

  private static func colours(
    _ key: String, _ table: RuleTable
  ) throws(RulesError) -> Theme.Colours? {
    if case .table? = table.any(key)?.value {
      guard let pair = try table.table(key, .colours), let light = try colour("light", pair),
        let dark = try colour("dark", pair)
      else { return nil }
      return Theme.Colours(light: light, dark: dark)
    }
    return try colour(key, table).map { Theme.Colours(light: $0, dark: $0) }
  }

  private static func colour(_ key: String, _ table: RuleTable) throws(RulesError) -> Colour? {
    guard let text = try table.string(key) else { return nil }
    guard let colour = Colour(text) else {
      throw table.error(key, "\(Colour.rule); found \(text.shown)")
    }
    return colour
  }

  private mutating func addDecoration(_ table: RuleTable) throws(RulesError) {
    guard let attribute = try table.string("attribute"),
      let drawn = try table.choice("draw", BuiltInDecoration.self)
    else { return }
    let layer = try table.choice("layer", DecorationLayer.self) ?? .background
    decoratedNames.append(attribute)
    let rows = 0...BlockSpacing.rowCountMax
    let spacing = BlockSpacing(
      marginBefore: try table.integer("margin-before", in: rows) ?? 0,
      marginAfter: try table.integer("margin-after", in: rows) ?? 0,
      paddingBefore: try table.integer("padding-before", in: rows) ?? 0,
      paddingAfter: try table.integer("padding-after", in: rows) ?? 0)
    let granularity = try table.choice("granularity", DecorationGranularity.self) ?? .characterRuns
    guard drawn.granularities.contains(granularity) else {
      let names = drawn.granularities.map(\.rawValue).joined(separator: " or ")
      throw table.error("draw", "needs a granularity of \(names) for a \(drawn.rawValue)")
    }
    guard spacing.isEmpty || granularity == .contiguousParagraphs else {
      throw RulesError(
        table.place,
        "only a decoration of contiguous-paragraphs can have margins and paddings")
    }
    let shape = try Self.shape(table, of: drawn)
    guard drawn != .none || !spacing.isEmpty else { return decorations.remove(attribute, layer) }
    decorations.register(
      attribute, layer, granularity, style: try table.string("style"), spacing: spacing,
      shape: shape, handler: drawn.handler)
  }

  /// The shape of a rectangle or a bar. Other decorations have none.
  private static func shape(
    _ table: RuleTable, of drawn: BuiltInDecoration
  ) throws(RulesError) -> DecorationShape {
    let shape = DecorationShape(
      radius: try table.integer("radius", in: 0...DecorationShape.radiusMax) ?? 0,
      border: try colours("border", table),
      width: try table.integer("width", in: 1...DecorationShape.widthMax))
    guard drawn.isFilled || shape.radius == 0 && shape.border == nil else {
      throw RulesError(
        table.place, "only a block, a box and a highlight can have a radius and a border")
    }
    guard shape.width == nil || drawn == .bar || shape.border != nil else {
      throw table.error("width", "is that of a bar or a border: give draw = \"bar\", or a border")
    }
    return shape
  }

  private mutating func adding(
    _ table: RuleTable, to signs: RendererTable<ListSign>
  ) throws(RulesError) -> RendererTable<ListSign> {
    let kind = try table.string("kind")
    let level = try table.integer("level", in: 1...ParagraphKind.levelMax)
    guard let sign = try table.string("sign", lengthMax: ListSign.sizeMax) else { return signs }
    if let name = ListSign.unknownName(in: sign) {
      throw table.error("sign", "has \(name.shown); there are {number}, {letter} and {roman}")
    }
    signTexts.append(sign)
    return signs.adding(
      ListItem.self,
      where: { item, _ in
        (kind.map { item.kind.name.isExactly($0) } ?? true)
          && (level.map { item.kind.level == $0 } ?? true)
      }, render: { _ in ListSign(sign) })
  }

  private static func tags(_ table: RuleTable) throws(RulesError) -> TagRules? {
    guard let standard = try table.string("default") else { return nil }
    var tags = TagRules(default: standard)
    for (name, _, rule) in try table.named("rules", .tag, countMax: tagCountMax) {
      tags.rules[name] = TagRules.Effects(
        enables: try rule.strings("enables", countMax: tagCountMax).map(\.text),
        disables: try rule.strings("disables", countMax: tagCountMax).map(\.text),
        activates: try rule.strings("activates", countMax: tagCountMax).map(\.text),
        deactivates: try rule.strings("deactivates", countMax: tagCountMax).map(\.text))
    }
    return tags
  }
}
