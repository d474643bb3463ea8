public import EditModel

/// Seeded edits that look for trouble: every terminator, pairs and halves of them, combining
/// marks, edits inside pairs and CR LF, attributes of every kind, all lengths.
public struct EditGenerator: Sendable {
  private var random: SplitMix64
  /// Edits keep the text about this long, in UTF-16 units.
  private let lengthGoal: Int

  /// A generator; the same seed gives the same edits against the same lengths.
  public init(seed: UInt64, lengthGoal: Int = 60) {
    (random, self.lengthGoal) = (SplitMix64(seed: seed), lengthGoal)
  }

  private static let fragments: [[UInt16]] = [
    [0x0A], [0x0D], [0x0D, 0x0A], [0x2029], [0x2028], [0x85], [0x0B], [0x0C],
    Array("a".utf16), Array("word ".utf16), Array("😀".utf16), Array("👩‍👧".utf16),
    [0x65, 0x0301], [0xD83D], [0xDE00], [0x0A, 0x0A], [0x0D, 0x0D], [0x0A, 0x0D],
    Array("x\ny".utf16), Array("é".utf16),
  ]

  /// An action for a text of `length` units; one in a hundred reaches past its end.
  public mutating func action(length: Int) -> EditAction {
    let range = self.range(in: length)
    let isStyle = below(5) == 0
    let replacement = isStyle ? nil : self.text(longAsWell: length < lengthGoal)
    let newLength = replacement?.count ?? range.length
    let action = try? EditAction(
      range: range, replacement: replacement,
      attributes: change(newLength: newLength, mayInherit: !isStyle))
    return action ?? EditAction(replacing: range, with: UTF16Text())
  }

  /// A number from 0 to `bound - 1`.
  public mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private mutating func range(in length: Int) -> UTF16Range {
    if below(100) == 0 {
      let location = below(length + 2)
      return UTF16Range(location..<length + 1 + below(9) + location)
    }
    let location = below(length + 1)
    let rest = length - location
    switch below(length > lengthGoal ? 5 : 8) {
    case 0: return UTF16Range(0..<length)
    case 1: return UTF16Range(location..<location + below(rest + 1))
    case 2, 3, 4: return UTF16Range(location..<location + min(rest, below(4)))
    default: return UTF16Range(location..<location)
    }
  }

  /// Text of some fragments.
  public mutating func text(longAsWell: Bool) -> UTF16Text {
    let count = longAsWell && below(8) == 0 ? below(16) : below(4)
    return UTF16Text(
      units: (0..<count).flatMap { _ in Self.fragments[below(Self.fragments.count)] }
    ).inEitherForm
  }

  private mutating func change(newLength: Int, mayInherit: Bool) -> AttributeChange {
    switch below(mayInherit ? 8 : 4) {
    case 0: return .set(runs(newLength))
    case 1: return .merge(runs(newLength))
    case 2: return .remove(["bold"])
    case 3: return .remove(["size", "link", "e\u{301}", "none"])
    default: return .inherit
    }
  }

  private mutating func runs(_ length: Int) -> [AttributeRun] {
    var (runs, left): ([AttributeRun], Int) = ([], length)
    while left > 0 {
      let length = below(3) == 0 ? 1 + below(left) : left
      runs.append(AttributeRun(length: length, attributes: attributes()))
      left -= length
    }
    return runs
  }

  private mutating func attributes() -> AttributeSet {
    let values: [(String, AttributeValue)] = [
      ("bold", .bool(true)), ("bold", .bool(false)), ("size", .integer(12)),
      ("size", .double(.nan)), ("size", .double(-0.0)), ("link", .string("a:b")),
      ("data", .bytes([1, 2])), ("list", .list([.integer(1), .string("x")])),
      ("map", .map(["k": .list([]), "n": .double(0)])),
      ("size", .double(Double(nan: 7, signaling: false))), ("é", .bool(true)),
      ("e\u{301}", .bool(true)), ("map", .map(["é": .bool(true), "e\u{301}": .bool(true)])),
    ]
    var set = AttributeSet()
    for _ in 0..<below(3) {
      let (name, value) = values[below(values.count)]
      set[name] = value
    }
    return set
  }
}

extension UTF16Text {
  /// The same text, kept as bytes if it can be and has an even length.
  public var inEitherForm: UTF16Text {
    guard count % 2 == 0, units.allSatisfy({ $0 < 0x100 }) else { return self }
    return UTF16Text(latin1: units.map { UInt8($0) })
  }
}
