public import EditModel

extension TextState {
  /// Applies the edits of a span, starting with number `sequence + 1`. If it throws, nothing is
  /// changed. Text, attributes and paragraph identifiers are the same as if the edits were applied
  /// one by one.
  ///
  /// The cost is that of one edit, plus one for each paragraph terminator that is inserted or
  /// removed: such an edit creates or removes a paragraph, and new paragraphs are named by their
  /// edit.
  ///
  /// - Throws: as `apply(_:capturingRemoved:)`, for the span as a whole.
  public mutating func apply(_ span: EditSpan) throws(EditError) {
    if span.text != nil { return try advance(by: span.action) }
    guard let units = span.units else {
      for index in 0..<span.count { try apply(span[index]) }
      return
    }
    try EditAction.validate(span.range, newLength: units.count, textLength: core.length)
    makeUnique()
    units.withUnsafeBufferPointer { core.apply(span, $0) }
  }
}

extension StateCore {
  /// Applies a run of edits, which must fit. `new` are the units that all of them insert.
  fileprivate func apply(_ span: EditSpan, _ new: UnsafeBufferPointer<UInt16>) {
    // Most often that is all.
    if case .inherit = span.attributes,
      case .edited = typeLocally(span.range, Span(_unsafeElements: new))
    {
      sequence += UInt64(span.count)
      return
    }
    let size = span.unitsPerEdit
    if span.count == 1 {
      replace(span.range.bounds, new, span.attributes, isLocal: false)
      sequence += 1
    } else if span.kind == .insertion {
      insert(new, at: span.range.location, size, span.attributes)
    } else {
      remove(span, size)
    }
  }

  /// Applies a run of insertions of `size` units each.
  private func insert(
    _ new: UnsafeBufferPointer<UInt16>, at location: Int, _ size: Int, _ attributes: AttributeChange
  ) {
    var start = 0
    if size == 1, case .inherit = attributes { start = type(new, at: location) }
    Self.forEachPart(of: new, from: start, size) { part in
      let units = new.extracting(part)
      let place = location + part.lowerBound
      replace(place..<place, units, attributes.scaled(to: units.count))
      sequence += UInt64(part.count / size)
    }
  }

  /// Inserts the first of `new` units that are typed one by one, as far as `typeReturnLocally` does.
  /// Returns their number.
  private func type(_ new: UnsafeBufferPointer<UInt16>, at location: Int) -> Int {
    var start = 0
    while start < new.count {
      // One terminator, with all units before it and those up to the next.
      guard let terminator = new.firstTerminator(from: start) else { break }
      let end = new.firstTerminator(from: terminator + 1) ?? new.count
      guard typeReturnLocally(at: location + start, new.extracting(start..<end)) else { break }
      sequence += UInt64(end - start)
      start = end
    }
    return start
  }

  /// Applies a run of deletions of `size` units each.
  private func remove(_ span: EditSpan, _ size: Int) {
    let range = span.range.bounds
    func removePart(_ part: Range<Int>) {
      // Units that earlier edits removed were after this part, or at its place.
      let lower =
        span.kind == .backspacing ? range.upperBound - part.upperBound : range.lowerBound
      replace(lower..<lower + part.count, UnsafeBufferPointer(start: nil, count: 0), .inherit)
      sequence += UInt64(part.count / size)
    }
    let paragraph = paragraphPlace(at: range.lowerBound)
    // The last unit of a paragraph ends it; the one before may be half of a CR LF.
    let end = paragraph.start + paragraphRecords[paragraph.index].length - 2
    if range.upperBound <= end { return removePart(0..<range.count) }
    var old = units.elements(in: range)
    if span.kind == .backspacing { old.reverse() }
    old.withUnsafeBufferPointer { Self.forEachPart(of: $0, from: 0, size, removePart) }
  }

  /// Calls `body` with the parts of a run that can be applied at once, in units from its first edit.
  /// The run inserts or removes `units` in this order. An edit that inserts or removes a terminator
  /// is one part; all edits between two such edits are one part.
  @inline(__always)
  private static func forEachPart(
    of units: UnsafeBufferPointer<UInt16>, from first: Int, _ size: Int,
    _ body: (Range<Int>) -> Void
  ) {
    var start = first
    while let terminator = units.firstTerminator(from: start) {
      let edit = terminator / size * size
      if start < edit { body(start..<edit) }
      start = edit + size
      body(edit..<start)
    }
    if start < units.count { body(start..<units.count) }
  }

  /// `isLocal` is false if `typeLocally` refused the edit.
  private func replace(
    _ range: Range<Int>, _ new: UnsafeBufferPointer<UInt16>, _ attributes: AttributeChange,
    isLocal: Bool = true
  ) {
    if case .inherit = attributes {
      if isLocal, case .edited = typeLocally(UTF16Range(range), Span(_unsafeElements: new)) {
        return
      }
      if splitOrJoinLocally(range, new, tellsEvents: false) != nil { return }
    }
    var probe = NoProbe()
    _ = replace(range, new, attributes, tellsEvents: false, &probe)
  }
}
