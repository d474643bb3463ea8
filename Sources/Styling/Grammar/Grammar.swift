import EditModel
import Projections

/// A grammar, ready for use: contexts with rules, those of grammars inside it included.
///
/// A text is a sequence of tokens. At each place the first rule of the current context that matches
/// there makes the token; what no rule matches has the style of the context. A rule may begin another
/// context inside this one, or end it. The contexts that are open at the end of a paragraph are its
/// `SyntaxState`, with which the next one begins.
public struct Grammar: Sendable {
  struct Rule: Sendable {
    var style: String?
    var trimmedEnd: [UInt16]
    var attributes: [String]
    var push: Int?
    var pops: Bool
    var paragraph: String?
    var level: GrammarSource.Level
  }

  struct Context: Sendable {
    /// The grammar's name, a dot and the context's.
    var name: String
    var style: String?
    var paragraph: String?
    var value: GrammarSource.Level
    var endsWithParagraph: Bool
    var end: LineScanner?
    /// The style of what `end` matches; nil for that of the context.
    var endStyle: String?
    var rules: [Rule] = []
    /// Nil if there is no rule.
    var scanner: LineScanner?
    /// What each expression of the scanner stands for.
    var tokens: [Token] = []
  }

  enum Token: Sendable {
    case rule(Int)
    case word(Words)
  }

  /// The rules of words.
  struct Words: Sendable {
    var exact: [String: Int] = [:]
    /// By their lower case form.
    var folded: [String: Int] = [:]

    /// Longer words are in no list. In UTF-16 units.
    static let lengthMax = 64

    func rule(of word: UnsafeBufferPointer<UInt16>) -> Int? {
      guard word.count <= Self.lengthMax else { return nil }
      let text = String(units: word)
      return exact[text] ?? (folded.isEmpty ? nil : folded[text.lowercased()])
    }
  }

  /// The contexts; a text begins in the first.
  let contexts: [Context]
  /// The branches of the expressions of all contexts.
  var branchCount: Int {
    contexts.reduce(0) { $0 + ($1.scanner?.branchCount ?? 0) + ($1.end?.branchCount ?? 0) }
  }

  /// The contexts by their names.
  let indices: [String: Int]
  /// The name of the grammar.
  public let name: String
  /// Names of the attributes that tokens and paragraphs get, besides `syntax`, in the order of the
  /// grammar.
  public let attributeNames: [String]

  /// The maximum number of contexts inside each other. A rule cannot begin one more.
  public static let depthMax = 16

  /// True if no rule opens a context that goes on after its paragraph: then paragraphs do not depend on
  /// those before them.
  let isStateless: Bool

  init(contexts: [Context], name: String) {
    (self.contexts, self.name) = (contexts, name)
    indices = Dictionary(
      contexts.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { a, _ in a })
    var names: [String] = []
    for context in contexts {
      let all =
        [context.paragraph].compactMap { $0 }
        + context.rules.flatMap { $0.attributes + [$0.paragraph].compactMap { $0 } }
      for name in all where !names.contains(name) { names.append(name) }
    }
    attributeNames = names
    isStateless = contexts.allSatisfy { context in
      context.rules.allSatisfy { $0.push.map { contexts[$0].endsWithParagraph } ?? true }
    }
  }
}

extension String {
  /// The text of these units, with U+FFFD for each lone surrogate. Most words are ASCII, for which the
  /// library's decoder is slow.
  init(units: UnsafeBufferPointer<UInt16>) {
    guard units.allSatisfy({ $0 < 0x80 }) else {
      self.init(decoding: units, as: UTF16.self)
      return
    }
    self.init(unsafeUninitializedCapacity: units.count) { bytes in
      for index in units.indices {
        bytes.initializeElement(at: index, to: UInt8(truncatingIfNeeded: units[index]))
      }
      return units.count
    }
  }
}

/// The contexts that are open at the end of a paragraph.
public struct SyntaxState: Hashable, Sendable {
  /// The indices of the contexts, the first of the grammar left out, from the outside to the inside.
  var open: [Int] = []
  /// The language whose grammar the contexts belong to, inside a block of code; nil for the text's grammar.
  var language: CodeLanguage?

  /// The state at the start of a text.
  public init() {}
}

extension Grammar {
  /// A state, as text: the names of the contexts.
  func text(of state: SyntaxState) -> String {
    state.open.map { contexts[$0].name }.joined(separator: "/")
  }

  /// The state of a text; the start state if it is none of this grammar's.
  func state(of text: some StringProtocol) -> SyntaxState {
    var state = SyntaxState()
    guard !text.isEmpty else { return state }
    let names = text.split(separator: "/", maxSplits: Self.depthMax)
    guard names.count < Self.depthMax else { return state }
    for name in names {
      guard let index = indices[String(name)] else { return SyntaxState() }
      state.open.append(index)
    }
    return state
  }
}
