import EditModel
import TestSupport
import Testing

@testable import TextState

/// Every short edit of every short text: the edits that make or end a paragraph have short ways of
/// their own.
@Suite struct ShortEditTests {
  private static let units: [UInt16] = [0x61, 0x0A, 0x0D]

  /// All texts of `count` units at most.
  private static func texts(_ count: Int) -> [[UInt16]] {
    var (all, longest): ([[UInt16]], [[UInt16]]) = ([[]], [[]])
    for _ in 0..<count {
      longest = longest.flatMap { text in units.map { text + [$0] } }
      all += longest
    }
    return all
  }

  /// A text that was typed, so that each of its paragraphs has another age.
  private func typed(_ text: [UInt16]) throws -> (state: TextState, oracle: OracleState) {
    var (state, oracle) = (TextState(), OracleState())
    for (place, unit) in text.enumerated() {
      let action = EditAction(
        replacing: UTF16Range(place..<place), with: UTF16Text(units: [unit]))
      try state.apply(action)
      _ = oracle.apply(action)
    }
    return (state, oracle)
  }

  @Test(arguments: texts(4)) func `tells what the oracle tells`(text: [UInt16]) throws {
    let (state, oracle) = try typed(text)
    for lower in 0...text.count {
      for upper in lower...text.count {
        for new in Self.texts(lower == upper ? 3 : 1) {
          var (edited, expected) = (state, oracle)
          let range = UTF16Range(lower..<upper)
          let events = expected.apply(
            EditAction(replacing: range, with: UTF16Text(units: new)))
          let change = try edited.replaceCharacters(in: range, with: new.span)
          guard Array(change.paragraphEvents) == events, edited.text.units == expected.units,
            Array(edited.paragraphs) == expected.descriptors, edited.invariantViolation() == nil
          else {
            Issue.record("\(range) by \(new)")
            return
          }
        }
      }
    }
  }

  @Test(arguments: texts(3)) func `a typed run is its edits`(text: [UInt16]) throws {
    let (state, _) = try typed(text)
    for lower in 0...text.count {
      for new in Self.texts(4) where new.count > 1 {
        var (whole, single) = (state, state)
        let edits = new.indices.map { index in
          EditAction(
            replacing: UTF16Range(lower + index..<lower + index),
            with: UTF16Text(units: [new[index]]))
        }
        var span = EditSpan(edits[0], at: state.sequence + 1)
        for edit in edits.dropFirst() {
          let isTaken = span.extend(by: edit)
          #expect(isTaken)
        }
        try whole.apply(span)
        for edit in edits { try single.apply(edit) }
        guard whole == single, whole.invariantViolation() == nil else {
          Issue.record("\(new) at \(lower)")
          return
        }
      }
    }
  }
}
