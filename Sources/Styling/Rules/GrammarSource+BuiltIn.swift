extension GrammarSource {
  /// The names of the grammars that need no file.
  static let builtInNames = ["c", "json", "markdown", "python", "swift"]

  /// The text of a grammar that needs no file; nil if there is none of this name.
  static func builtInText(_ name: String) -> String? {
    let bytes: [UInt8]? =
      switch name {
      case "c": PackageResources.c_toml
      case "json": PackageResources.json_toml
      case "markdown": PackageResources.markdown_toml
      case "python": PackageResources.python_toml
      case "swift": PackageResources.swift_toml
      default: nil
      }
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  /// A grammar that needs no file; nil if there is none of this name. It is a file of this module's
  /// sources, and the compiler puts its bytes into the program: so a program that is linked statically has
  /// it too.
  ///
  /// - Throws: `RulesError` if the file is wrong, which a test excludes.
  init?(builtIn name: String) throws(RulesError) {
    guard let text = Self.builtInText(name) else { return nil }
    try self.init(text, file: "the built-in grammar \(name)")
  }
}

extension StyleRules {
  /// The names of the grammars that need no file.
  public static var grammarNames: [String] { GrammarSource.builtInNames }

  /// The text of a grammar that needs no file, as a start for another one; nil if there is none of this
  /// name.
  ///
  /// - Parameter name: One of `grammarNames`.
  public static func grammarText(_ name: String) -> String? { GrammarSource.builtInText(name) }
}
