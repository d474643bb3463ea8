import EditLogFormat
import EditModel

/// Reads stored values from bytes. Whatever the bytes are, it throws and never traps.
public struct ValueDecoder: ~Copyable {
  private var reader: ByteReader
  private var strings: [String] = []

  /// The maximum of numbers that count something, far below those at which arithmetic overflows.
  static let countMax = 1 << 60

  /// The maximum of sequence numbers, far below those at which arithmetic overflows.
  static let sequenceMax: SequenceNumber = 1 << 60

  private init(_ reader: ByteReader) { self.reader = reader }

  /// Reads `bytes` with `body`, to their end.
  static func reading<Value>(
    _ bytes: [UInt8], _ body: (inout ValueDecoder) throws(StoredValueError) -> Value
  ) throws(StoredValueError) -> Value {
    try bytes.withUnsafeBufferPointer { buffer throws(StoredValueError) in
      var decoder = ValueDecoder(ByteReader(UnsafeRawBufferPointer(buffer)))
      let value = try body(&decoder)
      guard decoder.reader.isAtEnd else { throw decoder.error("there are bytes after the end") }
      return value
    }
  }

  /// An error that names the current byte.
  public func error(_ what: String) -> StoredValueError {
    StoredValueError("\(what) (at byte \(reader.offset))")
  }

  /// Reads a number of things, from 0 to 2^60.
  ///
  /// - Throws: `StoredValueError` if the number is negative or larger.
  public mutating func decodeCount() throws(StoredValueError) -> Int {
    let value = try Int(from: &self)
    guard (0...Self.countMax).contains(value) else { throw error("a count is out of range") }
    return value
  }

  /// Reads a number of values that follow, each of at least one byte.
  mutating func decodeFollowingCount() throws(StoredValueError) -> Int {
    let count = try decodeUnsigned()
    guard count <= UInt64(reader.remaining) else { throw error("the bytes end too early") }
    return Int(count)
  }

  mutating func decodeByte() throws(StoredValueError) -> UInt8 {
    do throws(CodecError) { return try reader.readByte() } catch { throw Self.wrap(error) }
  }

  mutating func decodeUnsigned() throws(StoredValueError) -> UInt64 {
    do throws(CodecError) { return try reader.readVarint() } catch { throw Self.wrap(error) }
  }

  mutating func decodeSigned() throws(StoredValueError) -> Int64 {
    do throws(CodecError) { return try reader.readZigzag() } catch { throw Self.wrap(error) }
  }

  mutating func decodeString() throws(StoredValueError) -> String {
    let number = try decodeUnsigned()
    guard number > 0 else {
      do throws(CodecError) { strings.append(try reader.readString()) } catch {
        throw Self.wrap(error)
      }
      return strings[strings.count - 1]
    }
    guard number <= UInt64(strings.count) else { throw error("a string is unknown") }
    return strings[Int(number) - 1]
  }

  mutating func decodeText() throws(StoredValueError) -> UTF16Text {
    do throws(CodecError) {
      // A unit takes at least one byte.
      let count = try reader.readCount(max: reader.remaining)
      return try WTF8.decodeText(count, from: &reader)
    } catch { throw Self.wrap(error) }
  }

  mutating func decodeAttributes() throws(StoredValueError) -> AttributeSet {
    do throws(CodecError) { return try AttributeCodec.decodeSet(&reader) } catch {
      throw Self.wrap(error)
    }
  }

  private static func wrap(_ error: CodecError) -> StoredValueError {
    StoredValueError(error.description)
  }
}
