import EditModel

extension JSON {
  /// The value as one line of JSON: members in their order, doubles in the shortest form that
  /// reads back the same (always with fraction or exponent), control characters and lone
  /// surrogates as `\uXXXX`. Doubles that are not finite become `null`. O(size).
  public func serialized() -> [UInt8] {
    var output: [UInt8] = []
    serialize(into: &output)
    return output
  }

  /// Writes the value at the end of `output`; as `serialized()`.
  public func serialize(into output: inout [UInt8]) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): output.append(contentsOf: String(value).utf8)
    case .double(let value):
      output.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
    case .string(let string): Self.serialize(string, into: &output)
    case .array(let elements): Self.serialize(elements, into: &output)
    case .object(let object): Self.serialize(object, into: &output)
    }
  }

  private static func serialize(_ elements: [JSON], into output: inout [UInt8]) {
    output.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      element.serialize(into: &output)
    }
    output.append(UInt8(ascii: "]"))
  }

  private static func serialize(_ object: JSONObject, into output: inout [UInt8]) {
    output.append(UInt8(ascii: "{"))
    for (index, member) in object.members.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      serialize(member.name, into: &output)
      output.append(UInt8(ascii: ":"))
      member.value.serialize(into: &output)
    }
    output.append(UInt8(ascii: "}"))
  }

  private static func serialize(_ string: JSONString, into output: inout [UInt8]) {
    if let string = string.string { return serialize(string, into: &output) }
    output.append(UInt8(ascii: "\""))
    var decoder = UTF16()
    var rest = string.text.units[...]
    while let unit = rest.first {
      var iterator = rest.makeIterator()
      if case .scalarValue(let scalar) = decoder.decode(&iterator) {
        escape(String(scalar).utf8.span, into: &output)
        rest = rest.dropFirst(UTF16.width(scalar))
      } else {
        escape(unit: unit, into: &output)
        rest = rest.dropFirst()
      }
      decoder = UTF16()
    }
    output.append(UInt8(ascii: "\""))
  }

  private static func serialize(_ string: String, into output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    escape(string.utf8.span, into: &output)
    output.append(UInt8(ascii: "\""))
  }

  private static func escape(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
    var start = 0
    for index in bytes.indices {
      let byte = bytes[index]
      guard byte < 0x20 || byte == 0x22 || byte == 0x5C else { continue }
      append(bytes, start..<index, to: &output)
      start = index + 1
      switch byte {
      case 0x22: output.append(contentsOf: [0x5C, 0x22])
      case 0x5C: output.append(contentsOf: [0x5C, 0x5C])
      case 0x0A: output.append(contentsOf: #"\n"#.utf8)
      case 0x0D: output.append(contentsOf: #"\r"#.utf8)
      case 0x09: output.append(contentsOf: #"\t"#.utf8)
      default: escape(unit: UInt16(byte), into: &output)
      }
    }
    append(bytes, start..<bytes.count, to: &output)
  }

  private static func append(
    _ bytes: Span<UInt8>, _ range: Range<Int>, to output: inout [UInt8]
  ) {
    bytes.extracting(range).withUnsafeBufferPointer { output.append(contentsOf: $0) }
  }

  private static func escape(unit: UInt16, into output: inout [UInt8]) {
    output.append(contentsOf: #"\u"#.utf8)
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
