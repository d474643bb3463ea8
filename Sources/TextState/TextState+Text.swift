public import EditModel

extension TextState {
  /// The whole text. O(length).
  public var text: UTF16Text { UTF16Text(units: core.units.elements(in: 0..<length)) }

  /// The units of `range`, which must lie inside the text. O(log n + range).
  public func text(in range: UTF16Range) -> UTF16Text {
    UTF16Text(units: core.units.elements(in: range.bounds))
  }

  /// The unit at `offset`, which must be less than `length`. O(1) near the last edit, else
  /// O(log n).
  public subscript(offset: Int) -> UInt16 { core.units[offset] }

  /// Calls `body` with the contiguous pieces of `range`, in order, without copying them. The
  /// range must lie inside the text; a piece is valid during its call only.
  public func withChunks<E: Error>(
    in range: UTF16Range, _ body: (UnsafeBufferPointer<UInt16>) throws(E) -> Void
  ) throws(E) {
    try core.units.withChunks(in: range.bounds, body)
  }
}

extension TextState: Equatable {
  /// True if sequence number, text, attributes and paragraphs are the same. O(length).
  public static func == (left: Self, right: Self) -> Bool {
    left.core === right.core
      || left.sequence == right.sequence && left.length == right.length
        && left.text == right.text && left.attributeRuns == right.attributeRuns
        && left.paragraphs.elementsEqual(right.paragraphs)
  }
}
