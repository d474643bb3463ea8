import EditModel

/// A language of blocks of code: one that a built-in grammar reads.
enum CodeLanguage: String, CaseIterable, Hashable, Sendable {
  case c, json, markdown, python, swift

  /// The attribute of the paragraphs of a block.
  static let attribute = "code-block"

  /// The language that a fence of Markdown or a class of HTML calls so, in either case; nil if it has no
  /// grammar.
  init?(_ name: String) {
    // Longer than the longest name.
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

  /// The language of a paragraph by the attributes of its first unit; nil if it is not in a block, or the
  /// language has no grammar.
  init?(_ attributes: AttributeSet) {
    guard case .string(let name)? = attributes[Self.attribute] else { return nil }
    self.init(name)
  }

  /// Its grammar, which is made once; nil if the built-in file is wrong, which a test excludes.
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
