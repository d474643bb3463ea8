import EditModel
import Projections
import Testing
import TextState

/// Writes down what it is told.
private struct Recorder: Projection {
  static let version: UInt32 = 1
  static var needsRemovedContent: Bool { true }
  var lines: [String] = []

  mutating func willApply(_ edit: Edit, to state: TextState) {
    lines.append("will \(edit.sequence) at \(state.sequence)")
  }
  mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {
    lines.append("did \(change.sequence) took \(change.removed?.text?.count ?? -1)")
  }
  mutating func apply(_ event: HistoryEvent, _ state: TextState) {
    lines.append("event at \(state.sequence)")
  }
}

@Suite struct ProjectionRunnerTests {
  @Test func everyProjectionIsToldOnceInOrder() throws {
    var runner = ProjectionRunner([UndoHistory(), Recorder()])
    try runner.apply(contentsOf: [
      .edit(Edit(sequence: 1, action: replace(0, 0, "abc"))),
      .event(HistoryEvent(kind: .closed(unsaved: true), after: 1, time: seconds(1))),
      .edit(Edit(sequence: 2, action: replace(1, 2, ""))),
    ])
    #expect(
      runner[Recorder.self]?.lines
        == ["will 1 at 0", "did 1 took 0", "event at 1", "will 2 at 1", "did 2 took 2"])
    #expect(runner[UndoHistory.self]?.tree.steps.count == 2)
    #expect(runner[ParagraphModels.self] == nil)
    #expect(runner.state.text == "a")
  }

  @Test func refusalsChangeNothing() throws {
    var runner = ProjectionRunner([Recorder()])
    try runner.apply(Edit(sequence: 1, action: replace(0, 0, "abc")))
    let lines = runner[Recorder.self]?.lines

    #expect(throws: ProjectionError.outOfOrder(expected: 2, found: 3)) {
      try runner.apply(Edit(sequence: 3, action: replace(0, 0, "x")))
    }
    #expect(throws: ProjectionError.outOfOrder(expected: 1, found: 2)) {
      try runner.apply(HistoryEvent(kind: .closed(unsaved: false), after: 2, time: seconds(1)))
    }
    let outside = EditError.rangeOutsideText(range: UTF16Range(2..<5), textLength: 3)
    #expect(throws: ProjectionError.refused(sequence: 2, outside)) {
      try runner.apply(Edit(sequence: 2, action: replace(2, 3, "x")))
    }
    #expect(runner[Recorder.self]?.lines == lines)
    #expect(runner.state.text == "abc")
  }
}
