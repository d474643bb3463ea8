import EditModel

extension Markup {
  /// What a paragraph is.
  enum Block: Hashable, Sendable {
    case text
    case heading(Int)
    case quote(Int)
    case bullet(Int)
    case number(Int)
    case code(String?)

    /// The greatest depth of a quote or of a list's item.
    static let levelMax = 16
    /// The greatest level of a heading.
    static let headingMax = 6

    /// The kind that attributes make; text if they make none that is known. What they say else of kinds
    /// is noted as lost.
    init(_ attributes: AttributeSet, noting losses: inout Losses) {
      let block = Markup.kinds.lazy.compactMap { Self($0, attributes[$0]) }.first ?? .text
      let own = block.attributes
      for name in Markup.kinds where attributes[name] != own[name] { losses.note(attribute: name) }
      self = block
    }

    private init?(_ name: String, _ value: AttributeValue?) {
      switch (name, value) {
      case ("code-block", .bool(true)): self = .code(nil)
      case ("code-block", .string(let language)) where Self.isLanguage(language):
        self = .code(language)
      case ("heading", .integer(let level)) where 1...Self.headingMax ~= Int(clamping: level):
        self = .heading(Int(clamping: level))
      case (_, .integer(let level)) where 1...Self.levelMax ~= Int(clamping: level):
        switch name {
        case "list-item": self = .bullet(Int(clamping: level))
        case "ordered-item": self = .number(Int(clamping: level))
        case "quote": self = .quote(Int(clamping: level))
        default: return nil
        }
      default: return nil
      }
    }

    /// True for the name of a language as fences and classes have it.
    static func isLanguage(_ name: String) -> Bool {
      (1...40).contains(name.utf8.count)
        && name.utf8.allSatisfy {
          switch $0 {
          case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x23, 0x2E, 0x2D, 0x5F: true
          default: false
          }
        }
    }

    /// The attributes of all units of such a paragraph.
    var attributes: AttributeSet {
      switch self {
      case .text: .empty
      case .heading(let level): ["heading": .integer(Int64(level))]
      case .quote(let level): ["quote": .integer(Int64(level))]
      case .bullet(let level): ["list-item": .integer(Int64(level))]
      case .number(let level): ["ordered-item": .integer(Int64(level))]
      case .code(nil): ["code-block": .bool(true)]
      case .code(let language?): ["code-block": .string(language)]
      }
    }
  }
}
