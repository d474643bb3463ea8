public import EditModel

extension TextState {
  /// Applies the edits of a span, as numbers `sequence + 1` on: all of them, or none where it
  /// throws. Text, attributes and paragraph identifiers come out as they do edit by edit.
  ///
  /// The cost is that of one edit, and of one more for each paragraph terminator that is put in
  /// or taken out: such an edit makes or ends a paragraph, which is called after it.
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
  /// Applies a run of edits, which must fit. `new` is what all of them insert.
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
      // What edits took out before lies behind this part, or was at its place.
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
    var probe = NoProbe()
    _ = replace(span.range.bounds, new, span.attributes, tellsEvents: false, &probe)
    sequence += 1
  }

  /// The parts of a run that can be done at once, in units from its first edit on: an edit that
  /// puts in or takes out a terminator is one, those between two such are one together.
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

  /// As above, where a run puts in or takes out these units, in this order.
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
    if case .inherit = attributes,
      case .edited = typeLocally(UTF16Range(range), Span(_unsafeElements: new))
    {
      return
    }
    var probe = NoProbe()
    _ = replace(range, new, attributes, tellsEvents: false, &probe)
  }
}
