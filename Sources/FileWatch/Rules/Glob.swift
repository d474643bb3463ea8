/// A pattern of a path, as git matches it: byte by byte.
///
/// `*` is any bytes but `/`, and `?` one of them. `[…]` is one byte of a set or of its complement. `**`
/// between slashes, or between a slash and an end, is any number of folders. `\` takes the meaning from
/// the next byte. A pattern that ends in the middle of a set or of an escape matches nothing.
struct Glob: Hashable, Sendable {
  fileprivate enum Part: Hashable, Sendable {
    case byte(UInt8)
    /// `?`
    case one
    /// `*`
    case many
    /// `**/`: no folders, or any number of them with their slashes.
    case folders
    /// `**` at the end.
    case rest
    case set(ByteSet)
  }

  /// Nil if the pattern matches nothing.
  private let parts: [Part]?

  init(_ pattern: some Sequence<UInt8>) { parts = Self.parse(Array(pattern)) }

  /// True if the pattern matches the whole of `path`. O(parts · bytes) for a pattern with one `*` or
  /// `**`; for more of them, each multiplies the bytes only after a part that matched.
  func matches(_ path: some Sequence<UInt8>) -> Bool {
    guard let parts else { return false }
    return Self.matches(parts[...], Array(path)[...])
  }

  // MARK: Matching

  private static func matches(_ parts: ArraySlice<Part>, _ path: ArraySlice<UInt8>) -> Bool {
    var (parts, path) = (parts, path)
    // Where to try again: after the last `*` or `**/`, with the path after what they match so far. An
    // earlier one need not match more once a later one of the same or a wider kind is reached.
    var star: (parts: ArraySlice<Part>, path: ArraySlice<UInt8>)?
    var folders: (parts: ArraySlice<Part>, path: ArraySlice<UInt8>)?
    while true {
      switch parts.first {
      case .rest: return true
      case .many:
        parts = parts.dropFirst()
        star = (parts, path)
        continue
      case .folders:
        parts = parts.dropFirst()
        (folders, star) = ((parts, path), nil)
        continue
      case .some(let part):
        if let byte = path.first, part.takes(byte) {
          (parts, path) = (parts.dropFirst(), path.dropFirst())
          continue
        }
      case nil: if path.isEmpty { return true }
      }
      if let tried = star, let byte = tried.path.first, byte != slash {
        (parts, path) = (tried.parts, tried.path.dropFirst())
        star = (parts, path)
      } else if let tried = folders, let end = tried.path.firstIndex(of: slash) {
        (parts, path) = (tried.parts, tried.path[(end + 1)...])
        (folders, star) = ((parts, path), nil)
      } else {
        return false
      }
    }
  }

  // MARK: Parsing

  private static func parse(_ pattern: [UInt8]) -> [Part]? {
    var parts: [Part] = []
    var index = 0
    while index < pattern.count {
      let byte = pattern[index]
      index += 1
      switch byte {
      case backslash:
        guard index < pattern.count else { return nil }
        parts.append(.byte(pattern[index]))
        index += 1
      case UInt8(ascii: "?"): parts.append(.one)
      case UInt8(ascii: "["):
        guard let set = ByteSet(pattern, at: &index) else { return nil }
        parts.append(.set(set))
      case UInt8(ascii: "*"):
        let start = index - 1
        while index < pattern.count, pattern[index] == byte { index += 1 }
        parts.append(stars(start..<index, in: pattern))
        if parts.last == .folders { index += 1 }
      default: parts.append(.byte(byte))
      }
    }
    return parts
  }

  private static func stars(_ range: Range<Int>, in pattern: [UInt8]) -> Part {
    let isAfterSlash = range.lowerBound == 0 || pattern[range.lowerBound - 1] == slash
    guard range.count >= 2, isAfterSlash else { return .many }
    if range.upperBound == pattern.count { return .rest }
    return pattern[range.upperBound] == slash ? .folders : .many
  }
}

extension Glob.Part {
  fileprivate func takes(_ byte: UInt8) -> Bool {
    switch self {
    case .byte(let expected): byte == expected
    case .one: byte != slash
    case .set(let set): byte != slash && set.contains(byte)
    case .many, .folders, .rest: false
    }
  }
}

private let slash = UInt8(ascii: "/")
private let backslash = UInt8(ascii: "\\")

/// The bytes of a `[…]`.
private struct ByteSet: Hashable, Sendable {
  private var bytes: Set<UInt8> = []
  private var isComplement = false

  func contains(_ byte: UInt8) -> Bool { bytes.contains(byte) != isComplement }

  /// Reads the set after its `[`, and moves `index` after its `]`. Nil if it has no end.
  init?(_ pattern: [UInt8], at index: inout Int) {
    func next() -> UInt8? { index < pattern.count ? pattern[index] : nil }
    if let mark = next(), mark == UInt8(ascii: "!") || mark == UInt8(ascii: "^") {
      isComplement = true
      index += 1
    }
    var isFirst = true
    while let byte = next() {
      index += 1
      switch byte {
      case UInt8(ascii: "]") where !isFirst: return
      case UInt8(ascii: "[") where next() == UInt8(ascii: ":"):
        guard let end = pattern[index...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
        // Without `:` before `]`, the bytes stand for themselves.
        if end > index + 1, pattern[end - 1] == UInt8(ascii: ":") {
          guard let named = Self.named(pattern[(index + 1)..<(end - 1)]) else { return nil }
          bytes.formUnion(named)
          index = end + 1
        } else {
          bytes.insert(byte)
        }
      default:
        guard let low = Self.literal(byte, pattern, &index) else { return nil }
        bytes.insert(low)
        guard next() == UInt8(ascii: "-"), index + 1 < pattern.count,
          pattern[index + 1] != UInt8(ascii: "]")
        else { break }
        index += 2
        guard let high = Self.literal(pattern[index - 1], pattern, &index) else { return nil }
        if low <= high { bytes.formUnion(low...high) }
      }
      isFirst = false
    }
    return nil
  }

  /// `byte`, or the one after it if it is a backslash.
  private static func literal(_ byte: UInt8, _ pattern: [UInt8], _ index: inout Int) -> UInt8? {
    guard byte == backslash else { return byte }
    guard index < pattern.count else { return nil }
    defer { index += 1 }
    return pattern[index]
  }

  /// The bytes of a class of POSIX, all of ASCII. Nil if there is none of this name.
  private static func named(_ name: ArraySlice<UInt8>) -> Set<UInt8>? {
    let digits = Set(UInt8(ascii: "0")...UInt8(ascii: "9"))
    let (lower, upper) = (
      Set(UInt8(ascii: "a")...UInt8(ascii: "z")), Set(UInt8(ascii: "A")...UInt8(ascii: "Z"))
    )
    let graphic = Set<UInt8>(0x21...0x7E)
    switch String(decoding: name, as: UTF8.self) {
    case "alnum": return lower.union(upper).union(digits)
    case "alpha": return lower.union(upper)
    case "blank": return [0x20, 0x09]
    case "cntrl": return Set(0x00...0x1F).union([0x7F])
    case "digit": return digits
    case "graph": return graphic
    case "lower": return lower
    case "print": return graphic.union([0x20])
    case "punct": return graphic.subtracting(lower).subtracting(upper).subtracting(digits)
    case "space": return Set(0x09...0x0D).union([0x20])
    case "upper": return upper
    case "xdigit": return digits.union(Array("abcdefABCDEF".utf8))
    default: return nil
    }
  }
}
