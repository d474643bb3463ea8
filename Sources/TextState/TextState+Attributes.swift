public import EditModel

extension TextState {
  /// The attributes of the unit at `offset`, which must be less than `length`, and the longest
  /// run around it that carries them. O(log n).
  public func attributes(at offset: Int) -> (attributes: AttributeSet, range: UTF16Range) {
    precondition(offset >= 0 && offset < length)
    let place = core.runPlace(at: offset)
    let record = core.runRecords[place.index]
    return (core.table[record.set], UTF16Range(place.start..<place.start + record.length))
  }

  /// Attribute runs in the text. O(1).
  public var attributeRunCount: Int { core.runRecords.count }

  /// All attribute runs: they cover the text, and neighbours differ. O(runs).
  public var attributeRuns: [AttributeRun] { attributeRuns(in: UTF16Range(0..<length)) }

  /// The attribute runs of `range`, cut to it. The range must lie inside the text. O(log n +
  /// runs in it).
  public func attributeRuns(in range: UTF16Range) -> [AttributeRun] {
    precondition(range.upperBound <= length)
    return core.runs(in: range.bounds).map {
      AttributeRun(length: $0.length, attributes: core.table[$0.set])
    }
  }
}
