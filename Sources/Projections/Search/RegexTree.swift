/// A regular expression as it was written.
indirect enum RegexTree: Hashable, Sendable {
  case scalar(UInt32, ignoresCase: Bool)
  case set(ScalarSet)
  case lineStart
  case lineEnd
  /// The edge of a word, or any other place.
  case wordBoundary(isNegated: Bool)
  case sequence([RegexTree])
  /// The first that leads to a match is taken.
  case choice([RegexTree])
  /// `max` is nil if there is no bound.
  case repetition(RegexTree, min: Int, max: Int?, isLazy: Bool)

  /// The only string that it matches, case aside, as UTF-16 units; nil if it matches others too, or if it
  /// cannot be found unit by unit.
  var literal: (units: [UInt16], ignoresCase: Bool)? {
    switch self {
    case .scalar(let value, let ignoresCase):
      // U+FFFD stands for a lone surrogate too, and a paragraph holds no terminator.
      guard let scalar = Unicode.Scalar(value), value != 0xFFFD, !(ignoresCase && value > 0xFFFF),
        ![0x0A, 0x0D, 0x2029].contains(value)
      else { return nil }
      return (Array(String(scalar).utf16), ignoresCase)
    case .sequence(let parts):
      let found = parts.compactMap { part in
        if case .scalar = part { part.literal } else { nil }
      }
      guard let first = found.first, found.count == parts.count,
        found.allSatisfy({ $0.ignoresCase == first.ignoresCase })
      else { return nil }
      return (found.flatMap(\.units), first.ignoresCase)
    default: return nil
    }
  }
}

extension RegexTree {
  /// True if it can match at a place without taking a character.
  var canBeEmpty: Bool {
    switch self {
    case .scalar, .set: false
    case .lineStart, .lineEnd, .wordBoundary: true
    case .sequence(let parts): parts.allSatisfy(\.canBeEmpty)
    case .choice(let branches): branches.contains(where: \.canBeEmpty)
    case .repetition(let tree, let min, _, _): min == 0 || tree.canBeEmpty
    }
  }
}

/// A set of Unicode scalars.
struct ScalarSet: Hashable, Sendable {
  /// Sets that have a name.
  enum Class: Hashable, Sendable {
    case digit, word, space, horizontalSpace, newline, all
    case alphabetic, uppercase, lowercase, number, punctuation, symbol

    func contains(_ scalar: Unicode.Scalar) -> Bool {
      let properties = scalar.properties
      switch self {
      case .digit: return properties.numericType != nil
      case .word:
        // As `Regex` does, which knows no other digits here.
        return scalar == "_" || (0x30...0x39).contains(scalar.value) || properties.isAlphabetic
      case .space: return properties.isWhitespace
      case .horizontalSpace:
        return scalar == "\t" || properties.generalCategory == .spaceSeparator
      case .newline:
        return (0x0A...0x0D).contains(scalar.value)
          || [0x85, 0x2028, 0x2029].contains(scalar.value)
      case .all: return true
      case .alphabetic: return properties.isAlphabetic
      case .uppercase: return properties.isUppercase
      case .lowercase: return properties.isLowercase
      case .number:
        return [.decimalNumber, .letterNumber, .otherNumber].contains(properties.generalCategory)
      case .punctuation:
        return [
          .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
          .initialPunctuation, .finalPunctuation, .otherPunctuation,
        ].contains(properties.generalCategory)
      case .symbol:
        return [.mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol]
          .contains(properties.generalCategory)
      }
    }
  }

  private enum Part: Hashable, Sendable {
    case range(ClosedRange<UInt32>)
    case named(Class, isNegated: Bool)
    case set(ScalarSet)
    /// The characters that are in all of these.
    case common([ScalarSet])
  }

  private var parts: [Part] = []
  private(set) var isNegated = false
  private var ignoresCase = false
  /// The ASCII characters in the set, one bit each.
  private(set) var ascii: (low: UInt64, high: UInt64) = (0, 0)

  /// A set with a name, or its complement.
  init(_ named: Class, isNegated: Bool = false) {
    parts = [.named(named, isNegated: isNegated)]
    noteASCII()
  }

  /// The empty set.
  init(ignoresCase: Bool) { self.ignoresCase = ignoresCase }

  mutating func insert(_ range: ClosedRange<UInt32>) { parts.append(.range(range)) }
  mutating func insert(_ set: ScalarSet) { parts.append(.set(set)) }

  /// Inserts the characters that are in all of these sets.
  mutating func insert(commonTo sets: [ScalarSet]) { parts.append(.common(sets)) }

  /// Ends the making of the set.
  mutating func finish(isNegated: Bool) {
    self.isNegated = isNegated
    noteASCII()
  }

  private mutating func noteASCII() {
    ascii = (0, 0)
    for value in 0..<UInt32(64) {
      if computed(value) { ascii.low |= 1 << UInt64(value) }
      if computed(value + 64) { ascii.high |= 1 << UInt64(value) }
    }
  }

  @inline(__always)
  func contains(_ scalar: UInt32) -> Bool {
    if scalar < 64 { return ascii.low & (1 << UInt64(scalar)) != 0 }
    if scalar < 128 { return ascii.high & (1 << UInt64(scalar - 64)) != 0 }
    return computed(scalar)
  }

  @inline(never)
  private func computed(_ value: UInt32) -> Bool {
    guard let scalar = Unicode.Scalar(value) else { return false }
    var isIn = parts.contains { part in
      switch part {
      case .range(let range): range.contains(value)
      case .named(let named, let isNegated): named.contains(scalar) != isNegated
      case .set(let set): set.contains(value)
      case .common(let sets): sets.allSatisfy { $0.contains(value) }
      }
    }
    if ignoresCase, !isIn {
      // Sets inside ignore case by themselves, and classes do not.
      isIn = [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping].contains {
        let mapped = $0.unicodeScalars
        return mapped.count == 1 && mapped.first.map(isInRange) ?? false
      }
    }
    return isIn != isNegated
  }

  private func isInRange(_ scalar: Unicode.Scalar) -> Bool {
    parts.contains { part in
      if case .range(let range) = part { range.contains(scalar.value) } else { false }
    }
  }

  static func == (left: Self, right: Self) -> Bool {
    left.parts == right.parts && left.isNegated == right.isNegated
      && left.ignoresCase == right.ignoresCase
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(parts)
    hasher.combine(isNegated)
    hasher.combine(ignoresCase)
  }
}
