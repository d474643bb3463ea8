public import EditModel
public import TextState

/// What a paragraph is: a heading, an item of a list, a quote, code, or text.
///
/// The kind follows from attributes of the paragraph's first unit, whether the log has them or rules
/// derive them from the text. Their value is the level, if it is an integer; any other value but
/// `false` is level 1.
public struct ParagraphKind: Hashable, Sendable {
  /// The name of the kind: that of its attribute, or `paragraph`.
  public var name: String
  /// The level, from 1: of a heading, or how deep a list or a quote is in others. 0 for a paragraph
  /// of no other kind.
  public var level: Int

  /// A kind.
  public init(_ name: String, level: Int) { (self.name, self.level) = (name, level) }

  /// A paragraph of no other kind. An attribute of its name, set by `import`, says that a text consists of
  /// paragraphs and not of lines.
  public static let paragraph = ParagraphKind("paragraph", level: 0)

  /// The attributes that make a kind. Of several the first in this list counts.
  public static let names = ["code-block", "heading", listItem, orderedItem, "quote"]

  /// The attributes that say what a paragraph is: those of kinds, and that of a paragraph of no other kind.
  static let attributes = names + [paragraph.name]

  /// The name of an item of a list without numbers.
  public static let listItem = "list-item"
  /// The name of an item of a list with numbers.
  public static let orderedItem = "ordered-item"

  /// The name of the attribute of lines that are kept as the file has them. Adjacent lines with one value are one
  /// block.
  package static let lines = "markdown"

  /// The maximum level. Higher ones count as this.
  public static let levelMax = 1_000

  /// The kind that some attributes make.
  public init(_ attributes: AttributeSet) {
    self = .paragraph
    for name in Self.names {
      switch attributes[name] {
      case nil, .bool(false): continue
      case .integer(let level):
        self.init(name, level: Int(min(max(level, 1), Int64(Self.levelMax))))
      default: self.init(name, level: 1)
      }
      return
    }
  }

  /// The kind of a paragraph of a version. An empty last paragraph has no units, and is of no kind.
  /// O(log n).
  ///
  /// - Parameters:
  ///   - paragraph: Its descriptor.
  ///   - state: The version.
  public init(of paragraph: ParagraphDescriptor, in state: TextState) {
    guard !paragraph.range.isEmpty else {
      self = .paragraph
      return
    }
    self.init(state.attributes(at: paragraph.range.location).attributes)
  }

  /// The name of its style, such as `heading.2`.
  public var style: String { level > 0 ? "\(name).\(level)" : name }
}
