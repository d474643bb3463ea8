/// What stands for the content of a version, in 48 bytes: equal for equal content, whatever the
/// history that led there, and on every machine; different where any of text, attributes and
/// paragraph identifiers differs, but for a chance of about 1 in 2^122.
///
/// The sequence number is no part of it. It is made to compare what honest parties hold, and to
/// find mistakes; it is no proof against someone who makes up a text to fit. <doc:StateDigests>
/// specifies it to the bit.
public struct StateDigest: Hashable, Sendable, CustomStringConvertible {
  /// The digest of one part of the content, in 16 bytes.
  public struct Part: Hashable, Sendable, CustomStringConvertible {
    private let first: UInt64
    private let second: UInt64

    init(_ hash: PolynomialHash) { (first, second) = (hash.first.value, hash.second.value) }

    /// 32 lower-case hexadecimal digits.
    public var description: String {
      [first, second].map { value in
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
      }.joined()
    }
  }

  /// Of the text's UTF-16 units.
  public let text: Part
  /// Of the longest attribute runs: lengths and sets.
  public let attributes: Part
  /// Of the paragraphs' identifiers, in order. Where each paragraph is follows from the text.
  public let paragraphs: Part

  /// 96 lower-case hexadecimal digits: text, attributes, paragraphs.
  public var description: String { "\(text)\(attributes)\(paragraphs)" }
}
