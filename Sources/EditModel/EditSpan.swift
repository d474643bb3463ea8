/// Consecutive edits that are one movement of the hand: a run of typing is one span, so is a
/// held backspace. What a block is stored in and what replay applies.
///
/// All edits of a span together change the text as the one edit `action` does.
public struct EditSpan: Hashable, Sendable {
  /// How the edits follow one another.
  public enum Kind: UInt8, Hashable, Sendable {
    /// One edit of any form.
    case single
    /// Each edit inserts at the end of what the one before inserted.
    case insertion
    /// Each edit deletes the units just before those the one before deleted.
    case backspacing
    /// Each edit deletes the units that follow, at one place.
    case deletion
  }

  /// How the edits follow one another; `single` where there is one.
  public let kind: Kind
  /// The sequence number of the first edit.
  public let first: SequenceNumber
  /// Edits in the span, at least 1.
  public let count: Int
  /// The units that all edits together replace or format, in the text before the first edit.
  public let range: UTF16Range
  /// What all edits of the span insert. Nil if they change only attributes.
  @usableFromInline let inserted: Inserted?
  /// What the first edit does to attributes. All others do the same to their units.
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

  /// What the edits of a span insert.
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

  /// What the only edit of a span inserts, if it is kept as bytes. O(1).
  @inlinable package var text: UTF16Text? {
    if case .text(let text) = inserted { text } else { nil }
  }

  /// The sequence number of the last edit.
  public var last: SequenceNumber { first + UInt64(count - 1) }

  /// UTF-16 units that each edit of a run inserts or deletes. A run's edits are all alike.
  public var unitsPerEdit: Int {
    let inserted = insertedLength ?? 0
    return (inserted > 0 ? inserted : range.length) / count
  }

  /// The one edit that changes the text as all edits of the span do. O(units inserted).
  ///
  /// Characters and attributes come out the same. What is counted by edit does not, such as the
  /// identifiers of paragraphs: they name the edit that made them.
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

  /// The span's first `count` edits, 1 to all of them.
  public func prefix(_ count: Int) -> EditSpan {
    precondition((1...self.count).contains(count), "the span has no such edits")
    if count == self.count { return self }
    let size = unitsPerEdit
    let range =
      switch kind {
      case .single, .insertion: self.range
      case .backspacing: UTF16Range(self.range.upperBound - count * size..<self.range.upperBound)
      case .deletion: UTF16Range(self.range.location..<self.range.location + count * size)
      }
    return EditSpan(
      kind: count == 1 ? .single : kind, first: first, count: count, range: range,
      units: kind == .insertion ? slice(0, count * size) : units, attributes: attributes)
  }

  private func slice(_ offset: Int, _ size: Int) -> ArraySlice<UInt16> {
    guard let units else { return [] }
    return units[units.startIndex + offset..<units.startIndex + offset + size]
  }

  /// Spans hold only what made well-formed edits, so no part of them is refused again.
  private func make(
    _ range: UTF16Range, _ units: ArraySlice<UInt16>?, _ attributes: AttributeChange
  ) -> EditAction {
    make(range, units.map { UTF16Text(units: Array($0)) }, attributes)
  }

  private func make(
    _ range: UTF16Range, _ text: UTF16Text?, _ attributes: AttributeChange
  ) -> EditAction {
    if let text, attributes == .inherit { return EditAction(replacing: range, with: text) }
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

  /// Takes in the next edit where it goes on with the movement: it inserts behind what the last
  /// one inserted, deletes just before what the last one deleted, or deletes on at its place, as
  /// many units as each edit before it. False, with nothing changed, where it does not.
  /// O(units it inserts), amortised.
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

  /// This span and one edit more.
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
  /// True where an edit with this change and one with `next` may be parts of one span: both do
  /// the same to each of their units.
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
