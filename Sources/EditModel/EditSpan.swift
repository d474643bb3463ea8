/// Consecutive edits of one kind at consecutive places: a run of typing is one span, and so is a
/// held backspace key. Blocks store spans, and replay applies them.
///
/// All edits of a span together change the text as the single edit `action` does.
public struct EditSpan: Hashable, Sendable {
  /// The pattern of the edits of a span.
  public enum Kind: UInt8, Hashable, Sendable {
    /// One edit of any form.
    case single
    /// Each edit inserts at the end of the text that the edit before it inserted.
    case insertion
    /// Each edit deletes the units just before those that the edit before it deleted.
    case backspacing
    /// Each edit deletes the next units at the same location.
    case deletion
  }

  /// The pattern of the edits; `single` if there is one.
  public let kind: Kind
  /// The sequence number of the first edit.
  public let first: SequenceNumber
  /// Edits in the span, at least 1.
  public let count: Int
  /// The units that all edits together replace or format, in the text before the first edit.
  public let range: UTF16Range
  /// The text that all edits of the span insert. Nil if they change only attributes.
  @usableFromInline let inserted: Inserted?
  /// The attribute change of the first edit. The other edits change their units in the same way.
  public let attributes: AttributeChange

  /// A span of checked parts.
  package init(
    kind: Kind, first: SequenceNumber, count: Int, range: UTF16Range,
    units: ArraySlice<UInt16>?, attributes: AttributeChange
  ) {
    (self.kind, self.first, self.count) = (kind, first, count)
    (self.range, self.attributes) = (range, attributes)
    inserted = units.map { .units($0) }
  }

  /// The text that the edits of a span insert.
  @usableFromInline enum Inserted: Sendable {
    case units(ArraySlice<UInt16>)
    /// The text of the only edit, kept as bytes.
    case text(UTF16Text)
  }

  /// The units that all edits of the span insert. Nil if they change only attributes. O(1), or O(n)
  /// for `text`.
  @inlinable public var units: ArraySlice<UInt16>? {
    switch inserted {
    case .units(let units): units
    case .text(let text): text.units[...]
    case nil: nil
    }
  }

  /// The number of `units`. O(1).
  @inlinable public var insertedLength: Int? {
    switch inserted {
    case .units(let units): units.count
    case .text(let text): text.count
    case nil: nil
    }
  }

  /// The text that the only edit of a span inserts, if it is kept as bytes. O(1).
  @inlinable package var text: UTF16Text? {
    if case .text(let text) = inserted { text } else { nil }
  }

  /// The sequence number of the last edit.
  public var last: SequenceNumber { first + UInt64(count - 1) }

  /// UTF-16 units that each edit of a run inserts or deletes. It is the same for all edits of a
  /// run.
  public var unitsPerEdit: Int {
    let inserted = insertedLength ?? 0
    return (inserted > 0 ? inserted : range.length) / count
  }

  /// The single edit that changes the text as all edits of the span do. O(units inserted).
  ///
  /// Characters and attributes are the same. The identifiers of paragraphs differ, because they
  /// name the edit that created the paragraph.
  public var action: EditAction {
    count == 1
      ? self[0] : make(range, units, attributes.scaled(to: insertedLength ?? 0))
  }

  /// The `index`-th edit of the span, from 0. O(units it inserts).
  public subscript(index: Int) -> EditAction {
    precondition((0..<count).contains(index), "the span has no such edit")
    let size = unitsPerEdit
    switch kind {
    case .single:
      if let text { return make(range, text, attributes) }
      return make(range, units, attributes)
    case .insertion:
      let start = range.location + index * size
      return make(UTF16Range(start..<start), slice(index * size, size), attributes)
    case .backspacing:
      let end = range.upperBound - index * size
      return make(UTF16Range(end - size..<end), [], attributes)
    case .deletion:
      return make(UTF16Range(range.location..<range.location + size), [], attributes)
    }
  }

  /// The span's first `count` edits. `count` is 1 to the number of edits.
  public func prefix(_ count: Int) -> EditSpan { self[0..<count] }

  /// Some of the span's edits, at least one, counted from 0.
  public subscript(edits: Range<Int>) -> EditSpan {
    precondition(
      edits.lowerBound >= 0 && edits.upperBound <= count && !edits.isEmpty,
      "the span has no such edits")
    if edits.count == count { return self }
    let size = unitsPerEdit
    let (start, length) = (edits.lowerBound * size, edits.count * size)
    let range =
      switch kind {
      case .single: self.range
      case .insertion:
        UTF16Range(self.range.location + start..<self.range.location + start)
      case .backspacing:
        UTF16Range(self.range.upperBound - start - length..<self.range.upperBound - start)
      case .deletion: UTF16Range(self.range.location..<self.range.location + length)
      }
    return EditSpan(
      kind: edits.count == 1 ? .single : kind, first: first + UInt64(edits.lowerBound),
      count: edits.count, range: range,
      units: kind == .insertion ? slice(start, length) : units, attributes: attributes)
  }

