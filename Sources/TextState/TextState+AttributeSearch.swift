public import EditModel

extension TextState {
  /// The value of one attribute at the unit at `offset`, which must be less than `length`, and the
  /// longest range around it over which the value is the same, or nil as it is absent.
  ///
  /// O(log n + runs in the range that carry the attribute).
  public func attribute(
    _ name: String, at offset: Int
  ) -> (value: AttributeValue?, range: UTF16Range) {
    precondition(offset >= 0 && offset < length)
    let place = core.runPlace(at: offset)
    guard let value = core.table[core.runRecords[place.index].set][name] else {
      let before = core.run(carrying: name, before: place.index)
      let after = core.run(carrying: name, from: place.index)
      return (nil, UTF16Range((before?.upperBound ?? 0)..<(after?.location ?? length)))
    }
    return (value, core.range(of: value, name, around: place))
  }

  /// The first attribute run that carries an attribute of this name, whatever its value, and holds
  /// a unit at or after `offset`; nil if there is none. The run is whole: it may begin before
  /// `offset`. To go on, ask from its end. `offset` must not be greater than `length`.
  ///
  /// O(log n): stretches of text without the name are passed over. Of more than 64 names some share
  /// a bit of the mask; then stretches with the other name are looked into as well.
  public func nextAttributeRun(
    carrying name: String, from offset: Int
  ) -> (attributes: AttributeSet, range: UTF16Range)? {
    precondition(offset >= 0 && offset <= length)
    guard offset < length else { return nil }
    return core.run(carrying: name, from: core.runPlace(at: offset).index).map(run)
  }

  /// The last attribute run that carries an attribute of this name, whatever its value, and holds
  /// a unit before `offset`; nil if there is none. The run is whole: it may end after
  /// `offset`. To go on, ask before its start. `offset` must not be greater than `length`.
  ///
  /// O(log n): stretches of text without the name are passed over. Of more than 64 names some share
  /// a bit of the mask; then stretches with the other name are looked into as well.
  public func previousAttributeRun(
    carrying name: String, before offset: Int
  ) -> (attributes: AttributeSet, range: UTF16Range)? {
    precondition(offset >= 0 && offset <= length)
    guard offset > 0 else { return nil }
    return core.run(carrying: name, before: core.runPlace(at: offset - 1).index + 1).map(run)
  }

  private func run(at range: UTF16Range) -> (attributes: AttributeSet, range: UTF16Range) {
    attributes(at: range.location)
  }
}

extension StateCore {
  /// The range of the first run that carries the name, from the run at `index` on.
  fileprivate func run(carrying name: String, from index: Int) -> UTF16Range? {
    let mask = table.mask(of: name)
    guard !mask.isEmpty else { return nil }
    return runRecords.first(from: index) {
      $0.names.isSuperset(of: mask)
    } where: {
      carries(name, mask, $0)
    }.map(range)
  }

  /// The range of the last run that carries the name, before the run at `index`.
  fileprivate func run(carrying name: String, before index: Int) -> UTF16Range? {
    let mask = table.mask(of: name)
    guard !mask.isEmpty else { return nil }
    return runRecords.last(before: index) {
      $0.names.isSuperset(of: mask)
    } where: {
      carries(name, mask, $0)
    }.map(range)
  }

  private func carries(_ name: String, _ mask: NameMask, _ record: RunRecord) -> Bool {
    record.set.names.isSuperset(of: mask) && table[record.set][name] != nil
  }

  private func range(of run: GapTree<RunRecord>.Found) -> UTF16Range {
    let start = run.place.measure.units
    return UTF16Range(start..<start + run.element.length)
  }

  /// The runs around `place` in which the attribute has this value, as one range.
  fileprivate func range(
    of value: AttributeValue, _ name: String, around place: RunPlace
  ) -> UTF16Range {
    var reader = TreeReader<RunRecord>()
    func length(_ index: Int) -> Int? {
      guard index >= 0, index < runRecords.count else { return nil }
      let record = reader.element(at: index, of: runRecords)
      return table[record.set][name] == value ? record.length : nil
    }
    var (first, start) = (place.index, place.start)
    while let length = length(first - 1) { (first, start) = (first - 1, start - length) }
    var (next, end) = (place.index, place.start)
    while let length = length(next) { (next, end) = (next + 1, end + length) }
    return UTF16Range(start..<end)
  }
}
