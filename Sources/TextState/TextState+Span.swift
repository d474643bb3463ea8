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
    guard let units = span.units, span.kind != .single else {
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

  /// The parts of a run that can be done at once, in units from its first edit on: an edit that
  /// puts in or takes out a terminator is one, those between two such are one together.
  private func parts(of span: EditSpan, _ new: UnsafeBufferPointer<UInt16>) -> [Range<Int>] {
    let count = max(new.count, span.range.length)
    var (parts, start): ([Range<Int>], Int) = ([], 0)
    for lower in stride(from: 0, to: count, by: span.unitsPerEdit) {
      let edit = lower..<lower + span.unitsPerEdit
      guard edit.contains(where: { unit($0, of: span, new).endsParagraph }) else { continue }
      if start < lower { parts.append(start..<lower) }
      parts.append(edit)
      start = edit.upperBound
    }
    if start < count { parts.append(start..<count) }
    return parts
  }

  /// The unit that a run puts in or takes out as number `index`, from 0.
  private func unit(
    _ index: Int, of span: EditSpan, _ new: UnsafeBufferPointer<UInt16>
  ) -> UInt16 {
    switch span.kind {
    case .insertion, .single: new[index]
    case .backspacing: units[span.range.upperBound - 1 - index]
    case .deletion: units[span.range.location + index]
    }
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
    _ = replace(range, new, attributes, &probe)
  }
}
