package import EditModel

/// Attribute values, sets and changes as bytes: typed, with sorted names, and one encoding for each
/// value.
package enum AttributeCodec {
  private enum Tag {
    static let no: UInt8 = 0
    static let yes: UInt8 = 1
    static let integer: UInt8 = 2
    static let double: UInt8 = 3
    static let string: UInt8 = 4
    static let bytes: UInt8 = 5
    static let list: UInt8 = 6
    static let map: UInt8 = 7
  }

  // MARK: Values

  /// Appends a value, whose lists and maps nest at most `AttributeValue.depthMax` deep.
  package static func encode(
    _ value: AttributeValue, to writer: inout ByteWriter, depth: Int = 0
  ) {
    switch value {
    case .bool(let value): writer.write(value ? Tag.yes : Tag.no)
    case .integer(let value):
      writer.write(Tag.integer)
      writer.write(zigzag: value)
    case .double(let value):
      writer.write(Tag.double)
      writer.write(fixed: value.canonicalBits)
    case .string(let value):
      writer.write(Tag.string)
      writer.write(string: value)
    case .bytes(let value):
      writer.write(Tag.bytes)
      writer.write(count: value.count)
      writer.write(bytes: value)
    case .list(let values):
      precondition(depth < AttributeValue.depthMax, "an attribute value is nested too deep")
      writer.write(Tag.list)
      writer.write(count: values.count)
      for value in values { encode(value, to: &writer, depth: depth + 1) }
    case .map(let values):
      precondition(depth < AttributeValue.depthMax, "an attribute value is nested too deep")
      writer.write(Tag.map)
      encode(values, to: &writer, depth: depth + 1)
    }
  }

  /// Reads a value from `reader`.
  package static func decodeValue(
    _ reader: inout ByteReader, depth: Int = 0
  ) throws(CodecError) -> AttributeValue {
    let place = reader
    switch try reader.readByte() {
    case Tag.no: return .bool(false)
    case Tag.yes: return .bool(true)
    case Tag.integer: return .integer(try reader.readZigzag())
    case Tag.double:
      let value = Double(bitPattern: try reader.read(UInt64.self))
      guard value.bitPattern == value.canonicalBits else {
        throw place.error(.overlong)
      }
      return .double(value)
    case Tag.string: return .string(try reader.readString())
    case Tag.bytes:
      let count = try reader.readCount(max: reader.remaining)
      return .bytes([UInt8](try reader.readBytes(count)))
    case Tag.list:
      guard depth < AttributeValue.depthMax else { throw place.error(.tooDeep) }
      // Each item takes a byte at least.
      let count = try reader.readCount(max: reader.remaining)
      var values: [AttributeValue] = []
      for _ in 0..<count { values.append(try decodeValue(&reader, depth: depth + 1)) }
      return .list(values)
    case Tag.map:
      guard depth < AttributeValue.depthMax else { throw place.error(.tooDeep) }
      return .map(try decodeSet(&reader, depth: depth + 1))
    default: throw place.error(.unknown)
    }
  }

  // MARK: Sets

  /// Appends a set of attributes in the order of the names' UTF-8 bytes.
  package static func encode(_ set: AttributeSet, to writer: inout ByteWriter) {
    encode(set, to: &writer, depth: 0)
  }

  /// Reads a set of attributes from `reader`.
  package static func decodeSet(_ reader: inout ByteReader) throws(CodecError) -> AttributeSet {
    try decodeSet(&reader, depth: 0)
  }

  private static func encode(
    _ set: AttributeSet, to writer: inout ByteWriter, depth: Int
  ) {
    writer.write(count: set.count)
    for (name, value) in set {
      writer.write(string: name)
      encode(value, to: &writer, depth: depth)
    }
  }

  private static func decodeSet(
    _ reader: inout ByteReader, depth: Int
  ) throws(CodecError) -> AttributeSet {
    // Each name and each value takes a byte at least.
    let count = try reader.readCount(max: reader.remaining / 2)
    var attributes: [AttributeSet.Element] = []
    for _ in 0..<count {
      let place = reader
      let name = try reader.readString()
      if let last = attributes.last, !last.name.precedesExactly(name) {
        throw place.error(.unsorted)
      }
      attributes.append((name, try decodeValue(&reader, depth: depth)))
    }
    return AttributeSet(attributes)
  }

  // MARK: Changes

  /// The kind of a change: 0 inherit, 1 set, 2 merge, 3 remove.
  static func kind(of change: AttributeChange) -> UInt8 {
    switch change {
    case .inherit: 0
    case .set: 1
    case .merge: 2
    case .remove: 3
    }
  }

  /// Appends the content of a change. Its kind is stored elsewhere.
  static func encode(_ change: AttributeChange, to writer: inout ByteWriter) {
    switch change {
    case .inherit: break
    case .set(let runs), .merge(let runs):
      writer.write(count: runs.count)
      for run in runs {
        writer.write(count: run.length)
        encode(run.attributes, to: &writer)
      }
    case .remove(let names):
      writer.write(count: names.count)
      for name in names { writer.write(string: name) }
    }
  }

  /// Reads a change of a kind from `reader`.
  static func decodeChange(
    kind: UInt8, from reader: inout ByteReader
  ) throws(CodecError) -> AttributeChange {
    switch kind {
    case 0: return .inherit
    case 1: return .set(try decodeRuns(&reader))
    case 2: return .merge(try decodeRuns(&reader))
    case 3:
      let count = try reader.readCount(max: reader.remaining)
      var names: [String] = []
      for _ in 0..<count { names.append(try reader.readString()) }
      return .remove(names)
    default: throw reader.error(.unknown)
    }
  }

  private static func decodeRuns(
    _ reader: inout ByteReader
  ) throws(CodecError) -> [AttributeRun] {
    let count = try reader.readCount(max: reader.remaining / 2)
    var runs: [AttributeRun] = []
    for _ in 0..<count {
      let length = try reader.readCount(max: EditAction.textLengthMax)
      runs.append(AttributeRun(length: length, attributes: try decodeSet(&reader)))
    }
    return runs
  }
}
