/// The SHA-256 of the bytes of an attachment, by which edits name it.
public struct AttachmentDigest: Hashable, Sendable {
  /// The 32 bytes.
  public let bytes: [UInt8]

  /// A digest.
  ///
  /// - Parameter bytes: The 32 bytes.
  /// - Returns: Nil if there are not 32 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// The digest that 64 hexadecimal digits in lower case name.
  ///
  /// - Parameter hexadecimal: The digits.
  /// - Returns: Nil if it is another text.
  public init?(_ hexadecimal: some StringProtocol) {
    let digits = Array(hexadecimal.utf8)
    guard digits.count == 64 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: 64, by: 2) {
      guard let high = Self.value(digits[index]), let low = Self.value(digits[index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    self.bytes = bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}

extension AttachmentDigest: CustomStringConvertible {
  /// 64 hexadecimal digits in lower case.
  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
