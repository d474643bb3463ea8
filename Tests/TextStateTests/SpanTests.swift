import EditModel
import TestSupport
import Testing

@testable import TextState

/// Spans beside the edits they are made of.
@Suite struct SpanTests {
  private static let limits: [TreeLimits?] = [
    nil, TreeLimits(leafCountMax: 2, childCountMax: 4),
    TreeLimits(leafCountMax: 5, childCountMax: 4),
  ]

  @Test(arguments: seeds(36))
  func `a span leaves what its edits leave`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed, lengthGoal: 40)
    var whole = TextState(limits: Self.limits[Int(seed % 3)])
    var single = TextState(limits: Self.limits[Int(seed / 3 % 3)])
    for step in 0..<60 {
      let span = span(from: &generator, after: whole)
      try whole.apply(span)
      for index in 0..<span.count { try single.apply(span[index]) }
      guard whole == single, whole.invariantViolation() == nil else {
        Issue.record("step \(step): \(span) \(whole.invariantViolation() ?? "differs")")
        return
      }
    }
  }

  /// Any edit, or a run of typing, backspacing or deletion, with terminators of every kind in it.
  private func span(from generator: inout EditGenerator, after state: TextState) -> EditSpan {
    let (size, count) = (1 + generator.below(2), 1 + generator.below(12))
    let location = generator.below(state.length + 1)
    let length = min(size * count, (state.length - location) / size * size)
    var edits: [EditAction] = []
    switch generator.below(5) {
    case 0, 1:
      var units: [UInt16] = []
      while units.count < size * count { units += generator.text(longAsWell: true).units }
      let style = attributes(size, &generator)
      for index in 0..<count {
        let place = location + size * index
        let text = UTF16Text(units: Array(units[size * index..<size * (index + 1)]))
        let action = try? EditAction(
          range: UTF16Range(place..<place), replacement: text, attributes: style)
        edits += action.map { [$0] } ?? []
      }
    case 2:
      for index in 0..<length / size {
        let end = location + length - size * index
        edits.append(EditAction(replacing: UTF16Range(end - size..<end), with: ""))
      }
    case 3:
      let range = UTF16Range(location..<location + size)
      edits = Array(repeating: EditAction(replacing: range, with: ""), count: length / size)
    default: break
    }
    if edits.isEmpty {
      var action = generator.action(length: state.length)
      while action.range.upperBound > state.length {
        action = generator.action(length: state.length)
      }
      edits = [action]
    }
    var span = EditSpan(edits[0], at: state.sequence + 1)
    for edit in edits.dropFirst() {
      let isTaken = span.extend(by: edit)
      #expect(isTaken, "\(span) by \(edit)")
    }
    #expect((0..<span.count).map { span[$0] } == edits)
    return span
  }

  private func attributes(_ size: Int, _ generator: inout EditGenerator) -> AttributeChange {
    let run = AttributeRun(length: size, attributes: ["bold": .integer(Int64(generator.below(3)))])
    return switch generator.below(5) {
    case 0: .set([run])
    case 1: .merge([run])
    case 2: .remove(["bold"])
    default: .inherit
    }
  }

  @Test func `a span that does not fit changes nothing`() throws {
    var state = TextState()
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: "abc"))
    let before = state
    var span = EditSpan(EditAction(replacing: UTF16Range(4..<5), with: ""), at: 2)
    let isTaken = span.extend(by: EditAction(replacing: UTF16Range(3..<4), with: ""))
    #expect(isTaken)
    #expect(span.kind == .backspacing)
    #expect(throws: EditError.self) { try state.apply(span) }
    #expect(state == before)
  }

  @Test func `a span ends where the movement of the hand does`() {
    func typed(_ place: Int, _ text: UTF16Text) -> EditAction {
      EditAction(replacing: UTF16Range(place..<place), with: text)
    }
    func deleted(_ place: Int, _ count: Int = 1) -> EditAction {
      EditAction(replacing: UTF16Range(place..<place + count), with: "")
    }
    func after(_ first: EditAction, _ next: [EditAction]) -> [Bool] {
      var span = EditSpan(first, at: 1)
      return next.map { span.extend(by: $0) }
    }
    #expect(
      after(typed(3, "a"), [typed(3, "b"), typed(4, "bc"), deleted(3), typed(4, "b")])
        == [false, false, false, true])
    #expect(
      after(deleted(3), [deleted(4), deleted(1, 2), deleted(3), deleted(2)])
        == [false, false, true, false])
    #expect(after(deleted(3), [deleted(2), deleted(2), deleted(1)]) == [true, false, true])
  }
}
