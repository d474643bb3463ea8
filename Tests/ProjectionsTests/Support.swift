import EditModel
import Projections
import TestSupport
import TextState

/// All of a version that an undo must bring back: units, and the attributes of each.
struct Snapshot: Equatable {
  let units: [UInt16]
  let attributes: [AttributeSet]

  init(_ state: TextState) {
    units = state.text.units
    attributes = state.attributeRuns.flatMap { Array(repeating: $0.attributes, count: $0.length) }
  }
}

/// An action from numbers that the test vouches for.
func replace(_ location: Int, _ length: Int, _ text: UTF16Text) -> EditAction {
  EditAction(replacing: UTF16Range(location..<location + length), with: text)
}

/// A time in seconds.
func seconds(_ seconds: Double) -> Timestamp {
  Timestamp(nanoseconds: Int64(seconds * 1_000_000_000))
}

extension SplitMix64 {
  /// One of `values`, which are some.
  mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &self)]
  }

  /// A place in a text of `length` units, near the end of the last edit or anywhere.
  mutating func range(in length: Int) -> UTF16Range {
    let lower = Int.random(in: 0...length, using: &self)
    let longest = Bool.random(using: &self) ? 3 : 30
    return UTF16Range(lower..<min(length, lower + Int.random(in: 0...longest, using: &self)))
  }

  /// Text of several pieces: words, terminators of every kind, halves of pairs.
  mutating func text(pieces: ClosedRange<Int> = 0...6) -> UTF16Text {
    var text = UTF16Text()
    for _ in 0..<Int.random(in: pieces, using: &self) {
      text.append(
        pick([
          "a", "word", "\n", "\r", "\r\n", "\u{2029}", "é", "👩‍🚀", "\u{2028}",
          UTF16Text(units: [0xD83D]), UTF16Text(units: [0xDC00]),
        ]))
    }
    return text
  }

  /// An attribute set of a few.
  mutating func attributes() -> AttributeSet {
    pick([
      [:], ["bold": .bool(true)], ["size": .integer(12)], ["bold": .bool(true), "x": .list([])],
    ])
  }

  /// An action that fits a text of `length` units and does something where there is any text.
  mutating func action(in length: Int) throws -> EditAction {
    let range = range(in: length)
    if length > 0, Int.random(in: 0..<4, using: &self) == 0 {
      let change: AttributeChange =
        switch Int.random(in: 0..<3, using: &self) {
        case 0:
          .set(range.isEmpty ? [] : [AttributeRun(length: range.length, attributes: attributes())])
        case 1:
          .merge(
            range.isEmpty ? [] : [AttributeRun(length: range.length, attributes: attributes())])
        default: .remove(["bold"])
        }
      return try EditAction(range: range, replacement: nil, attributes: change)
    }
    let text = text()
    let styled = !text.isEmpty && Int.random(in: 0..<4, using: &self) == 0
    return try EditAction(
      range: range, replacement: text,
      attributes: styled
        ? .set([AttributeRun(length: text.count, attributes: attributes())]) : .inherit)
  }
}
