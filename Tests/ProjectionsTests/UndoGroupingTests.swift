import EditModel
import Projections
import TestSupport
import Testing
import TextState

/// A history told in verbs; each edit is a transaction of its own unless it says otherwise.
private struct Script {
  var runner: ProjectionRunner
  var clock = 0.0
  var origin = Origin.typing
  var author: String?
  var session: SessionID?

  init(_ text: UTF16Text = "", grouping: UndoGrouping = UndoGrouping()) throws {
    var state = TextState()
    // The start is not part of the history.
    if !text.isEmpty { try state.apply(replace(0, 0, text)) }
    runner = ProjectionRunner(from: state, [UndoHistory(grouping: grouping, from: state)])
  }

  mutating func edit(
    _ location: Int, _ length: Int, _ text: UTF16Text, after pause: Double = 0.1,
    origin: Origin? = nil, joined: Bool = false, attributes: AttributeChange = .inherit
  ) throws {
    clock += pause
    let sequence = runner.state.sequence + 1
    if !joined { transaction = sequence }
    try runner.apply(
      Edit(
        sequence: sequence,
        action: EditAction(
          range: UTF16Range(location..<location + length),
          replacement: attributes == .inherit ? text : nil, attributes: attributes),
        origin: origin ?? self.origin, transaction: transaction, author: author,
        session: session, time: seconds(clock)))
  }

  mutating func type(_ text: String, at location: Int, after pause: Double = 0.1) throws {
    for (index, character) in text.enumerated() {
      try edit(location + index, 0, UTF16Text("\(character)"), after: pause)
    }
  }

  mutating func event(_ kind: HistoryEvent.Kind) throws {
    let after = runner.state.sequence
    try runner.apply(HistoryEvent(kind: kind, after: after, time: seconds(clock)))
  }

  var now: Timestamp { seconds(clock) }

  var history: UndoTree { (runner[UndoHistory.self] ?? UndoHistory()).tree }
  /// The sizes of the steps, in order of birth: `3 1`.
  var sizes: String { history.steps.map { "\($0.editCount)" }.joined(separator: " ") }

  private var transaction: SequenceNumber = 0
}

@Suite struct UndoGroupingTests {
  @Test func typingIsOneStep() throws {
    var script = try Script()
    try script.type("hello", at: 0)
    #expect(script.sizes == "5")
    let step = try #require(script.history.undoable)
    #expect((step.insertedUnits, step.deletedUnits, step.sequences) == (5, 0, 1...5))
    #expect((step.firstTime, step.lastTime) == (seconds(0.1), seconds(0.5)))
  }

  @Test func aPauseIsCountedFromTheLastStroke() throws {
    var script = try Script()
    try script.type("abc", at: 0, after: 4.999999999)
    #expect(script.sizes == "3")
    try script.type("d", at: 3, after: 5)
    #expect(script.sizes == "3 1")
    var grouping = UndoGrouping()
    grouping.pauseNanoseconds = 1_000_000_000
    var other = try Script(grouping: grouping)
    try other.type("abc", at: 0, after: 1)
    #expect(other.sizes == "1 1 1")
  }

  @Test func aJumpStartsAStep() throws {
    var script = try Script("some text")
    try script.type("ab", at: 4)
    try script.type("c", at: 5)
    try script.type("d", at: 9)
    #expect(script.sizes == "2 1 1")
  }

  @Test func aTypedNewlineStartsAStepIfAskedForAndWhatFollowsJoins() throws {
    var script = try Script()
    try script.type("ab\ncd", at: 0)
    #expect(script.sizes == "5")
    var grouping = UndoGrouping()
    grouping.newlineStartsStep = true
    var other = try Script(grouping: grouping)
    try other.type("ab\ncd", at: 0)
    #expect(other.sizes == "2 3")
  }

  @Test func onlyTheKindsThatAreNamedMakeRuns() throws {
    var grouping = UndoGrouping()
    grouping.kinds = [.backspace]
    var script = try Script(grouping: grouping)
    try script.type("abcd", at: 0)
    for location in [3, 2] { try script.edit(location, 1, "", origin: .removal) }
    #expect(script.sizes == "1 1 1 1 2")
  }

  @Test func typedPiecesOfAnyLengthAreOneStep() throws {
    var script = try Script()
    for (location, text) in [(0, "a"), (1, "🙂"), (3, "bc"), (5, " of several words\n"), (23, "d")] {
      try script.edit(location, 0, UTF16Text(text))
    }
    #expect(script.sizes == "5")
  }

