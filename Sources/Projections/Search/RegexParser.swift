/// Reads a regular expression in the syntax of Swift's `Regex`.
///
/// Constructs that need more than one pass over the text (references to groups, look around, atomic
/// groups) are refused: with them a match could take exponential time.
struct RegexParser {
  private let scalars: [Unicode.Scalar]
  private var next = 0
  private var ignoresCase: Bool
  private var dotMatchesAll = false
  private var depth = 0

  /// The maximum depth of groups and sets in each other.
  private static let depthMax = 100
  /// The maximum of a number in braces.
  private static let countMax = 1_000

  init(_ text: String, ignoresCase: Bool) {
    scalars = Array(text.unicodeScalars)
    self.ignoresCase = ignoresCase
  }

  mutating func parse() throws(SearchPatternError) -> RegexTree {
    let tree = try choice()
    if next < scalars.count { throw error("there is a ) without its (", at: next) }
    return tree
  }

  // MARK: Reading

  private var peek: Unicode.Scalar? { next < scalars.count ? scalars[next] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek == scalar else { return false }
    next += 1
    return true
  }

  private mutating func take(_ text: String) -> Bool {
    guard scalars[next...].starts(with: text.unicodeScalars) else { return false }
    next += text.unicodeScalars.count
    return true
  }

  /// An error. Characters are counted from 1.
  private func error(_ what: String, at index: Int) -> SearchPatternError {
    SearchPatternError("\(what) (character \(index + 1))")
  }

  private func unsupported(_ what: String, at index: Int) -> SearchPatternError {
    error("it has \(what), which is not supported", at: index)
  }

  /// An error about what only a search that backtracks can do.
  private func slow(_ what: String, at index: Int) -> SearchPatternError {
    error("it has \(what), which is not supported because it may take too long", at: index)
  }

  /// An error about a name of a property.
  private func unknownProperty(at index: Int) -> SearchPatternError {
    error(
      """
      it names a Unicode property other than Alphabetic, Uppercase, Lowercase, Whitespace, Number, \
      Punctuation and Symbol
      """, at: index)
  }

  private mutating func enter(at index: Int) throws(SearchPatternError) {
    depth += 1
    guard depth <= Self.depthMax else {
      throw error("groups are nested more than \(Self.depthMax) deep", at: index)
    }
  }

  // MARK: Groups

  private mutating func choice() throws(SearchPatternError) -> RegexTree {
    var branches = [try sequence()]
    while take("|") { branches.append(try sequence()) }
    return branches.count == 1 ? branches[0] : .choice(branches)
  }

