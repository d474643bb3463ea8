import EditModel
import TestSupport
import Testing

@testable import TextState

/// What groups of edits come to.
@Suite struct TransactionTests {
  private func replace(_ location: Int, _ length: Int, _ text: UTF16Text) -> EditAction {
    EditAction(replacing: UTF16Range(location..<location + length), with: text)
  }

  private func state(_ text: UTF16Text) throws -> TextState {
    var state = TextState()
    try state.apply(replace(0, 0, text))
    return state
  }

  @Test(arguments: seeds(48)) func `agrees with the oracle`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed, lengthGoal: [12, 60, 200][Int(seed / 4 % 3)])
    var state = TextState(limits: TreeLimits.forTests[Int(seed % 4)])
    var oracle = OracleState()
    for step in 0..<25 {
      let (old, oldOracle) = (state, oracle)
      var (actions, extent): ([EditAction], EditedExtent?) = ([], nil)
      for _ in 0..<generator.below([2, 6, 30][step % 3]) {
        let action = generator.action(length: oracle.units.count)
        guard oracle.apply(action) != nil else { continue }
        actions.append(action)
        if extent?.append(action) == nil { extent = EditedExtent(action) }
      }
      let change = try state.apply(contentsOf: actions)
      #expect(change?.editCount ?? 0 == actions.count && change?.extent == extent)
      #expect(state.text.units == oracle.units && state.sequence == oracle.sequence)
      guard let events = change?.paragraphEvents else { continue }
      #expect(events.map(\.withoutLineage) == oracle.paragraphEvents(from: oldOracle))
      #expect(events.replayed(on: old.paragraphs.map(\.id)) == state.paragraphs.map(\.id))
      for event in events { checkLineage(event, old, state) }
    }
  }

  /// A document of many paragraphs, of which each edit takes a great many out or puts some in.
  @Test(arguments: seeds(16)) func `agrees where many paragraphs go`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed)
    var state = TextState(limits: TreeLimits.forTests[Int(seed % 4)])
    let text = UTF16Text(String(repeating: "a\nbc\n", count: 150))
    try state.apply(replace(0, 0, text))
    for _ in 0..<4 {
      let old = state
      var transaction = Transaction(before: state)
      for _ in 0..<6 {
        let location = generator.below(state.length + 1)
        let length = generator.below(min(state.length - location, 90) + 1)
        let action = replace(location, length, generator.text(longAsWell: true))
        transaction.append(try state.apply(action))
      }
      // The same events, asked for in both ways.
      let events = try #require(transaction.change(to: state)).paragraphEvents
      let comparison = StateComparison(old.core, state.core)
      let ids = old.paragraphs.map(\.id) + state.paragraphs.map(\.id)
      let slow = comparison.events(of: comparison.matchParagraphs(Set(ids)))
      #expect(events.map(\.withoutLineage) == Array(slow))
      #expect(events.indices.allSatisfy { events[$0] == Array(events)[$0] })
      #expect(Array(state.difference(from: old).paragraphEvents) == Array(slow))
      #expect(events.replayed(on: old.paragraphs.map(\.id)) == state.paragraphs.map(\.id))
      for event in events { checkLineage(event, old, state) }
    }
  }

  /// What is split is split from a paragraph of before, what is merged goes into one of after.
  private func checkLineage(_ event: ParagraphEvent, _ old: TextState, _ new: TextState) {
    switch event {
    case .removed(_, _, let target?): #expect(new.paragraph(target) != nil)
    case .inserted(_, _, let source?): #expect(old.paragraph(source) != nil)
    default: break
    }
  }

  @Test func `one edit comes to what its change says`() throws {
    for action in [replace(2, 0, "x\ny"), replace(2, 5, ""), replace(1, 1, "é")] {
      var state = try state("one\ntwo\nthree")
      var copy = state
      let change = try #require(try state.apply(contentsOf: [action]))
      let single = try copy.apply(action)
      #expect(change.paragraphEvents == single.paragraphEvents)
      #expect(change.editedRange == single.editedRange && change.actions == single.actions)
      #expect(change.changeInLength == single.changeInLength && change.editCount == 1)
    }
  }

  @Test func `what comes and goes inside is not reported`() throws {
    var state = try state("one\ntwo")
    let old = state
    let change = try #require(
      try state.apply(contentsOf: [replace(4, 0, "new\n"), replace(4, 4, "")]))
    #expect(change.paragraphEvents.isEmpty && state.text == old.text)
    #expect(change.editedRange == UTF16Range(4..<4) && change.editCount == 2)
  }

  @Test func `a group of no edits says nothing`() throws {
    var state = try state("one")
    #expect(try state.apply(contentsOf: []) == nil)
    #expect(state.sequence == 1)
  }

  @Test func `a group is applied as a whole or not at all`() throws {
    var state = try state("one\ntwo")
    let old = state
    #expect(throws: EditError.rangeOutsideText(range: UTF16Range(9..<10), textLength: 8)) {
      try state.apply(contentsOf: [replace(0, 0, "x"), replace(9, 1, ""), replace(0, 0, "y")])
    }
    #expect(state == old && state.invariantViolation() == nil)
    #expect(old.text == "one\ntwo")
  }

  /// A paragraph is split, and the new one split again; then the first new one goes.
  @Test func `splits lead past what came and went`() throws {
    var state = try state("abcdef")
    let first = state.paragraph(at: 0).id
    let change = try #require(
      try state.apply(contentsOf: [replace(2, 0, "\n"), replace(5, 0, "\n"), replace(3, 3, "")]))
    #expect(state.text == "ab\nef")
    let last = state.paragraph(at: 1)
    #expect(
      Array(change.paragraphEvents) == [
        .edited(
          index: 0, descriptor: state.paragraph(at: 0), oldRange: UTF16Range(0..<6)),
        .inserted(index: 1, descriptor: last, splitFrom: first),
      ])
  }

  @Test func `splits of what is new have no source`() throws {
    var state = try state("ab")
    let change = try #require(
      try state.apply(contentsOf: [replace(2, 0, "\ncdef"), replace(5, 0, "\n")]))
    #expect(change.paragraphEvents.count == 3)
    #expect(change.paragraphEvents[2].source == nil)
  }

  /// Three paragraphs become one, the last two first.
  @Test func `merges lead past what went`() throws {
    var state = try state("ab\ncd\nef")
    let old = state
    let change = try #require(
      try state.apply(contentsOf: [replace(5, 1, ""), replace(2, 1, "")]))
    let all = state.paragraph(at: 0)
    #expect(
      Array(change.paragraphEvents) == [
        .removed(index: 2, descriptor: old.paragraph(at: 2), mergedInto: all.id),
        .removed(index: 1, descriptor: old.paragraph(at: 1), mergedInto: all.id),
        .edited(index: 0, descriptor: all, oldRange: UTF16Range(0..<3)),
      ])
  }

  @Test func `merges into what leaves nothing lead nowhere`() throws {
    var state = try state("ab\ncd\nef\n")
    let change = try #require(
      try state.apply(contentsOf: [replace(5, 1, ""), replace(2, 6, "")]))
    #expect(state.text == "ab")
    #expect(change.paragraphEvents.allSatisfy { $0.target == nil })
    #expect(change.paragraphEvents.count == 4)
  }

  /// One edit removes many paragraphs. The text of the last one is merged into another paragraph,
  /// which is then merged into a third.
  @Test func `many removed are not reported one by one`() throws {
    var state = try state(UTF16Text(String(repeating: "ab\n", count: 2000)))
    let old = state
    var transaction = Transaction(before: state)
    transaction.append(try state.apply(replace(3001, 1500, "")))
    #expect(transaction.touched == nil)
    transaction.append(try state.apply(replace(2999, 1, "")))
    let events = try #require(transaction.change(to: state)).paragraphEvents
    #expect(events.manyRemoved?.count == 501)
    #expect(
      events.first
        == .removed(
          index: 1500, descriptor: old.paragraph(at: 1500), mergedInto: old.paragraph(at: 999).id))
    #expect(events[1].target == nil && events[500].target == old.paragraph(at: 999).id)
    #expect(
      events.last
        == .edited(
          index: 999, descriptor: state.paragraph(at: 999), oldRange: UTF16Range(2997..<3000)))
  }

  /// A chain of merges as long as the document is walked once.
  @Test func `long chains are followed to their end`() throws {
    var state = try state(UTF16Text(String(repeating: "ab\n", count: 2000)))
    let first = state.paragraph(at: 0).id
    let joins = (1..<2000).reversed().map { replace(3 * $0 - 1, 1, "") }
    let change = try #require(try state.apply(contentsOf: joins))
    #expect(state.paragraphCount == 2)
    #expect(change.paragraphEvents.dropLast().allSatisfy { $0.target == first })
  }
}

extension ParagraphEvent {
  fileprivate var source: ParagraphID? {
    if case .inserted(_, _, let source) = self { source } else { nil }
  }

  fileprivate var target: ParagraphID? {
    if case .removed(_, _, let target) = self { target } else { nil }
  }
}