  @Test(arguments: ["\n    ", "two\nlines", "\r\r\n", "a\u{2029}b"])
  func textWithALineBreakBeforeItsEndIsNoStroke(text: String) throws {
    var script = try Script()
    try script.edit(0, 0, "a")
    try script.edit(1, 0, UTF16Text(text))
    try script.edit(1 + text.utf16.count, 0, "b")
    #expect(script.sizes == "1 1 1")
  }

  @Test(arguments: ["\n", "a line\n", "\r\n", "a line\r\n", "\u{2029}"])
  func textThatEndsInALineBreakIsAStroke(text: String) throws {
    var script = try Script()
    try script.edit(0, 0, "a")
    try script.edit(1, 0, UTF16Text(text))
    try script.edit(1 + text.utf16.count, 0, "b")
    #expect(script.sizes == "3")
  }

  @Test func longerDeletionsAreStepsOfTheirOwn() throws {
    var script = try Script("some text")
    for location in [7, 5] { try script.edit(location, 2, "", origin: .removal) }
    #expect(script.sizes == "1 1")
  }

  @Test func deletingBackwardAndForwardAreRuns() throws {
    var script = try Script("0123456789")
    script.origin = .removal
    for location in [4, 3, 2] { try script.edit(location, 1, "") }
    for _ in 0..<2 { try script.edit(2, 1, "") }
    #expect(script.sizes == "3 2")
    try script.edit(0, 1, "")
    #expect(script.sizes == "3 2 1")
  }

  @Test func aCorrectedSlipBelongsToTheTyping() throws {
    var script = try Script()
    try script.type("teh", at: 0)
    try script.edit(2, 1, "", origin: .removal)
    #expect(script.sizes == "3 1")
    // Some editors call a deletion typing: what it does is what counts.
    try script.edit(1, 1, "", origin: .typing)
    #expect(script.sizes == "3 2")
    try script.type("he", at: 1)
    #expect(script.sizes == "7")
    let step = try #require(script.history.undoable)
    #expect((step.insertedUnits, step.deletedUnits, step.sequences) == (5, 2, 1...7))
    #expect((step.firstTime, step.lastTime, step.lengthAfter) == (seconds(0.1), script.now, 3))
    #expect((script.history.root.children, step.children) == ([1], []))
    // Two letters deleted at once are a slip too, and a run may have several.
    try script.edit(1, 2, "", origin: .removal)
    try script.edit(1, 0, "hey")
    #expect(script.sizes == "9")
  }