  private mutating func sequence() throws(SearchPatternError) -> RegexTree {
    var parts: [RegexTree] = []
    while let scalar = peek, scalar != "|", scalar != ")" {
      let start = next
      if take("\\Q") {
        try quoted(into: &parts)
        continue
      }
      guard let atom = try atom() else { continue }
      parts.append(try repeated(atom, from: start))
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  private mutating func quoted(into parts: inout [RegexTree]) throws(SearchPatternError) {
    while let scalar = peek, !take("\\E") {
      parts.append(try literal(scalar.value, at: next))
      next += 1
    }
  }

  /// A character that stands for itself.
  private func literal(
    _ value: UInt32, at index: Int
  ) throws(SearchPatternError) -> RegexTree {
    if let unit = UInt16(exactly: value), unit.endsLine {
      throw error(
        "it has a line break, and a match lies within one line: only a string may have one",
        at: index)
    }
    return .scalar(value, ignoresCase: ignoresCase)
  }

  /// One unit of the expression; nil if it matches nothing by itself, such as a comment.
  private mutating func atom() throws(SearchPatternError) -> RegexTree? {
    let start = next
    let scalar = scalars[next]
    next += 1
    switch scalar {
    case "(": return try group(at: start)
    case "[": return .set(try set(at: start))
    case ".":
      return .set(
        dotMatchesAll ? ScalarSet(.all) : ScalarSet(.newline, isNegated: true))
    case "^": return .lineStart
    case "$": return .lineEnd
    case "\\": return try escape(at: start)
    case "*", "+", "?":
      throw error("there is nothing before \(scalar) that it could repeat", at: start)
    default: return try literal(scalar.value, at: start)
    }
  }

  private mutating func group(at start: Int) throws(SearchPatternError) -> RegexTree? {
    try enter(at: start)
    defer { depth -= 1 }
    let outer = (ignoresCase, dotMatchesAll)
    if take("?") {
      if take("#") {
        while let scalar = peek, scalar != ")" { _ = take(scalar) }
        guard take(")") else { throw error("the comment has no end", at: start) }
        return nil
      }
      if try opening(at: start) { return nil }
    } else if peek == "*" {
      throw unsupported("a directive", at: start)
    }
    let tree = try choice()
    guard take(")") else { throw error("there is a ( without its )", at: start) }
    (ignoresCase, dotMatchesAll) = outer
    return tree
  }

  /// Reads what follows `(?`. Returns true if that is the whole group.
  private mutating func opening(at start: Int) throws(SearchPatternError) -> Bool {
    if take(":") { return false }
    for look in ["=", "!", "<=", "<!", "*", "<*"] where take(look) {
      throw slow("look around", at: start)
    }
    if take(">") { throw slow("an atomic group", at: start) }
    for name in ["<", "P<", "'"] where take(name) {
      let end: Unicode.Scalar = name == "'" ? "'" : ">"
      let first = next
      while let scalar = peek,
        scalar.properties.isAlphabetic || scalar == "_"
          || next > first && scalar.properties.numericType != nil
      {
        next += 1
      }
      guard next > first, take(end) else { throw error("the group's name has no end", at: start) }
      return false
    }
    return try options(at: start)
  }

  /// Reads options such as `i` and `-i`. Returns true if no group follows: they hold for the rest of the
  /// group around them.
  private mutating func options(at start: Int) throws(SearchPatternError) -> Bool {
    var isOn = true
    while let scalar = peek {
      next += 1
      switch scalar {
      case "i": ignoresCase = isOn
      case "s": dotMatchesAll = isOn
      case "m": break
      case "-" where isOn: isOn = false
      case ":": return false
      case ")": return true
      default: throw unsupported("the group option \(scalar)", at: start)
      }
    }
    throw error("there is a ( without its )", at: start)
  }

  // MARK: Repetitions

  private mutating func repeated(
    _ atom: RegexTree, from start: Int
  ) throws(SearchPatternError) -> RegexTree {
    var tree = atom
    var isRepeated = false
    while let (min, max) = try quantifier() {
      switch atom {
      case .lineStart, .lineEnd, .wordBoundary:
        throw error("a place in the line cannot be repeated", at: start)
      default: break
      }
      if isRepeated { throw error("a repetition cannot be repeated: use a group", at: next - 1) }
      isRepeated = true
      if peek == "+" { throw slow("a possessive repetition", at: next) }
      tree = .repetition(atom, min: min, max: max, isLazy: take("?"))
    }
    return tree
  }

  private mutating func quantifier() throws(SearchPatternError) -> (min: Int, max: Int?)? {
    if take("*") { return (0, nil) }
    if take("+") { return (1, nil) }
    if take("?") { return (0, 1) }
    let start = next
    guard take("{") else { return nil }
    let lower = try number()
    let hasComma = take(",")
    let upper = hasComma ? try number() : lower
    guard lower != nil || upper != nil, take("}") else {
      // The brace is a character like any other.
      next = start
      return nil
    }
    if let upper, upper < lower ?? 0 {
      throw error("the numbers of a repetition are in the wrong order", at: start)
    }
    return (lower ?? 0, upper)
  }

  private mutating func number() throws(SearchPatternError) -> Int? {
    let start = next
    var value: Int?
    while let scalar = peek, let digit = digit(scalar, radix: 10) {
      next += 1
      value = (value ?? 0) * 10 + Int(digit)
      guard (value ?? 0) <= Self.countMax else {
        throw error("the maximum of a repetition is \(Self.countMax)", at: start)
      }
    }
    return value
  }

  private func digit(_ scalar: Unicode.Scalar, radix: UInt32) -> UInt32? {
    guard scalar.isASCII else { return nil }
    let value: UInt32
    switch scalar.value {
    case 0x30...0x39: value = scalar.value - 0x30
    case 0x41...0x46: value = scalar.value - 0x41 + 10
    case 0x61...0x66: value = scalar.value - 0x61 + 10
    default: return nil
    }
    return value < radix ? value : nil
  }

  // MARK: Escapes

  private mutating func escape(at start: Int) throws(SearchPatternError) -> RegexTree {
    guard let scalar = peek else { throw error("nothing follows the last \\", at: start) }
    switch scalar {
    case "A": next += 1; return .lineStart
    case "z", "Z": next += 1; return .lineEnd
    case "b": next += 1; return .wordBoundary(isNegated: false)
    case "B": next += 1; return .wordBoundary(isNegated: true)
    default: break
    }
    if let set = try namedSet(at: start) { return .set(set) }
    return try literal(try character(at: start), at: start)
  }

  /// The set of an escape such as `\d`; nil if it is another escape.
  private mutating func namedSet(at start: Int) throws(SearchPatternError) -> ScalarSet? {
    let set: ScalarSet
    switch peek {
    case "d": set = ScalarSet(.digit)
    case "D": set = ScalarSet(.digit, isNegated: true)
    case "w": set = ScalarSet(.word)
    case "W": set = ScalarSet(.word, isNegated: true)
    case "s": set = ScalarSet(.space)
    case "S": set = ScalarSet(.space, isNegated: true)
    case "h": set = ScalarSet(.horizontalSpace)
    case "H": set = ScalarSet(.horizontalSpace, isNegated: true)
    case "v", "R": set = ScalarSet(.newline)
    case "N" where next + 1 < scalars.count && scalars[next + 1] == "{":
      throw unsupported("a character by its name", at: start)
    case "V", "N": set = ScalarSet(.newline, isNegated: true)
    case "p", "P": return try property(at: start)
    case "X", "O", "C", "K", "G", "y", "Y": throw unsupported("this escape", at: start)
    default: return nil
    }
    next += 1
    return set
  }

  /// The names of properties of Unicode, without spaces, `_` and `-`, in lower case.
  private static let properties: [String: ScalarSet.Class] = [
    "alphabetic": .alphabetic, "alpha": .alphabetic, "l": .alphabetic, "letter": .alphabetic,
    "uppercase": .uppercase, "upper": .uppercase, "lu": .uppercase,
    "lowercase": .lowercase, "lower": .lowercase, "ll": .lowercase,
    "whitespace": .space, "space": .space, "n": .number, "number": .number,
    "p": .punctuation, "punctuation": .punctuation, "s": .symbol, "symbol": .symbol,
  ]

  /// The set of an escape such as `\p{Uppercase}`, at the letter `p`.
  private mutating func property(at start: Int) throws(SearchPatternError) -> ScalarSet {
    let isNegated = peek == "P"
    next += 1
    guard take("{") else { throw error("no { follows \\p", at: start) }
    var name = ""
    while let scalar = peek, scalar != "}" {
      next += 1
      guard scalar.isASCII, name.utf8.count < 32 else {
        throw unknownProperty(at: start)
      }
      if !["_", "-", " "].contains(scalar) { name += scalar.properties.lowercaseMapping }
    }
    guard take("}") else { throw error("there is a { without its }", at: start) }
    guard let named = Self.properties[name] else {
      throw unknownProperty(at: start)
    }
    return ScalarSet(named, isNegated: isNegated)
  }

  /// The character of an escape such as `\n` or `\.`.
  private mutating func character(at start: Int) throws(SearchPatternError) -> UInt32 {
    guard let scalar = peek else { throw error("nothing follows the last \\", at: start) }
    next += 1
    switch scalar {
    case "n": return 0x0A
    case "r": return 0x0D
    case "t": return 0x09
    case "f": return 0x0C
    case "e": return 0x1B
    case "a": return 0x07
    case "x": return try hexadecimal(digits: 2, at: start)
    case "u": return try hexadecimal(digits: 4, at: start)
    case "U": return try hexadecimal(digits: 8, at: start)
    case "0":
      var value: UInt32 = 0
      for _ in 0..<3 {
        guard let scalar = peek, let digit = digit(scalar, radix: 8) else { break }
        next += 1
        value = value * 8 + digit
      }
      return value
    case "1"..."9", "k", "g": throw slow("a reference to a group", at: start)
    case "a"..."z", "A"..."Z": throw error("there is no escape \\\(scalar)", at: start)
    default: return scalar.value
    }
  }

  private mutating func hexadecimal(
    digits count: Int, at start: Int
  ) throws(SearchPatternError) -> UInt32 {
    var (value, seen) = (UInt32(0), 0)
    let isBraced = take("{")
    while isBraced ? seen < 8 : seen < count, let scalar = peek,
      let digit = digit(scalar, radix: 16)
    {
      next += 1
      (value, seen) = (value << 4 | digit, seen + 1)
    }
    let isComplete = isBraced ? seen > 0 && take("}") : seen == count
    guard isComplete, Unicode.Scalar(value) != nil else {
      throw error("the number of a character is not complete or out of range", at: start)
    }
    return value
  }

  // MARK: Sets

  private mutating func set(at start: Int) throws(SearchPatternError) -> ScalarSet {
    try enter(at: start)
    defer { depth -= 1 }
    let isNegated = take("^")
    var set = ScalarSet(ignoresCase: ignoresCase)
    /// The sets before each `&&`.
    var operands: [ScalarSet] = []
    let first = next
    while let scalar = peek {
      if scalar == "]", next > first {
        next += 1
        if !operands.isEmpty {
          set.finish(isNegated: false)
          operands.append(set)
          set = ScalarSet(ignoresCase: false)
          set.insert(commonTo: operands)
        }
        set.finish(isNegated: isNegated)
        return set
      }
      if next > first, take("&&") {
        set.finish(isNegated: false)
        operands.append(set)
        set = ScalarSet(ignoresCase: ignoresCase)
        continue
      }
      for sign in ["&&", "--", "~~"] where scalars[next...].starts(with: sign.unicodeScalars) {
        throw unsupported("an operation on sets (\(sign))", at: next)
      }
      try member(of: &set)
    }
    throw error("there is a [ without its ]", at: start)
  }

  private mutating func member(of set: inout ScalarSet) throws(SearchPatternError) {
    let start = next
    if take("[") {
      if peek == ":" { throw unsupported("a POSIX class", at: start) }
      return set.insert(try self.set(at: start))
    }
    if peek == "\\" {
      next += 1
      if let named = try namedSet(at: start) { return set.insert(named) }
      next = start
    }
    let lower = try memberCharacter()
    guard peek == "-", next + 1 < scalars.count, scalars[next + 1] != "]" else {
      return set.insert(lower...lower)
    }
    next += 1
    let upper = try memberCharacter()
    guard lower <= upper else { throw error("the range of a set is in the wrong order", at: start) }
    set.insert(lower...upper)
  }

  private mutating func memberCharacter() throws(SearchPatternError) -> UInt32 {
    let start = next
    guard let scalar = peek else { throw error("there is a [ without its ]", at: start) }
    next += 1
    guard scalar == "\\" else { return scalar.value }
    if take("b") { return 0x08 }
    return try character(at: start)
  }
}
