import EditModel
package import NIOCore

extension JSON {
  /// The limits of a text. The caller limits its size.
  public struct Limits: Hashable, Sendable {
    /// The maximum nesting depth of arrays and objects.
    public var depthMax: Int
    /// The maximum number of values in a text. Each takes about 25 bytes of memory.
    public var valueCountMax: Int

    /// Limits. The default is a depth of 64 and 16,777,216 values.
    public init(depthMax: Int = 64, valueCountMax: Int = 1 << 24) {
      (self.depthMax, self.valueCountMax) = (depthMax, valueCountMax)
    }

    /// The limits for messages. The depth is enough for a request with attribute values of 32
    /// levels, in which each map is wrapped in `$map`.
    public static let message = Limits(depthMax: 96)

    /// The limits for messages to a daemon, with fewer values: a frame of a million small values
    /// has a few megabytes, and takes about 50 MB as a tree.
    public static let request = Limits(depthMax: 96, valueCountMax: 1 << 20)
  }

  /// Reads one JSON text strictly by RFC 8259: one value, and only white space after it. If an
  /// object has equal names, the last one counts. O(bytes).
  ///
  /// - Throws: `JSONError` with the problem and its position.
  public static func parse(
    _ bytes: UnsafeRawBufferPointer, limits: Limits = Limits()
  ) throws(JSONError) -> JSON {
    guard let base = bytes.baseAddress else {
      throw JSONError(.unexpectedEnd(expected: "a value"), offset: 0)
    }
    var parser = JSONParser(base: base, end: bytes.count, limits: limits)
    return try parser.text()
  }

  /// Reads the body of a frame. Long strings are not copied.
  package static func parse(frame: ByteBuffer, limits: Limits) throws(JSONError) -> JSON {
    let result = frame.withUnsafeReadableBytes { bytes in
      Result { () throws(JSONError) -> JSON in
        guard let base = bytes.baseAddress, bytes.count > RawString.sizeMin else {
          return try parse(bytes, limits: limits)
        }
        var parser = JSONParser(base: base, end: bytes.count, limits: limits, frame: frame)
        return try parser.text()
      }
    }
    return try result.get()
  }

  /// Reads one JSON text; as the other `parse`.
  public static func parse(
    _ bytes: [UInt8], limits: Limits = Limits()
  ) throws(JSONError) -> JSON {
    try parse(bytes.span.bytes, limits: limits)
  }

  /// Reads one JSON text; as the other `parse`.
  public static func parse(
    _ string: String, limits: Limits = Limits()
  ) throws(JSONError) -> JSON {
    try parse(string.utf8.span.bytes, limits: limits)
  }

  private static func parse(_ bytes: RawSpan, limits: Limits) throws(JSONError) -> JSON {
    try bytes.withUnsafeBytes { (buffer) throws(JSONError) in try parse(buffer, limits: limits) }
  }
}

/// A recursive descent parser over bytes. Invariant: `index <= end`, and no byte at or after `end`
/// is read.
struct JSONParser: ~Copyable {
  let base: UnsafeRawPointer
  let end: Int
  let limits: JSON.Limits
  var index = 0
  var depth = 0
  var valueCount = 0
  /// Elements and members of the containers that are still open.
  var elements = MoveStack<JSON>(capacity: 16)
  var members = MoveStack<JSONObject.Member>(capacity: 16)
  /// A hash of each member's name, parallel to `members`.
  var nameHashes = MoveStack<UInt64>(capacity: 16)
  var names = NameCache()
  /// The decoded bytes of a string with escapes.
  var scratch: [UInt8] = []
  /// The frame that has the bytes, if long strings are not copied from it.
  let frame: ByteBuffer?

  init(
    base: UnsafeRawPointer, end: Int, limits: JSON.Limits, frame: ByteBuffer? = nil
  ) {
    (self.base, self.end, self.limits, self.frame) = (base, end, limits, frame)
  }

  mutating func text() throws(JSONError) -> JSON {
    let value = try value()
    skipSpace()
    guard index == end else { throw unexpected("the end of the text") }
    return value
  }

  mutating func value() throws(JSONError) -> JSON {
    skipSpace()
    valueCount += 1
    guard valueCount <= limits.valueCountMax else {
      throw JSONError(.tooManyValues(countMax: limits.valueCountMax), offset: index)
    }
    switch peek {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "{"): return .object(try object())
    case UInt8(ascii: "["): return .array(try array())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: throw unexpected("a value")
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
    for offset in 0..<word.utf8CodeUnitCount {
      guard peek == word.utf8Start[offset] else { throw unexpected("'\(word)'") }
      index += 1
    }
    return value
  }

  private mutating func array() throws(JSONError) -> [JSON] {
    try descend()
    let start = elements.count
    if !take(UInt8(ascii: "]")) {
      repeat { elements.push(try value()) } while try takeComma(or: UInt8(ascii: "]"))
    }
    depth -= 1
    return elements.popArray(from: start)
  }

  private mutating func object() throws(JSONError) -> JSONObject {
    try descend()
    let start = members.count
    var seen = SeenNames()
    if !take(UInt8(ascii: "}")) {
      repeat { try member(start: start, seen: &seen) } while try takeComma(or: UInt8(ascii: "}"))
    }
    depth -= 1
    nameHashes.drop(from: start)
    let all = members.popArray(from: start)
    return JSONObject(unique: seen.overflowed ? Self.keepingLast(all) : all)
  }

  private mutating func member(start: Int, seen: inout SeenNames) throws(JSONError) {
    skipSpace()
    guard peek == UInt8(ascii: "\"") else { throw unexpected("a member's name in '\"'") }
    let (name, hash) = try name()
    skipSpace()
    guard take(UInt8(ascii: ":")) else { throw unexpected("':' after a member's name") }
    let value = try value()
    if seen.mayHold(hash), let index = repeated(name, hash, from: start) {
      members[index].value = value
    } else {
      members.push(JSONObject.Member(name: name, value: value))
      nameHashes.push(hash)
    }
  }

  private func repeated(_ name: String, _ hash: UInt64, from start: Int) -> Int? {
    for index in start..<members.count
    where nameHashes[index] == hash && members[index].name.isExactly(name) {
      return index
    }
    return nil
  }

  private mutating func descend() throws(JSONError) {
    guard depth < limits.depthMax else {
      throw JSONError(.tooDeep(depthMax: limits.depthMax), offset: index)
    }
    depth += 1
    index += 1
    skipSpace()
  }

  /// True after a comma, false after `close`.
  private mutating func takeComma(or close: UInt8) throws(JSONError) -> Bool {
    skipSpace()
    if take(UInt8(ascii: ",")) { return true }
    if take(close) { return false }
    throw unexpected("',' or '\(Character(Unicode.Scalar(close)))'")
  }
}

extension JSONParser {
  /// The next byte. At the end it is 0, with which no token starts.
  var peek: UInt8 { index < end ? byte(index) : 0 }

  func byte(_ offset: Int) -> UInt8 { base.load(fromByteOffset: offset, as: UInt8.self) }

  mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    index += 1
    return true
  }

  mutating func skipSpace() {
    while index < end {
      switch byte(index) {
      case 0x20, 0x0A, 0x0D, 0x09: index += 1
      default: return
      }
    }
  }

  func unexpected(_ expected: String) -> JSONError {
    guard index < end else { return JSONError(.unexpectedEnd(expected: expected), offset: end) }
    return JSONError(.unexpectedByte(byte(index), expected: expected), offset: index)
  }
}
