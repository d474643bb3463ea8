/// The stable identifier of a paragraph: the number of the edit that created it, and its index
/// among the paragraphs that this edit created.
///
/// Identifiers depend only on the log: the same log gives the same identifiers on every machine.
/// They are ordered by creation. The only paragraph of the empty document is `0.0`.
public struct ParagraphID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The sequence number of the edit that created the paragraph; 0 for the first paragraph.
  public let sequence: SequenceNumber
  /// The index among the paragraphs that the edit created, in document order, from 0.
  public let ordinal: UInt32

  /// The identifier of the `ordinal`-th paragraph that edit `sequence` created.
  public init(sequence: SequenceNumber, ordinal: UInt32) {
    (self.sequence, self.ordinal) = (sequence, ordinal)
  }

  /// Parses `12.0`; nil if the text has another form.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let sequence = SequenceNumber(parts[0]), let ordinal = UInt32(parts[1])
    else { return nil }
    self.init(sequence: sequence, ordinal: ordinal)
    // Each identifier has one written form, without signs and leading zeros.
    guard text.elementsEqual(description) else { return nil }
  }

  /// `12.0`.
  public var description: String { "\(sequence).\(ordinal)" }

  /// True if `left` was created first.
  public static func < (left: Self, right: Self) -> Bool {
    (left.sequence, left.ordinal) < (right.sequence, right.ordinal)
  }
}

/// A paragraph of one version: its identifier and the range it covers, terminator included.
public struct ParagraphDescriptor: Hashable, Sendable {
  /// Its identifier.
  public let id: ParagraphID
  /// Its range in UTF-16 units of the version's text.
  public let range: UTF16Range

  /// The descriptor of paragraph `id` at `range`.
  public init(id: ParagraphID, range: UTF16Range) { (self.id, self.range) = (id, range) }
}
