public import EditModel

extension TextState {
  /// The whole text. O(length).
  public var text: UTF16Text { UTF16Text(units: core.units.elements(in: 0..<length)) }

  /// The units of `range`, which must lie inside the text. O(log n + range).
  public func text(in range: UTF16Range) -> UTF16Text {
    UTF16Text(units: core.units.elements(in: range.bounds))
  }

  /// The units of `range`, which must lie inside the text, as bytes if they are many and each fits
  /// into one. O(log n + range).
  package func compactText(in range: UTF16Range) -> UTF16Text {
    guard range.length >= UTF16Text.latin1CountMin else { return text(in: range) }
    var all: UInt16 = 0
    withChunks(in: range) { all = $0.reduce(all, |) }
    guard all < 0x100 else { return text(in: range) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.length)
    withChunks(in: range) { for unit in $0 { bytes.append(UInt8(truncatingIfNeeded: unit)) } }
    return UTF16Text(latin1: bytes)
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

  /// Appends the units of `range`, which must lie inside the text, to an array. O(log n + range).
  package func appendUnits(in range: UTF16Range, to units: inout [UInt16]) {
    core.units.withChunks(in: range.bounds) { units.append(contentsOf: $0) }
  }
}

extension TextState {
  /// True if this is the text. Neither text is copied. O(length).
  public func hasText(_ text: UTF16Text) -> Bool {
    guard length == text.count else { return false }
    var (isEqual, start) = (true, 0)
    func compare(_ units: some InsertedUnits) {
      withChunks(in: UTF16Range(0..<length)) { chunk in
        guard isEqual else { return }
        isEqual = chunk.indices.allSatisfy { chunk[$0] == units[start &+ $0] }
        start += chunk.count
      }
    }
    if let bytes = text.latin1 {
      bytes.withUnsafeBufferPointer { compare(ByteUnits(bytes: $0)) }
    } else {
      text.units.withUnsafeBufferPointer { compare($0) }
    }
    return isEqual
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
