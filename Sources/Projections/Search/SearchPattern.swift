/// What a search over a history looks for.
///
/// A fixed string may hold ends of paragraphs. A regular expression is matched with each paragraph
/// by itself, without its terminator: so a match lies within one paragraph, and `^` and `$` are its
/// ends. Empty matches are not reported.
public struct SearchPattern: Sendable {
  enum Matcher: Sendable {
    case fixed(FixedMatcher)
    case lines(LineMatcher)
  }

  let matcher: Matcher

  /// The maximum length of a pattern in UTF-16 units.
  public static let lengthMax = 4_096

  /// A pattern.
  ///
  /// - Parameters:
  ///   - text: The string, or the regular expression in the syntax of Swift's `Regex`, without look
  ///     around, references to groups and other constructs that can take exponential time.
  ///   - isFixed: True if it is a string.
  ///   - ignoresCase: True if letters match their other case. In a fixed string this does not concern
  ///     letters outside the Basic Multilingual Plane.
  /// - Throws: `SearchPatternError`: what is wrong, and where.
  public init(
    _ text: String, isFixed: Bool, ignoresCase: Bool = false
  ) throws(SearchPatternError) {
    let units = Array(text.utf16)
    guard !units.isEmpty else { throw SearchPatternError("it is empty") }
    guard units.count <= Self.lengthMax else {
      throw SearchPatternError(
        "it has \(units.count) UTF-16 units, and the maximum is \(Self.lengthMax)")
    }
    if isFixed {
      matcher = .fixed(FixedMatcher(units, ignoresCase: ignoresCase))
      return
    }
    var parser = RegexParser(text, ignoresCase: ignoresCase)
    let tree = try parser.parse()
    if let literal = tree.literal {
      // Most patterns are words, and a string is found much faster.
      matcher = .fixed(FixedMatcher(literal.units, ignoresCase: literal.ignoresCase))
    } else {
      matcher = .lines(LineMatcher(try RegexProgram(tree)))
    }
  }
}

/// What is wrong with a pattern.
public struct SearchPatternError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem, without the pattern.
  public let description: String

  init(_ description: String) { self.description = description }
}