  private func slice(_ offset: Int, _ size: Int) -> ArraySlice<UInt16> {
    guard let units else { return [] }
    return units[units.startIndex + offset..<units.startIndex + offset + size]
  }

  /// A span is made of well-formed edits, so each part of it is well formed.
  private func make(
    _ range: UTF16Range, _ units: ArraySlice<UInt16>?, _ attributes: AttributeChange
  ) -> EditAction {
    make(range, units.map { UTF16Text(units: Array($0)) }, attributes)
  }

  private func make(
    _ range: UTF16Range, _ text: UTF16Text?, _ attributes: AttributeChange
  ) -> EditAction {
    if let text, case .inherit = attributes { return EditAction(replacing: range, with: text) }
    do {
      return try EditAction(range: range, replacement: text, attributes: attributes)
    } catch {
      preconditionFailure("a span holds an edit that is not well formed: \(error)")
    }
  }
}

extension EditSpan {
  /// A span of one edit, which has this number.
  public init(_ action: EditAction, at sequence: SequenceNumber) {
    (kind, first, count) = (.single, sequence, 1)
    (range, attributes) = (action.range, action.attributes)
    inserted = action.replacement.map { $0.latin1 == nil ? .units($0.units[...]) : .text($0) }
  }

  /// Adds the next edit if it continues the pattern: it inserts after the text that the last edit
  /// inserted, deletes just before the units that the last edit deleted, or deletes at the same
  /// location, with the same number of units as each edit of the span. If not, returns false and
  /// changes nothing. O(units it inserts), amortised.
  public mutating func extend(by next: EditAction) -> Bool {
    guard let inserted = next.replacement, let units, attributes.isShared(by: next.attributes)
    else { return false }
    let size = unitsPerEdit
    if size > 0, size == inserted.count, next.range.isEmpty, range.isEmpty,
      next.range.location == range.location + units.count,
      next.range.location <= EditAction.textLengthMax - size
    {
      self = with(.insertion, range, units + inserted.units)
      return true
    }
    guard size > 0, size == next.range.length, inserted.isEmpty, units.isEmpty,
      attributes == .inherit
    else { return false }
    if kind != .deletion, next.range.upperBound == range.location {
      self = with(.backspacing, UTF16Range(next.range.location..<range.upperBound), units)
      return true
    }
    guard kind != .backspacing, next.range.location == range.location,
      range.upperBound <= EditAction.textLengthMax - size
    else { return false }
    self = with(.deletion, UTF16Range(range.location..<range.upperBound + size), units)
    return true
  }

  /// This span and one more edit.
  private func with(_ kind: Kind, _ range: UTF16Range, _ units: ArraySlice<UInt16>) -> EditSpan {
    EditSpan(
      kind: kind, first: first, count: count + 1, range: range, units: units,
      attributes: attributes)
  }
}

extension EditSpan.Inserted: Hashable {
  private var units: ArraySlice<UInt16> {
    switch self {
    case .units(let units): units
    case .text(let text): text.units[...]
    }
  }

  /// True if the units are the same. O(n).
  @usableFromInline static func == (left: Self, right: Self) -> Bool { left.units == right.units }

  /// Feeds the units to `hasher`. O(n).
  @usableFromInline func hash(into hasher: inout Hasher) { hasher.combine(units) }
}

extension AttributeChange {
  /// True if an edit with this change and one with `next` may be in one span: both change each of
  /// their units in the same way.
  fileprivate func isShared(by next: AttributeChange) -> Bool {
    switch (self, next) {
    case (.inherit, .inherit): true
    case (.set(let a), .set(let b)), (.merge(let a), .merge(let b)): a.count == 1 && a == b
    case (.remove, .remove): self == next
    default: false
    }
  }

  /// This change over `length` units instead, for changes that a run of edits may share.
  package func scaled(to length: Int) -> AttributeChange {
    switch self {
    case .set(let runs) where runs.count == 1:
      .set([AttributeRun(length: length, attributes: runs[0].attributes)])
    case .merge(let runs) where runs.count == 1:
      .merge([AttributeRun(length: length, attributes: runs[0].attributes)])
    default: self
    }
  }
}
