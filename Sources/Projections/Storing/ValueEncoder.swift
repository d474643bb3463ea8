import EditLogFormat
import EditModel

/// Writes stored values as bytes. A string that was written before is written as a number.
public struct ValueEncoder: ~Copyable {
  private var writer = ByteWriter()
  /// The strings written so far, by number.
  private var strings: [ExactString: Int] = [:]

  /// An encoder without bytes.
  public init() {}

  /// A copy of the bytes written so far. O(their number).
  public var bytes: [UInt8] { writer.bytes }

  mutating func encode(byte: UInt8) { writer.write(byte) }
  mutating func encode(unsigned value: UInt64) { writer.write(varint: value) }
  mutating func encode(signed value: Int64) { writer.write(zigzag: value) }
  mutating func encode(raw bytes: [UInt8]) { writer.write(bytes: bytes) }

  mutating func encode(_ string: String) {
    let exact = ExactString(string)
    if let number = strings[exact] { return encode(unsigned: UInt64(number) + 1) }
    strings[exact] = strings.count
    encode(unsigned: 0)
    writer.write(string: string)
  }

  mutating func encode(_ attributes: AttributeSet) {
    AttributeCodec.encode(attributes, to: &writer)
  }

  mutating func encode(_ text: UTF16Text) {
    encode(unsigned: UInt64(text.count))
    WTF8.encode(text, to: &writer)
  }
}
