import EditModel
import TestSupport
import Testing
import TextState

@testable import Projections

/// A replacement, and whether its edit is selected.
private struct Stroke: Sendable {
  var location: Int
  var length: Int
  var text: UTF16Text
  var isSelected: Bool

  init(_ location: Int, _ length: Int, _ text: UTF16Text, selected: Bool) {
    (self.location, self.length, self.text, isSelected) = (location, length, text, selected)
  }
}

@Suite struct UndoRemainderTests {
  /// What the undo of the selected edits leaves inside what vanishes: the text that stays, and its ground.
  private func kept(_ strokes: [Stroke]) throws -> [[UTF16Text]] {
    var runner = ProjectionRunner([UndoHistory()])
    var selected = SequenceSet()
    for stroke in strokes {
      let sequence = runner.state.sequence + 1
      try runner.apply(
        Edit(
          sequence: sequence, action: replace(stroke.location, stroke.length, stroke.text),
          origin: .program))
      if stroke.isSelected { selected.append(sequence) }
    }
    let tree = try #require(runner[UndoHistory.self]).tree
    return tree.provenance.remainders(of: UndoneChange(undone: selected)).compactMap {
      guard case .stays(let range, let text, let inside) = $0 else { return nil }
      #expect(runner.state.text(in: range) == text)
      return [text, inside]
    }
  }

  @Test func `text inside an insertion that vanishes`() throws {
    #expect(
      try kept([Stroke(0, 0, "start end", selected: true), Stroke(6, 0, "M", selected: false)])
        == [["M", "start end"]])
  }

  @Test func `a part of the insertion was replaced, and comes back`() throws {
    #expect(
      try kept([
        Stroke(0, 0, "start end", selected: true), Stroke(6, 0, "MIDDLE ", selected: false),
        Stroke(0, 2, "", selected: false), Stroke(3, 2, "XY", selected: true),
      ]) == [["IDDLE ", "artend"]])
  }

  @Test func `text that somebody moved stays where it is`() throws {
    let moved = "a sentence of the agent, "
    var runner = ProjectionRunner([UndoHistory()])
    for (index, action) in [
      replace(0, 0, "human\n"), replace(6, 0, UTF16Text("Dear all, \(moved)goodbye")),
      replace(16, moved.utf16.count, ""), replace(0, 0, UTF16Text(moved)),
    ].enumerated() {
      try runner.apply(
        Edit(
          sequence: SequenceNumber(index + 1), action: action, origin: .program,
          time: seconds(Double(index))))
    }
    let tree = try #require(runner[UndoHistory.self]).tree
    #expect(
      tree.provenance.remainders(of: UndoneChange(undone: SequenceSet(2...2))) == [
        .staysMoved(
          range: UTF16Range(0..<moved.utf16.count), text: UTF16Text(moved), movedBy: 4)
      ])
  }

  @Test func `text between insertions of their own is inside none`() throws {
    #expect(
      try kept([
        Stroke(0, 0, "human", selected: false), Stroke(0, 0, "top", selected: true),
        Stroke(8, 0, "end", selected: true),
      ]) == [])
  }

  @Test func `text inside characters typed one by one`() throws {
    #expect(
      try kept([
        Stroke(0, 0, "a", selected: true), Stroke(1, 0, "b", selected: true),
        Stroke(2, 0, "c", selected: true), Stroke(2, 0, "X", selected: false),
      ]) == [["X", "abc"]])
  }

  @Test func `texts at several depths, each once and in order`() throws {
    #expect(
      try kept([
        Stroke(0, 0, "outer", selected: true), Stroke(2, 0, "A", selected: false),
        Stroke(3, 0, "inner", selected: true), Stroke(5, 0, "B", selected: false),
        Stroke(9, 0, "C", selected: false),
      ]) == [["A", "outer"], ["B", "inner"], ["C", "outer"]])
  }

  @Test func `text before and after what vanishes is not inside`() throws {
    #expect(
      try kept([
        Stroke(0, 0, "gone", selected: true), Stroke(0, 0, "X", selected: false),
        Stroke(5, 0, "Y", selected: false),
      ]) == [])
  }
}