  @Test func aDeletionThatIsNoCorrectionIsAStep() throws {
    func sizes(_ act: (inout Script) throws -> Void) throws -> String {
      var script = try Script("before ")
      try script.type("words", at: 7)
      try act(&script)
      return script.sizes
    }
    // Nothing is typed after it.
    #expect(try sizes { try $0.edit(11, 1, "") } == "5 1")
    // Too much is deleted.
    let three = try sizes { script in
      for location in [11, 10, 9] { try script.edit(location, 1, "") }
      try script.type("x", at: 9)
    }
    #expect(three == "5 3 1")
    #expect(
      try sizes { script in
        try script.edit(9, 3, "")
        try script.type("x", at: 9)
      } == "5 1 1")
    // It is after the caret, or the typing goes on elsewhere.
    #expect(
      try sizes { script in
        try script.edit(11, 1, "")
        try script.type("x", at: 3)
      } == "5 1 1")
    #expect(
      try sizes { script in
        try script.edit(0, 1, "")
        try script.type("x", at: 0)
      } == "5 1 1")
    // A pause, a mark or another author is between.
    #expect(
      try sizes { script in
        try script.edit(11, 1, "")
        try script.type("x", at: 11, after: 5)
      } == "5 1 1")
    #expect(
      try sizes { script in
        try script.edit(11, 1, "")
        try script.event(.closed(unsaved: true))
        try script.type("x", at: 11)
      } == "5 1 1")
    #expect(
      try sizes { script in
        try script.edit(11, 1, "")
        script.author = "bob"
        try script.type("x", at: 11)
      } == "5 1 1")
    // It is pasted over.
    #expect(
      try sizes { script in
        try script.edit(11, 1, "")
        try script.edit(11, 0, "x", origin: .paste)
      } == "5 1 1")
  }

  /// The steps, found edit by edit, are those of a rule that sees the whole history.
  @Test(arguments: UInt64(0)..<32)
  func stepsOfTypingAreThoseOfTheSlowRule(seed: UInt64) throws {
    let history = TypingHistory(seed: seed, editCount: 200)
    var runner = ProjectionRunner([UndoHistory()])
    try runner.apply(contentsOf: history.entries)
    let tree = try #require(runner[UndoHistory.self]).tree
    #expect(tree.steps.map(\.sequences.lowerBound) == history.stepStarts, "seed \(seed)")
    #expect(tree.path.map(\.number) == Array(1...tree.steps.count), "seed \(seed)")
    #expect(tree.steps.reduce(0) { $0 + $1.editCount } == history.edits.count, "seed \(seed)")
  }

  /// An undo after it would seem to do nothing.
  @Test func anEditThatChangesNothingIsNoStep() throws {
    var script = try Script("some text")
    try script.edit(0, 4, "some", origin: .external)
    try script.edit(0, 0, "", origin: .program)
    #expect((script.sizes, script.history.undoable?.number) == ("", nil))
    try script.type("ab", at: 0)
    try script.edit(0, 11, "absome text", origin: .format)
    let plain = AttributeRun(length: 2, attributes: [:])
    try script.edit(0, 2, "", attributes: .set([plain]))
    #expect((script.sizes, script.history.undoable?.number) == ("2", 1))
    // Redo stays possible after it.
    try script.edit(0, 2, "", origin: .undo)
    try script.edit(0, 4, "some", origin: .external)
    #expect((script.history.current, script.history.redoable?.number) == (0, 1))
    try script.edit(0, 0, "ab", origin: .redo)
    #expect((script.history.current, script.sizes) == (1, "2"))
    // Within a transaction it is an edit of the step.
    try script.edit(0, 1, "A", origin: .program)
    try script.edit(1, 1, "b", joined: true)
    try script.edit(1, 1, "B", joined: true)
    #expect(script.sizes == "2 3")
    for text in ["A", "A", "a"] { try script.edit(0, 1, UTF16Text(text), joined: text != "A") }
    #expect(script.sizes == "2 3 2")
  }

  @Test func composingJoinsAndOverwritingDoesNot() throws {
    var script = try Script("rest")
    try script.edit(0, 0, "n")
    try script.edit(0, 1, "ni")
    try script.edit(0, 2, "你")
    try script.edit(1, 0, "!")
    #expect(script.sizes == "4")
    // Text typed over other text begins a step.
    try script.edit(2, 1, "R")
    try script.edit(3, 1, "E")
    #expect(script.sizes == "4 1 1")
  }

  /// Some editors report a paste as typing.
  @Test(arguments: ["pasted", "ab"], [Origin.typing, .paste])
  func aWordTypedOverASelectionIsAStepOfItsOwn(pasted: String, origin: Origin) throws {
    var script = try Script("text ")
    try script.edit(5, 0, UTF16Text(pasted), origin: origin)
    try script.edit(5, pasted.utf16.count, "w")
    try script.type("ord", at: 6)
    #expect(script.sizes == "1 4")
    // The end of what was typed last is selected.
    try script.edit(7, 2, "x")
    #expect(script.sizes == "1 4 1")
    try script.edit(8, 0, " another ")
    try script.edit(9, 8, "y")
    #expect(script.sizes == "1 4 2 1")
  }

  @Test(arguments: [
    ["n", "ni", "nih", "你好"], ["ㅎ", "하", "한"], ["🙂", "🙂🙂", "x"], ["k", "こ", "こn", "こん"],
  ])
  func aCompositionOverASelectionIsOneStep(pieces: [String]) throws {
    var script = try Script("some text")
    var length = 4
    for piece in pieces {
      try script.edit(0, length, UTF16Text(piece))
      length = piece.utf16.count
    }
    try script.type("!", at: length)
    #expect(script.sizes == "\(pieces.count + 1)")
  }

  @Test(arguments: [Origin.paste, .format, .program, .external, .load])
  func onlyStrokesJoin(origin: Origin) throws {
    var script = try Script()
    try script.type("a", at: 0)
    try script.edit(1, 0, "b", origin: origin)
    try script.edit(2, 0, "c", origin: origin)
    try script.type("d", at: 3)
    #expect(script.sizes == "1 1 1 1")
    #expect(script.history.steps.map(\.origin) == [.typing, origin, origin, .typing])
  }

  @Test func formattingIsAStepOfItsOwn() throws {
    var script = try Script()
    try script.type("ab", at: 0)
    let bold = AttributeRun(length: 2, attributes: ["bold": .bool(true)])
    try script.edit(0, 2, "", attributes: .merge([bold]))
    try script.type("c", at: 2)
    #expect(script.sizes == "2 1 1")
  }

  @Test func authorsAndSessionsKeepApart() throws {
    var script = try Script()
    for author in ["ann", "bob"] {
      script.author = author
      try script.type("ab", at: script.runner.state.length)
    }
    script.session = SessionID("s")
    try script.type("c", at: 4)
    #expect(script.sizes == "2 2 1")
    #expect(script.history.steps.map(\.author) == ["ann", "bob", "bob"])
  }

  /// One name in two spellings: two authors.
  @Test func authorsAreComparedByBytes() throws {
    var script = try Script()
    for author in ["André", "Andre\u{301}"] {
      script.author = author
      try script.type("ab", at: script.runner.state.length)
    }
    #expect(script.sizes == "2 2")
  }

  @Test func aTransactionStaysTogetherWhateverIsInIt() throws {
    var script = try Script("some text")
    try script.edit(0, 0, "a")
    try script.edit(5, 2, "", after: 60, origin: .format, joined: true)
    try script.event(.closed(unsaved: true))
    try script.edit(2, 0, "\n", after: 60, origin: .undo, joined: true)
    #expect(script.sizes == "3")
    try script.edit(0, 0, "b", origin: .paste)
    #expect(script.sizes == "3 1")
  }

  @Test func marksAndClosingEndTheStep() throws {
    var script = try Script()
    try script.type("a", at: 0)
    try script.event(.mark(label: "old", at: 0))
    try script.type("b", at: 1)
    try script.event(.mark(label: "here", at: 2))
    try script.type("c", at: 2)
    try script.event(.closed(unsaved: false))
    try script.type("d", at: 3)
    #expect(script.sizes == "2 1 1")
  }

  @Test func loadedTextIsNotOfferedForUndo() throws {
    var script = try Script()
    try script.edit(0, 0, "loaded", origin: .load)
    #expect(script.history.undoable == nil)
    #expect(script.history.current == 1)
    try script.type("x", at: 6)
    #expect(script.history.undoable?.number == 2)

    var grouping = UndoGrouping()
    grouping.undoesLoad = true
    var other = try Script(grouping: grouping)
    try other.edit(0, 0, "loaded", origin: .load)
    #expect(other.history.undoable?.number == 1)
  }

  @Test func oneTransactionIsOneMove() throws {
    var script = try Script()
    try script.type("ab", at: 0)
    try script.edit(2, 0, "pasted", origin: .paste)
    #expect(script.history.current == 2)
    try script.edit(5, 3, "", origin: .undo)
    try script.edit(2, 3, "", origin: .undo, joined: true)
    #expect((script.history.current, script.sizes) == (1, "2 1"))
    try script.edit(0, 2, "", origin: .undo)
    #expect((script.history.current, script.history.redoable?.number) == (0, 1))
    try script.edit(0, 0, "ab", origin: .redo)
    try script.edit(2, 0, "pasted", origin: .redo)
    #expect((script.history.current, script.sizes) == (2, "2 1"))
  }

  @Test func typingAfterUndoKeepsTheOtherBranch() throws {
    var script = try Script()
    try script.type("a", at: 0)
    try script.edit(0, 1, "", origin: .undo)
    try script.type("b", at: 0)
    #expect(script.history.root.children == [1, 2])
    #expect(script.history.undoable?.number == 2)
    try script.edit(0, 1, "", origin: .undo)
    #expect(script.history.redoable?.number == 2)
  }

  @Test func anUndoThatLeadsElsewhereIsAStep() throws {
    var script = try Script()
    try script.type("ab\ncd", at: 0)
    try script.edit(5, 0, "pasted", origin: .paste)
    // The editor takes back both of our steps at once.
    try script.edit(5, 6, "", origin: .undo)
    try script.edit(0, 5, "", origin: .undo, joined: true)
    #expect((script.history.current, script.sizes) == (3, "5 1 2"))
    #expect(script.history[3]?.parent == 2)
    #expect(script.history[3]?.origin == .undo)
    #expect(script.history.redoable == nil)
    // Undo where there is nothing to take back.
    var empty = try Script("text")
    try empty.edit(0, 4, "", origin: .undo)
    try empty.edit(0, 0, "?", origin: .redo)
    #expect((empty.history.current, empty.sizes) == (2, "1 1"))
  }

  @Test func onlyTheEndOfAnUndoDecides() throws {
    var script = try Script()
    try script.edit(0, 0, "abcd", origin: .paste)
    try script.edit(4, 0, "efgh", origin: .paste)
    // Passes through the right length on the way to another text.
    try script.edit(4, 4, "", origin: .undo)
    #expect(script.history.current == 1)
    try script.edit(0, 1, "", origin: .undo, joined: true)
    #expect((script.history.current, script.sizes) == (3, "1 1 2"))
    // A text of the right length, and another one than before.
    try script.edit(0, 0, "abcde", origin: .undo)
    #expect((script.history.current, script.sizes) == (4, "1 1 2 1"))
    try script.edit(0, 5, "", origin: .undo)
    #expect(script.history.current == 3)
    try script.edit(0, 0, "a", origin: .undo)
    try script.edit(4, 0, "efgh", origin: .undo, joined: true)
    #expect((script.history.current, script.sizes) == (2, "1 1 2 1"))
    #expect(script.history[2]?.children == [3])
  }
}
