import EditModel
import Projections
import Testing
import TextState

/// A history of edits at times, folded into paragraph models.
private struct MoveHarness {
  var runner = ProjectionRunner([ParagraphModels()])
  var edits: [Edit] = []

  init(_ text: UTF16Text) throws { try replace(0, 0, text, at: 0) }

  mutating func replace(
    _ location: Int, _ length: Int, _ text: UTF16Text, at time: Double, _ origin: Origin = .typing
  ) throws {
    let edit = Edit(
      sequence: runner.state.sequence + 1,
      action: EditAction(replacing: UTF16Range(location..<location + length), with: text),
      origin: origin, time: seconds(time))
    edits.append(edit)
    try runner.apply(edit)
  }

  /// `old>new` for each move, in order of the new paragraph's identifier.
  func moves() throws -> [String] {
    let models = try #require(runner[ParagraphModels.self])
    var found: [String] = []
    for model in models.living(in: runner.state) + models.dead {
      for move in model.moves {
        #expect(models[move.paragraph]?.movedTo == model.id)
        found.append("\(move.paragraph)>\(model.id)")
      }
    }
    return found.sorted()
  }

  func versions(of id: ParagraphID) throws -> [ParagraphVersion] {
    let models = try #require(runner[ParagraphModels.self])
    let line = ParagraphLine(of: [id], in: models)
    var fold = ProjectionRunner([ParagraphVersions(of: line, models)])
    for edit in edits { try fold.apply(edit) }
    var versions = try #require(fold[ParagraphVersions.self])
    versions.finish(at: fold.state)
    return versions.versions
  }
}

@Suite struct ParagraphMovesTests {
  /// The text is alpha, beta, gamma: 0.0, 1.0 and 1.1. Each case cuts beta in edit 2.
  private func cut() throws -> MoveHarness {
    var harness = try MoveHarness("alpha\nbeta\ngamma")
    try harness.replace(6, 5, "", at: 10)
    return harness
  }

  @Test func pastedAtTheStartOfAParagraph() throws {
    var harness = try cut()
    try harness.replace(0, 0, "beta\n", at: 20, .paste)
    #expect(try harness.moves() == ["1.0>3.0"])
  }

  @Test func pastedAtTheEndOfTheText() throws {
    var harness = try cut()
    try harness.replace(11, 0, "\nbeta", at: 20, .paste)
    #expect(try harness.moves() == ["1.0>3.0"])
  }

  @Test func pastedAtTheEndOfAParagraphsLine() throws {
    var harness = try cut()
    try harness.replace(5, 0, "\nbeta", at: 20, .paste)
    #expect(try harness.moves() == ["1.0>3.0"])
  }

  @Test func pastedIntoABlankLastParagraph() throws {
    var harness = try MoveHarness("alpha\nbeta\ngamma\n")
    try harness.replace(6, 5, "", at: 10)
    try harness.replace(12, 0, "beta\n", at: 20, .paste)
    // The blank paragraph keeps its identity, and has the text now.
    #expect(try harness.moves() == ["1.0>1.2"])
  }

  @Test func comesBackByUndo() throws {
    var harness = try cut()
    try harness.replace(6, 0, "beta\n", at: 20, .undo)
    #expect(try harness.moves() == ["1.0>3.0"])
  }

  @Test func pastedTwice() throws {
    var harness = try cut()
    try harness.replace(0, 0, "beta\n", at: 20, .paste)
    try harness.replace(0, 0, "beta\n", at: 21, .paste)
    #expect(try harness.moves() == ["1.0>3.0"])
  }

  @Test func pastedInsideAnotherParagraph() throws {
    var harness = try cut()
    try harness.replace(2, 0, "beta", at: 20, .paste)
    try harness.replace(8, 0, "beta\n", at: 21, .paste)
    #expect(try harness.moves() == [])
  }

  @Test func tooLate() throws {
    for (time, moves) in [(310.0, ["1.0>3.0"]), (310.001, [])] {
      var harness = try cut()
      try harness.replace(0, 0, "beta\n", at: time, .paste)
      #expect(try harness.moves() == moves, "\(time)")
    }
  }

  @Test func otherText() throws {
    var harness = try cut()
    try harness.replace(0, 0, "Beta\n", at: 20, .paste)
    #expect(try harness.moves() == [])
  }

  @Test func blankLines() throws {
    var harness = try MoveHarness("alpha\n  \ngamma")
    try harness.replace(6, 3, "", at: 10)
    try harness.replace(0, 0, "  \n", at: 20, .paste)
    #expect(try harness.moves() == [])
  }

