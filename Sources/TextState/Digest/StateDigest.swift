/// A digest of the content of a version, in 48 bytes. It is equal for equal content, independent of
/// history and machine. It differs if text, attributes or paragraph identifiers differ, except for
/// a chance of about 1 in 2^122.
///
/// The sequence number is not part of it. It is for comparing content and finding mistakes, and
/// does not protect against constructed texts. <doc:StateDigests> specifies it to the bit.
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
