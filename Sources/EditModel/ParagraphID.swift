/// The stable identifier of a paragraph: which edit created it, and which of that edit's new
/// paragraphs it is.
///
/// A function of the log alone: the same log gives the same identifiers on every machine.
/// Ordered by birth. The empty document's one paragraph is `0.0`.
public struct ParagraphID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The sequence number of the edit that created the paragraph; 0 for the first paragraph.
  public let sequence: SequenceNumber
  /// Which of the edit's new paragraphs, in document order, from 0.
  public let ordinal: UInt32

  /// The identifier of the `ordinal`-th paragraph that edit `sequence` created.
  public init(sequence: SequenceNumber, ordinal: UInt32) {
    (self.sequence, self.ordinal) = (sequence, ordinal)
  }

  /// Parses `12.0`; nil where the text has another form.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let sequence = SequenceNumber(parts[0]), let ordinal = UInt32(parts[1])
    else { return nil }
    self.init(sequence: sequence, ordinal: ordinal)
    // One text for each identifier: no signs, no leading zeros.
    guard text.elementsEqual(description) else { return nil }
  }

  /// `12.0`.
  public var description: String { "\(sequence).\(ordinal)" }

  /// True where `left` was born first.
  public static func < (left: Self, right: Self) -> Bool {
    (left.sequence, left.ordinal) < (right.sequence, right.ordinal)
  }
}

/// A paragraph of one version: its identifier and the range it covers, terminator included.
public struct ParagraphDescriptor: Hashable, Sendable {
  /// Who it is.
  public let id: ParagraphID
  /// Where it is, in UTF-16 units of the version's text.
  public let range: UTF16Range

  /// The descriptor of paragraph `id` at `range`.
  public init(id: ParagraphID, range: UTF16Range) { (self.id, self.range) = (id, range) }
}
