import EditModel
import Projections

/// Rules for what a text looks like: which attributes follow from it, what these look like, and what is
/// drawn around it. A value without I/O; the article `Rules` describes the file.
public struct StyleRules: Sendable {
  /// An expression whose matches are marked.
  struct Pattern: Sendable {
    var name: String
    var scanner: LineScanner
  }

  /// Attributes of the paragraphs in which an expression matches.
  struct Paragraph: Sendable {
    var scanner: LineScanner
    var attributes: AttributeSet
  }

  /// The grammar of the text; nil if it has none.
  public internal(set) var grammar: Grammar?
  var paragraphs: [Paragraph] = []
  var patterns: [Pattern] = []
  /// The attribute of addresses of the web; nil if they are not marked.
  public internal(set) var linkAttribute: String?
  /// What styles look like.
  public internal(set) var theme = Theme()
  /// What is drawn behind and over the text.
  public internal(set) var decorations = DecorationRegistry()
  /// The blank rows between paragraphs by their kinds.
  var kindSpacing = KindSpacing()
  /// The signs of items of lists: those of the file, then the built-in ones.
  public internal(set) var signs = RendererTable<ListSign>()
  /// True if only addresses are marked after which a space or Return was typed.
  public internal(set) var marksTypedLinksOnly = false
  /// The tags of a toolbar; nil if the rules say nothing about them.
  public internal(set) var tags: TagRules?

  /// The styles that the file sets, in its order.
  public internal(set) var styleNames: [String] = []
  /// The attributes that the file decorates, in its order.
  public internal(set) var decoratedNames: [String] = []
  /// The kinds of paragraphs whose space the file sets.
  public internal(set) var spacedNames: [String] = []
  /// The signs of lists in the file, in its order.
  public internal(set) var signTexts: [String] = []

  /// Rules that say nothing.
  public init() {}

  /// The attributes whose value is the text that a pattern matches, in the order of the file.
  public var patternNames: [String] { patterns.map(\.name) }

  /// True if the rules for whole paragraphs derive one of the attributes that make a kind.
  public var derivesKinds: Bool {
    paragraphs.contains { paragraph in
      ParagraphKind.names.contains { paragraph.attributes[$0] != nil }
    }
  }

  /// UTF-16 units at the start of a paragraph, without its terminator, that the rules style at most: the
  /// fewer branches their expressions have, the more. From 16,384 to 131,072.
  public var styledLengthMax: Int {
    let branchCount =
      (grammar?.branchCount ?? 0) + paragraphs.reduce(0) { $0 + $1.scanner.branchCount }
      + patterns.reduce(0) { $0 + $1.scanner.branchCount }
    return LineScanner.lineLengthMax(branchCount: branchCount)
  }

  /// Names of all attributes that the rules derive.
  public var attributeNames: [String] {
    var names = patternNames + [linkAttribute].compactMap { $0 }
    for paragraph in paragraphs { names += paragraph.attributes.map(\.name) }
    if let grammar {
      names += [SyntaxReader.attribute, ParagraphStyler.stateAttribute] + grammar.attributeNames
    }
    var seen: Set<ExactString> = []
    return names.filter { seen.insert(ExactString($0)).inserted }
  }
}
