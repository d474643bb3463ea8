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
    if span.count == 1 { return replaceOnce(span, new) }
    let lower = span.range.location
    for part in parts(of: span, new) {
      // Units that earlier edits removed were after this part, or at its place.
      let range =
        switch span.kind {
        case .insertion, .single: lower + part.lowerBound..<lower + part.lowerBound
        case .backspacing:
          span.range.upperBound - part.upperBound..<span.range.upperBound - part.lowerBound
        case .deletion: lower..<lower + part.count
        }
      let units = new.isEmpty ? new : new.extracting(part)
      replace(range, units, span.attributes.scaled(to: units.count))
      sequence += UInt64(part.count / span.unitsPerEdit)
    }
  }

  private func replaceOnce(_ span: EditSpan, _ new: UnsafeBufferPointer<UInt16>) {
    replace(span.range.bounds, new, span.attributes)
    sequence += 1
  }

  /// The parts of a run that can be applied at once, in units from its first edit. An edit that
  /// inserts or removes a terminator is one part; all edits between two such edits are one part.
  private func parts(of span: EditSpan, _ new: UnsafeBufferPointer<UInt16>) -> [Range<Int>] {
    if span.kind == .insertion { return Self.parts(of: new, span.unitsPerEdit) }
    let range = span.range.bounds
    let paragraph = paragraphPlace(at: range.lowerBound)
    // The last unit of a paragraph ends it; the one before may be half of a CR LF.
    let end = paragraph.start + paragraphRecords[paragraph.index].length - 2
    if range.upperBound <= end { return [0..<range.count] }
    var old = units.elements(in: range)
    if span.kind == .backspacing { old.reverse() }
    return old.withUnsafeBufferPointer { Self.parts(of: $0, span.unitsPerEdit) }
  }

  /// As above, for a run that inserts or removes these units, in this order.
  private static func parts(
    of units: UnsafeBufferPointer<UInt16>, _ size: Int
  ) -> [Range<Int>] {
    var (parts, start): ([Range<Int>], Int) = ([], 0)
    while let terminator = units.firstTerminator(from: start) {
      let edit = terminator / size * size
      if start < edit { parts.append(start..<edit) }
      start = edit + size
      parts.append(edit..<start)
    }
    if start < units.count { parts.append(start..<units.count) }
    return parts
  }

  private func replace(
    _ range: Range<Int>, _ new: UnsafeBufferPointer<UInt16>, _ attributes: AttributeChange
  ) {
    if case .inherit = attributes {
      if case .edited = typeLocally(UTF16Range(range), Span(_unsafeElements: new)) { return }
      if range.isEmpty ? splitLocally(at: range.lowerBound, new) : new.isEmpty && joinLocally(range)
      {
        return
      }
    }
    var probe = NoProbe()
    _ = replace(range, new, attributes, tellsEvents: false, &probe)
  }
}
