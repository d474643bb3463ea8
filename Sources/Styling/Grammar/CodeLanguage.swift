import EditModel

/// A language with a built-in grammar, for blocks of code.
enum CodeLanguage: String, CaseIterable, Hashable, Sendable {
  case c, json, markdown, python, swift

  /// The attribute that names the language of a paragraph in a block.
  static let attribute = "code-block"

  /// The language with a name as in Markdown fences and HTML classes, ignoring case. Nil if it has no grammar.
  init?(_ name: String) {
    // No name is longer, so lowercasing is O(1).
    guard name.utf8.count <= 16 else { return nil }
    switch name.lowercased() {
    case "c", "h", "c++", "cpp", "cc", "cxx", "hpp", "hxx": self = .c
    case "json", "jsonc", "jsonl", "ndjson", "geojson": self = .json
    case "markdown", "md": self = .markdown
    case "python", "py", "python3", "py3", "pyi": self = .python
    case "swift": self = .swift
    default: return nil
    }
  }

  /// The language of a paragraph whose first unit has these attributes. Nil without a block of code, or if the
  /// language has no grammar.
  init?(_ attributes: AttributeSet) {
    guard case .string(let name)? = attributes[Self.attribute] else { return nil }
    self.init(name)
  }

  /// The grammar, compiled on first use. Nil if the built-in file does not compile; a test compiles all.
  var grammar: Grammar? {
    switch self {
    case .c: Self.cGrammar
    case .json: Self.jsonGrammar
    case .markdown: Self.markdownGrammar
    case .python: Self.pythonGrammar
    case .swift: Self.swiftGrammar
    }
  }

  private static let cGrammar = builtIn(.c)
  private static let jsonGrammar = builtIn(.json)
  private static let markdownGrammar = builtIn(.markdown)
  private static let pythonGrammar = builtIn(.python)
  private static let swiftGrammar = builtIn(.swift)

  private static func builtIn(_ language: Self) -> Grammar? {
    try? GrammarCompiler.grammar(
      language.rawValue, at: TextPlace(line: 1, column: 1), of: [])
  }
}
