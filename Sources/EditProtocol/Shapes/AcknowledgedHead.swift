public import EditModel

/// A head of a document's hash chain that was acknowledged. It is written `DOCUMENT@SEQUENCE:HEX`.
/// The name may contain `@` and `:`. If it has invisible characters, it is written between double
/// quotes with the escapes of C.
public struct AcknowledgedHead: Hashable, Sendable, CustomStringConvertible {
  /// The document.
  public var document: DocumentID
  /// The edit's sequence number.
  public var sequence: SequenceNumber
  /// The head of the document's hash chain after this edit.
  public var head: ContentDigest

  /// A head. Nil if `head` is not 64 hexadecimal digits.
  public init?(document: DocumentID, sequence: SequenceNumber, head: String) {
    guard let digest = ContentDigest(hex: head) else { return nil }
    (self.document, self.sequence, self.head) = (document, sequence, digest)
  }

  /// Reads the written form; nil for any other text.
  public init?(_ text: String) {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
      let at = text.utf8[..<colon].lastIndex(of: UInt8(ascii: "@")),
      let document = DocumentID(String(shown: text[..<at]) ?? String(text[..<at])),
      let sequence = SequenceNumber(text[text.index(after: at)..<colon])
    else { return nil }
    self.init(
      document: document, sequence: sequence, head: String(text[text.index(after: colon)...]))
  }

  /// The written form.
  public var description: String { "\(document.shown)@\(sequence):\(head.hex)" }
}
