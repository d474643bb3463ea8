public import EditModel

extension SequenceSet: StoredValue {
  /// Appends the ranges, each relative to the one before. O(ranges).
  public func encode(to encoder: inout ValueEncoder) {
    encoder.encode(unsigned: UInt64(ranges.count))
    var last: SequenceNumber = 0
    for range in ranges {
      encoder.encode(unsigned: range.lowerBound - last)
      encoder.encode(unsigned: range.upperBound - range.lowerBound)
      last = range.upperBound
    }
  }

  /// Reads a set.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self.init()
    var last: SequenceNumber = 0
    for index in 0..<(try decoder.decodeFollowingCount()) {
      let lower = last.addingReportingOverflow(try decoder.decodeUnsigned())
      let upper = lower.partialValue.addingReportingOverflow(try decoder.decodeUnsigned())
      guard !lower.overflow, !upper.overflow, index == 0 || lower.partialValue > last + 1 else {
        throw decoder.error("ranges of edits do not ascend")
      }
      append(lower.partialValue...upper.partialValue)
      last = upper.partialValue
      guard last < .max else { throw decoder.error("a sequence number is out of range") }
    }
  }
}

extension UndoneChange: StoredValue {
  /// Appends both sets.
  public func encode(to encoder: inout ValueEncoder) {
    undone.encode(to: &encoder)
    redone.encode(to: &encoder)
  }

  /// Reads a change.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self.init(undone: try SequenceSet(from: &decoder), redone: try SequenceSet(from: &decoder))
    guard undone.intersection(redone).isEmpty else {
      throw decoder.error("an edit is undone and brought back")
    }
  }
}
