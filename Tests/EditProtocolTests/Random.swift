import EditJSON
import EditModel
import EditProtocol
import TestSupport

extension JSON {
  static func random(depth: Int, using random: inout SplitMix64) -> JSON {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &random))
    case 2: return .integer(Int64.random(using: &random))
    case 3: return .double(Double.random(using: &random))
    case 4, 5: return JSON(UTF16Text.random(using: &random))
    case 6:
      return .array(
        (0..<Int.random(in: 0...5, using: &random)).map { _ in
          .random(depth: depth - 1, using: &random)
        })
    default:
      var object = JSONObject()
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        object[String.random(using: &random)] = .random(depth: depth - 1, using: &random)
      }
      return .object(object)
    }
  }
}

extension Int64 {
  /// Small, large and extreme numbers.
  static func random(using random: inout SplitMix64) -> Int64 {
    let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return extremes[Int.random(in: 0..<extremes.count, using: &random)]
    case 1: return Int64.random(in: -1000...1000, using: &random)
    default: return Int64.random(in: .min ... .max, using: &random)
    }
  }
}

extension Double {
  /// Finite doubles of every size, both zeros among them.
  static func random(using random: inout SplitMix64) -> Double {
    let double = Double(bitPattern: random.next())
    let some = [0.0, -0.0, 1, 0.1, -2.5, 1e300, double.isFinite ? double : 3]
    return some[Int.random(in: 0..<some.count, using: &random)]
  }
}

extension UTF16Text {
  /// Up to 20 units: ASCII, controls, what must be escaped, all planes, lone surrogates.
  static func random(using random: inout SplitMix64) -> UTF16Text {
    let pieces: [[UInt16]] = [
      [0x61], [0x20], [0x7A], [0x0A], [0x0D], [0x22], [0x5C], [0x00], [0x1F], [0x7F], [0xE9],
      [0x2028], [0xFFFF], [0x301], [0xD83D, 0xDE00], [0xD83D], [0xDE00], [0xDBFF, 0xDFFF],
    ]
    let lone = Bool.random(using: &random)
    var text = UTF16Text()
    for _ in 0..<Int.random(in: 0...10, using: &random) {
      let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
      let isLone = piece.count == 1 && UTF16.isSurrogate(piece[0])
      if lone || !isLone { text.append(contentsOf: piece) }
    }
    return text
  }
}

extension String {
  static func random(using random: inout SplitMix64) -> String {
    String(UTF16Text.random(using: &random)) + "\(Int.random(in: 0..<10, using: &random))"
  }
}

extension AttributeValue {
  static func random(depth: Int, using random: inout SplitMix64) -> AttributeValue {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
    case 0: return .bool(Bool.random(using: &random))
    case 1: return .integer(Int64.random(using: &random))
    case 2: return .double(Double.random(using: &random))
    case 3:
      let odd: [Double] = [.nan, .infinity, -.infinity]
      return .double(odd[Int.random(in: 0..<3, using: &random)])
    case 4: return .string(.random(using: &random))
    case 5:
      return .bytes(
        (0..<Int.random(in: 0...7, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        })
    case 6:
      return .list(
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
          .random(depth: depth - 1, using: &random)
        })
    default:
      return .map(.random(depth: depth - 1, using: &random))
    }
  }
}

extension AttributeSet {
  static func random(depth: Int, using random: inout SplitMix64) -> AttributeSet {
    let names = ["bold", "$bytes", "$map", "$double", "$", "x y", "é", ""]
    var set = AttributeSet()
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      set[names[Int.random(in: 0..<names.count, using: &random)]] = .random(
        depth: depth, using: &random)
    }
    return set
  }
}

extension EditAction {
  /// A well-formed action somewhere in a long text.
  static func random(using random: inout SplitMix64) throws -> EditAction {
    let location = Int.random(in: 0...1000, using: &random)
    let range = UTF16Range(location..<location + Int.random(in: 0...20, using: &random))
    let text = Bool.random(using: &random) ? UTF16Text.random(using: &random) : nil
    let length = text?.count ?? range.length
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let runs = AttributeRun.cover(length, using: &random)
      return try EditAction(range: range, replacement: text, attributes: .set(runs))
    case 1:
      let runs = AttributeRun.cover(length, using: &random)
      return try EditAction(range: range, replacement: text, attributes: .merge(runs))
    case 2:
      let names = (0..<3).map { _ in String.random(using: &random) }
      return try EditAction(range: range, replacement: text, attributes: .remove(names))
    default: return EditAction(replacing: range, with: text ?? "x")
    }
  }
}

extension AttributeRun {
  static func cover(_ length: Int, using random: inout SplitMix64) -> [AttributeRun] {
    var (runs, left) = ([AttributeRun](), length)
    while left > 0 {
      let count = Int.random(in: 1...left, using: &random)
      runs.append(
        AttributeRun(length: count, attributes: .random(depth: 3, using: &random)))
      left -= count
    }
    return runs
  }
}
