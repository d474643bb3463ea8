import EditModel

/// The kind of a paragraph, as attributes of its first unit say it: the rule of `ParagraphKind` in the module
/// `Styling`, which this one does not use.
struct BlockKind: Hashable {
  /// The name of the attribute, or `paragraph`.
  let name: String
  /// The level, from 1; 0 for a paragraph of no other kind.
  let level: Int

  /// Of several attributes the first one counts.
  private static let names = ["code-block", "heading", "list-item", "ordered-item", "quote"]
  private static let levelMax: Int64 = 1_000

  /// The kind that attributes make.
  init(_ attributes: AttributeSet) {
    for name in Self.names {
      switch attributes[name] {
      case nil, .bool(false): continue
      case .integer(let level):
        (self.name, self.level) = (name, Int(min(max(level, 1), Self.levelMax)))
      default: (self.name, level) = (name, 1)
      }
      return
    }
    (name, level) = ("paragraph", 0)
  }
}
