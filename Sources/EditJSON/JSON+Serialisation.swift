import EditModel

extension JSON {
  /// The value as one line of JSON. Members keep their order. Doubles have the shortest form that
  /// reads back the same, always with fraction or exponent; a double that is not finite is written
  /// as `null`. Control characters and lone surrogates are written as `\uXXXX`, and also U+0085,
  /// U+2028 and U+2029, which end lines in some languages. O(size).
  public func serialized() -> [UInt8] {
    var output: [UInt8] = []
    serialize(into: &output)
    return output
  }

  /// Writes the value at the end of `output`; as `serialized()`.
  public func serialize(into output: inout [UInt8]) { serialize(to: &output) }

  /// Writes the value to `output`; as `serialized()`, except for long strings that `output` takes
  /// as they are.
  package func serialize(to output: inout some ByteSink) {
    switch self {
    case .null: output.append("null")
    case .bool(let value): output.append(value ? "true" : "false")
    case .integer(let value): output.append(String(value))
    case .double(let value):
      output.append(value.isFinite ? value.description : "null")
    case .string(let string): Self.serialize(string, into: &output)
    case .array(let elements): Self.serialize(elements, into: &output)
    case .object(let object): Self.serialize(object, into: &output)
    }
  }

  private static func serialize(_ elements: [JSON], into output: inout some ByteSink) {
    output.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      element.serialize(to: &output)
    }
    output.append(UInt8(ascii: "]"))
  }

  private static func serialize(_ object: JSONObject, into output: inout some ByteSink) {
    output.append(UInt8(ascii: "{"))
    for (index, member) in object.members.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      serialize(member.name, into: &output)
      output.append(UInt8(ascii: ":"))
      member.value.serialize(to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }

  private static func serialize(_ string: JSONString, into output: inout some ByteSink) {
    if let quoted = string.quoted, output.append(quoted: quoted) { return }
    if let text = string.undecoded { return serialize(text, into: &output) }
    if let string = string.string { return serialize(string, into: &output) }
    serialize(string.text, into: &output)
  }

  /// UTF-16 units of a text that are decoded at a time.
  private static var partLength: Int { 1 << 14 }

  private static func serialize(_ text: UTF16Text, into output: inout some ByteSink) {
    output.append(UInt8(ascii: "\""))
    var offset = 0
    while offset < text.count {
      let part = text.part(from: offset, partLength)
      if let string = part.validString {
        escape(string.utf8.span, into: &output)
      } else {
        escape(units: part.units, into: &output)
      }
      offset += part.count
    }
    output.append(UInt8(ascii: "\""))
  }

  private static func escape(units: [UInt16], into output: inout some ByteSink) {
    var rest = units[...]
    while let unit = rest.first {
      var iterator = rest.makeIterator()
      var decoder = UTF16()
      if case .scalarValue(let scalar) = decoder.decode(&iterator) {
        escape(String(scalar).utf8.span, into: &output)
        rest = rest.dropFirst(UTF16.width(scalar))
      } else {
        escape(unit: unit, into: &output)
        rest = rest.dropFirst()
      }
    }
  }

  private static func serialize(_ string: String, into output: inout some ByteSink) {
    output.append(UInt8(ascii: "\""))
    escape(string.utf8.span, into: &output)
    output.append(UInt8(ascii: "\""))
  }

  private static func escape(_ bytes: Span<UInt8>, into output: inout some ByteSink) {
    var start = 0
    for index in bytes.indices {
      let byte = bytes[index]
      guard byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0xC2 || byte == 0xE2 else {
        continue
      }
      if byte >= 0x80 {
        guard let separator = lineSeparator(bytes, at: index) else { continue }
        append(bytes, start..<index, to: &output)
        start = index + (separator == 0x85 ? 2 : 3)
        escape(unit: separator, into: &output)
        continue
      }
      append(bytes, start..<index, to: &output)
      start = index + 1
      switch byte {
      case 0x22: output.append(#"\""#)
      case 0x5C: output.append(#"\\"#)
      case 0x0A: output.append(#"\n"#)
      case 0x0D: output.append(#"\r"#)
      case 0x09: output.append(#"\t"#)
      default: escape(unit: UInt16(byte), into: &output)
      }
    }
    append(bytes, start..<bytes.count, to: &output)
  }

  /// U+0085, U+2028 or U+2029, if it is at `index` of the UTF-8 bytes. Tools of some languages
  /// split lines at these characters, so they are escaped.
  private static func lineSeparator(_ bytes: Span<UInt8>, at index: Int) -> UInt16? {
    if bytes[index] == 0xC2 {
      return index + 1 < bytes.count && bytes[index + 1] == 0x85 ? 0x85 : nil
    }
    guard index + 2 < bytes.count, bytes[index + 1] == 0x80 else { return nil }
    switch bytes[index + 2] {
    case 0xA8: return 0x2028
    case 0xA9: return 0x2029
    default: return nil
    }
  }

  private static func append(
    _ bytes: Span<UInt8>, _ range: Range<Int>, to output: inout some ByteSink
  ) {
    bytes.extracting(range).withUnsafeBufferPointer { output.append(bytes: $0) }
  }

  private static func escape(unit: UInt16, into output: inout some ByteSink) {
    output.append(#"\u"#)
    for shift in [12, 8, 4, 0] {
      let digit = UInt8(truncatingIfNeeded: unit >> UInt16(shift)) & 0xF
      output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }
}

extension JSON: CustomStringConvertible {
  /// The value as one line of JSON.
  public var description: String { String(decoding: serialized(), as: UTF8.self) }
}