  @Test func severalParagraphsAndAgain() throws {
    var harness = try MoveHarness("a\nb\nc\nb\nz")
    // a, b, c and the second b go, and come back in the same order at the end.
    try harness.replace(0, 8, "", at: 10)
    try harness.replace(1, 0, "\na\nb\nc\nb", at: 20, .paste)
    #expect(try harness.moves() == ["0.0>3.0", "1.0>3.1", "1.1>3.2", "1.2>3.3"])
    // What was pasted can be cut and pasted again.
    try harness.replace(3, 2, "", at: 30)
    try harness.replace(0, 0, "b\n", at: 40, .paste)
    #expect(try harness.moves().contains("3.1>5.0"))
  }

  @Test func inOneEdit() throws {
    // Positions pair: the blank first paragraph gets the text of the second, which is removed.
    var harness = try MoveHarness("\nb\nz")
    try harness.replace(0, 4, "b\nz", at: 10)
    #expect(try harness.moves() == ["1.0>0.0"])
  }

  @Test func onlyWhatWasRemovedMoves() throws {
    var harness = try MoveHarness("a\nc\nx\ny\ne")
    try harness.replace(2, 4, "", at: 10)
    // y is still there: its copy is no move.
    try harness.replace(2, 0, "y\nx\n", at: 20)
    #expect(try harness.moves() == ["1.1>3.1"])
  }

  @Test func mergedTextIsNotRemoved() throws {
    var harness = try MoveHarness("alpha\nbeta\ngamma")
    // Only the start of beta goes; the rest joins alpha.
    try harness.replace(5, 3, "", at: 10)
    try harness.replace(0, 0, "beta\n", at: 20)
    #expect(try harness.moves() == [])
  }

  @Test func onlyTheNewestRemovalsAreKept() throws {
    var rule = ParagraphMoveRule()
    rule.removedCountMax = 2
    var runner = ProjectionRunner([ParagraphModels(moves: rule)])
    let actions = [
      replace(0, 0, "a\nb\nc\nd\n"), replace(0, 6, ""), replace(0, 0, "a\nb\nc\n"),
    ]
    for (index, action) in actions.enumerated() {
      try runner.apply(Edit(sequence: UInt64(index) + 1, action: action))
    }
    let models = try #require(runner[ParagraphModels.self])
    let moved = models.living(in: runner.state).flatMap { $0.moves.map(\.paragraph) }
    #expect(moved.count == 2)
  }

  // MARK: Versions

  @Test func versionsFollowACutAndPaste() throws {
    var harness = try cut()
    try harness.replace(0, 0, "beta\n", at: 20, .paste)
    try harness.replace(4, 0, "!", at: 30)
    let pasted = ParagraphID(sequence: 3, ordinal: 0)
    let versions = try harness.versions(of: pasted)
    #expect(versions.map(\.text) == ["beta\n", "", "beta\n", "beta!\n"])
    #expect(versions.map(\.sequences) == [1...1, 2...2, 3...3, 4...4])
    let move = try #require(versions[2].steps.first { $0.kind == .moved })
    #expect((move.paragraph, move.related) == (pasted, ParagraphID(sequence: 1, ordinal: 0)))
    // The removed one is followed forward.
    #expect(try harness.versions(of: ParagraphID(sequence: 1, ordinal: 0)) == versions)
  }

  @Test func versionsFollowSplitsAndMerges() throws {
    var harness = try MoveHarness("one two")
    try harness.replace(3, 1, "\n", at: 10)
    try harness.replace(3, 1, " and ", at: 20)
    let versions = try harness.versions(of: ParagraphID(sequence: 0, ordinal: 0))
    #expect(versions.map(\.text) == ["one two", "one\ntwo", "one and two"])
    // The second half alone was part of the first until the split.
    let second = try harness.versions(of: ParagraphID(sequence: 2, ordinal: 0))
    #expect(second.map(\.text) == ["one two", "two", ""])
  }

  @Test func returnAtTheEndIsNoSplitOfText() throws {
    var harness = try MoveHarness("one\ntwo")
    try harness.replace(3, 0, "\n", at: 10)
    try harness.replace(4, 0, "new", at: 20)
    let versions = try harness.versions(of: ParagraphID(sequence: 2, ordinal: 0))
    #expect(versions.map(\.text) == ["\n", "new\n"])
  }
}
