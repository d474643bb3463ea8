public import EditModel
public import TextState

extension Change {
  /// The text of `range` in the version before this change. Removed text is read from `removed`,
  /// the rest from `state`, the version after the change.
  ///
  /// `range` counts UTF-16 units of the text before the edit, and must be inside it. If the edit
  /// replaced characters, it must have been applied with `capturingRemoved`.
  /// O(`range.length` + log n).
  public func oldText(in range: UTF16Range, after state: TextState) -> UTF16Text {
    precondition(state.sequence == sequence)
    guard actions.contains(.characters) else { return state.text(in: range) }
    guard let taken = removed?.text else { preconditionFailure("removed content not captured") }
    return oldText(in: range, after: state, removed: taken)
  }

  /// As `oldText(in:after:)`, of an edit that replaced characters, with the text that it removed: it may be empty if
  /// `range` has nothing of it.
  func oldText(
    in range: UTF16Range, after state: TextState, removed taken: UTF16Text
  ) -> UTF16Text {
    let inside = range.bounds.clamped(to: self.range.bounds)
    let start = inside.isEmpty ? 0 : inside.lowerBound - self.range.location
    let part = taken.units[start..<start + inside.count]
    if part.count == range.length { return UTF16Text(units: Array(part)) }

    var text = UTF16Text()
    let before = range.location..<max(range.location, min(range.upperBound, self.range.location))
    if !before.isEmpty { text.append(state.text(in: UTF16Range(before))) }
    text.append(contentsOf: part)
    let after =
      min(range.upperBound, max(range.location, self.range.upperBound))..<range.upperBound
    if !after.isEmpty {
      let start = after.lowerBound + changeInLength
      text.append(state.text(in: UTF16Range(start..<start + after.count)))
    }
    return text
  }
}
