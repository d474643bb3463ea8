import EditModel
import Projections

/// Resolves the names of a grammar, and those of the grammars inside it.
struct GrammarCompiler {
  /// The grammars of files, and built-in ones that were named.
  private var sources: [GrammarSource]
  private var contexts: [Grammar.Context] = []
  private var indices: [String: Int] = [:]
  /// The contexts whose rules are not resolved yet.
  private var open: [(index: Int, grammar: GrammarSource, context: GrammarSource.Context)] = []
  private var ruleCount = 0
  private var wordCount = 0
  private var branchCount = 0

  /// The maximum number of rules of all contexts, those that they include counted again.
  private static let ruleCountMax = 1 << 14
  /// The maximum number of words of all contexts, those that they include counted again.
  private static let wordCountMax = 1 << 18
  /// The maximum number of contexts.
  private static let contextCountMax = 1_024
  /// The maximum number of branches of all expressions, which take memory for each unit of a paragraph.
  static let branchCountMax = 4_096

  private init(_ sources: [GrammarSource]) { self.sources = sources }

  /// The grammar of a name.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - place: Where it is named.
  ///   - sources: The grammars of files, at most one of each name. One takes the place of a built-in
  ///     one.
  /// - Throws: `RulesError` at the first name that is not defined, and the first expression that cannot be
  ///   used.
  static func grammar(
    _ name: String, at place: TextPlace, of sources: [GrammarSource]
  ) throws(RulesError) -> Grammar {
    var compiler = GrammarCompiler(sources)
    let source = try compiler.source(name, place)
    _ = try compiler.index(of: "main", in: source, place)
    while let (index, grammar, context) = compiler.open.popLast() {
      do throws(RulesError) {
        try compiler.resolve(index, grammar, context)
      } catch {
        var error = error
        error.file = error.file ?? grammar.file ?? "grammar \(grammar.name)"
        throw error
      }
    }
    return Grammar(contexts: compiler.contexts, name: name)
  }

  private mutating func source(
    _ name: String, _ place: TextPlace
  ) throws(RulesError) -> GrammarSource {
    if let source = sources.first(where: { $0.name == name }) { return source }
    if let source = try GrammarSource(builtIn: name) {
      sources.append(source)
      return source
    }
    var names = GrammarSource.builtInNames
    for source in sources where !names.contains(source.name) { names.append(source.name) }
    let near = NearName.of(name, in: names).map { "did you mean \($0)? " } ?? ""
    throw RulesError(
      place,
      "there is no grammar \(name.shown); \(near)there are \(names.joined(separator: ", "))")
  }

  /// The index of a context, which is added if it is new.
  private mutating func index(
    of name: String, in grammar: GrammarSource, _ place: TextPlace
  ) throws(RulesError) -> Int {
    let fullName = "\(grammar.name).\(name)"
    if let index = indices[fullName] { return index }
    let context = try Self.context(name, in: grammar, place)
    guard contexts.count < Self.contextCountMax else {
      throw RulesError(
        place, "the grammars have more than \(Self.contextCountMax) contexts")
    }
    let index = contexts.count
    indices[fullName] = index
    contexts.append(
      Grammar.Context(
        name: fullName, style: context.style, paragraph: context.paragraph, value: context.value,
        endsWithParagraph: context.endsWithParagraph, endStyle: context.endStyle))
    open.append((index, grammar, context))
    return index
  }

  private static func context(
    _ name: String, in grammar: GrammarSource, _ place: TextPlace
  ) throws(RulesError) -> GrammarSource.Context {
    if let context = grammar.contexts.first(where: { $0.name == name }) { return context }
    let names = grammar.contexts.map(\.name)
    let near = NearName.of(name, in: names).map { "did you mean \($0)? " } ?? ""
    throw RulesError(
      place,
      "there is no context \(name.shown); \(near)there are \(names.joined(separator: ", "))")
  }

  /// Fills a context with its rules, those of contexts that it includes, and those of a grammar inside.
  private mutating func resolve(
    _ index: Int, _ grammar: GrammarSource, _ context: GrammarSource.Context
  ) throws(RulesError) {
    if let end = context.end { contexts[index].end = try scanner([end]) }
    var expressions: [GrammarSource.Expression] = []
    var words: [String: Int] = [:]
    var included: Set<String> = []
    var parts = [(grammar, context)]
    while let (grammar, context) = parts.popLast() {
      guard included.insert("\(grammar.name).\(context.name)").inserted else { continue }
      for rule in context.rules {
        try add(rule, of: grammar, to: index, &expressions, &words)
      }
      // They are taken from the end.
      if let inner = context.grammar {
        let grammar = try source(inner.name, inner.place)
        parts.append((grammar, try Self.context("main", in: grammar, inner.place)))
      }
      for include in context.includes.reversed() {
        parts.append((grammar, try Self.context(include.name, in: grammar, include.place)))
      }
    }
    if !expressions.isEmpty { contexts[index].scanner = try scanner(expressions) }
  }

  private mutating func add(
    _ rule: GrammarSource.Rule, of grammar: GrammarSource, to index: Int,
    _ expressions: inout [GrammarSource.Expression], _ words: inout [String: Int]
  ) throws(RulesError) {
    ruleCount += 1
    guard ruleCount <= Self.ruleCountMax else {
      throw RulesError(
        rule.place,
        "the contexts have more than \(Self.ruleCountMax) rules, with those that they include")
    }
    var push: Int?
    if let reference = rule.push {
      push = try self.index(of: reference.name, in: grammar, reference.place)
    }
    let number = contexts[index].rules.count
    contexts[index].rules.append(
      Grammar.Rule(
        style: rule.style, trimmedEnd: rule.trimmedEnd, attributes: rule.attributes, push: push,
        pops: rule.pops, paragraph: rule.paragraph, level: rule.level))
    switch rule.matcher {
    case .expression(let expression):
      expressions.append(expression)
      contexts[index].tokens.append(.rule(number))
    case .words(let list, let ignoresCase):
      wordCount += list.count
      guard wordCount <= Self.wordCountMax else {
        throw RulesError(
          rule.place,
          "the contexts have more than \(Self.wordCountMax) words, with those that they include")
      }
      // All words of a grammar are found by one expression, where the first of these rules is.
      let token = words[grammar.name] ?? contexts[index].tokens.count
      if words[grammar.name] == nil {
        words[grammar.name] = token
        expressions.append(grammar.word)
        contexts[index].tokens.append(.word(Grammar.Words()))
      }
      guard case .word(var table) = contexts[index].tokens[token] else { return }
      // A second reference would make each insertion copy the table.
      contexts[index].tokens[token] = .rule(0)
      for word in list {
        if ignoresCase {
          let folded = word.lowercased()
          table.folded[folded] = table.folded[folded] ?? number
        } else {
          table.exact[word] = table.exact[word] ?? number
        }
      }
      contexts[index].tokens[token] = .word(table)
    }
  }

  private mutating func scanner(
    _ expressions: [GrammarSource.Expression]
  ) throws(RulesError) -> LineScanner {
    let scanner: LineScanner
    do throws(LineScannerError) {
      scanner = try LineScanner(expressions.map { ($0.text, $0.ignoresCase) })
    } catch {
      throw RulesError(
        expressions[error.index].place, "the expression cannot be used: \(error.problem)")
    }
    branchCount += scanner.branchCount
    guard branchCount <= Self.branchCountMax else {
      throw RulesError(
        expressions[0].place,
        """
        the expressions of all contexts have more than \(Self.branchCountMax) branches, with those that \
        they include
        """)
    }
    return scanner
  }
}
