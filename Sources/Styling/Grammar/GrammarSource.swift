import EditModel

/// A grammar as its file says it, before its names are resolved.
struct GrammarSource: Sendable {
  struct Expression: Sendable {
    var text: String
    var ignoresCase: Bool
    var place: TextPlace
  }

  struct Reference: Sendable {
    var name: String
    var place: TextPlace
  }

  /// The value of the attribute of a paragraph.
  enum Level: Sendable {
    case number(Int)
    case text(String)
    /// How often the token has this character.
    case count(Unicode.Scalar)
    /// 1, and 1 more for each two columns of white space before the token.
    case indent
  }

  struct Rule: Sendable {
    enum Matcher: Sendable {
      case expression(Expression)
      case words([String], ignoresCase: Bool)
    }

    var matcher: Matcher
    var style: String?
    /// UTF-16 units that are removed from the end of the token.
    var trimmedEnd: [UInt16]
    var attributes: [String]
    var push: Reference?
    var pops: Bool
    var paragraph: String?
    var level: Level
    var place: TextPlace
  }

  struct Context: Sendable {
    var name: String
    var style: String?
    var paragraph: String?
    var value: Level
    var endsWithParagraph: Bool
    var end: Expression?
    var endStyle: String?
    var grammar: Reference?
    var includes: [Reference]
    var rules: [Rule]
    var place: TextPlace
  }

  var name: String
  /// The file that it was read from, for errors; nil if it is built in.
  var file: String?
  var word: Expression
  var contexts: [Context]

  /// The maximum number of contexts.
  static let contextCountMax = 128
  /// The maximum number of rules of a context.
  static let ruleCountMax = 256
  /// The maximum number of words of a rule.
  static let wordCountMax = 2_048
  /// A word, if the grammar does not say what it is.
  static let wordDefault = #"[\p{Alphabetic}_][\p{Alphabetic}0-9_]*"#
}

extension GrammarSource {
  /// Reads a grammar.
  ///
  /// - Parameters:
  ///   - text: The TOML text.
  ///   - file: The name of the file, for errors.
  /// - Throws: `RulesError` at the first mistake, but for names that are not defined.
  init(_ text: String, file: String?) throws(RulesError) {
    do throws(RulesError) {
      let table = try RuleTable(try TOMLReader.table(of: text), "the grammar", .grammar)
      name = try Self.name("name", of: table)?.name ?? ""
      self.file = file
      word =
        try Self.expression("word", of: table)
        ?? Expression(text: Self.wordDefault, ignoresCase: false, place: table.place)
      contexts = []
      for (name, place, table) in try table.named(
        "contexts", .context, countMax: Self.contextCountMax)
      {
        contexts.append(try Self.context(try Self.checked(name, place), table))
      }
      guard contexts.contains(where: { $0.name == "main" }) else {
        throw table.error("contexts", "must have the context main, in which a text begins")
      }
    } catch {
      var error = error
      error.file = file
      throw error
    }
  }

  private static func context(
    _ name: String, _ table: RuleTable
  ) throws(RulesError) -> Context {
    var includes: [Reference] = []
    for (text, place) in try table.strings("include", countMax: contextCountMax) {
      includes.append(Reference(name: text, place: place))
    }
    var rules: [Rule] = []
    for rule in try table.tables("rules", .rule, countMax: ruleCountMax) {
      rules.append(try Self.rule(rule))
    }
    return Context(
      name: name, style: try table.string("style"), paragraph: try table.string("paragraph"),
      value: try value("value", of: table, mayCount: false),
      endsWithParagraph: try table.bool("ends-with-paragraph") ?? false,
      end: try expression("end", of: table), endStyle: try table.string("end-style"),
      grammar: try self.name("grammar", of: table),
      includes: includes, rules: rules, place: table.place)
  }

  private static func rule(_ table: RuleTable) throws(RulesError) -> Rule {
    let words = try table.strings("words", countMax: wordCountMax).map(\.text)
    let expression = try self.expression("match", of: table)
    let matcher: Rule.Matcher
    switch (expression, words.isEmpty) {
    case (let expression?, true): matcher = .expression(expression)
    case (nil, false):
      matcher = .words(words, ignoresCase: try table.bool("ignores-case") ?? false)
    default: throw RulesError(table.place, "a rule must have either match or words")
    }
    let pops = try table.bool("pop") ?? false
    let push = try name("push", of: table)
    return Rule(
      matcher: matcher, style: try table.string("style"),
      trimmedEnd: Array((try table.string("trim-end", lengthMax: 32) ?? "").utf16),
      attributes: try table.strings("attribute", countMax: 8).map(\.text), push: push, pops: pops,
      paragraph: try table.string("paragraph"),
      level: try value("level", of: table, mayCount: true), place: table.place)
  }

  private static func expression(
    _ key: String, of table: RuleTable
  ) throws(RulesError) -> Expression? {
    guard let text = try table.string(key, lengthMax: 4_096) else { return nil }
    let ignoresCase =
      table.kind.keys.contains { $0.name == "ignores-case" }
      ? try table.bool("ignores-case") ?? false : false
    return Expression(text: text, ignoresCase: ignoresCase, place: table.place(of: key))
  }

  /// A name: letters, digits, `-` and `_` of ASCII. States are written with other characters between
  /// names.
  private static func name(_ key: String, of table: RuleTable) throws(RulesError) -> Reference? {
    guard let text = try table.string(key) else { return nil }
    let place = table.place(of: key)
    return Reference(name: try checked(text, place), place: place)
  }

  private static func checked(_ name: String, _ place: TextPlace) throws(RulesError) -> String {
    guard name.utf8.count <= 64,
      name.unicodeScalars.allSatisfy({
        $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-"
          || $0 == "_"
      })
    else {
      throw RulesError(
        place, "a name must have 1 to 64 letters or digits of ASCII, - or _")
    }
    return name
  }

  /// The value of the attribute that a table gives its paragraphs.
  private static func value(
    _ key: String, of table: RuleTable, mayCount: Bool
  ) throws(RulesError) -> Level {
    let level = try level(key, of: table, mayCount: mayCount)
    guard let attribute = try table.string("paragraph") else { return level }
    let problem =
      switch level {
      case .number(let number): Theme.problem(of: attribute, .integer(Int64(number)))
      case .text(let text): Theme.problem(of: attribute, .string(text))
      case .indent, .count: String?.none
      }
    if let problem { throw table.error(key, "is that of \(attribute.shown): it \(problem)") }
    return level
  }

  private static func level(
    _ key: String, of table: RuleTable, mayCount: Bool
  ) throws(RulesError) -> Level {
    switch table.any(key)?.value {
    case nil: return .number(1)
    case .integer(let value):
      guard let level = Int(exactly: value), (1...1_000).contains(level) else {
        throw table.error(key, "must be from 1 to 1000")
      }
      return .number(level)
    case .string(let text):
      guard mayCount else {
        guard (1...256).contains(text.utf8.count) else {
          throw table.error(key, "must have 1 to 256 bytes")
        }
        return .text(text)
      }
      if text == "indent" { return .indent }
      guard text.unicodeScalars.count == 1, let scalar = text.unicodeScalars.first else {
        throw table.error(key, "must be an integer, one character, or indent")
      }
      return .count(scalar)
    default:
      throw table.error(
        key,
        mayCount ? "must be an integer, one character, or indent" : "must be an integer or text")
    }
  }
}
