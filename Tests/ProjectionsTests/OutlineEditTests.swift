import EditModel
import ModelStorage
import Projections
import TestSupport
import Testing
import TextState

@Suite struct OutlineEditTests {
  private func state(_ text: UTF16Text) throws -> TextState {
    var state = TextState()
    try state.apply(replace(0, 0, text))
    return state
  }

  private func applied(_ actions: [EditAction], to state: TextState) throws -> String {
    var state = state
    try state.apply(contentsOf: actions)
    return String(state.text)
  }

  /// A text, the sections that move, their place, and the text afterwards.
  private static let moves: [(UTF16Text, Range<Int>, Int, String)] = [
    ("# A\na\n# B\nb\n# C\nc", 0..<1, 1, "# B\nb\n# A\na\n# C\nc"),
    ("# A\na\n# B\nb\n# C\nc", 0..<1, 2, "# B\nb\n# C\nc\n# A\na"),
    ("# A\na\n# B\nb\n# C\nc", 2..<3, 0, "# C\nc\n# A\na\n# B\nb"),
    ("# A\na\n# B\nb\n# C\nc", 0..<2, 1, "# C\nc\n# A\na\n# B\nb"),
    ("# A\na\n# B\nb\n# C\nc", 1..<2, 1, "# A\na\n# B\nb\n# C\nc"),
    ("# A\n# B\n", 1..<2, 0, "# B\n# A\n"),
    ("# A\r\n\r\n# B", 1..<2, 0, "# B\r\n# A\r\n"),
    ("# A\r\n# B", 0..<1, 1, "# B\r\n# A"),
    ("before\n# A\n# B", 2..<3, 1, "before\n# B\n# A"),
    ("# A", 0..<1, 0, "# A"),
    ("# A\n", 0..<0, 1, "# A\n"),
  ]

  @Test(arguments: moves.indices) func sectionsMove(index: Int) throws {
    let (text, moved, place, expected) = Self.moves[index]
    let state = try state(text)
    let actions = try Outline(of: state).actions(moving: moved, to: place, in: state)
    #expect(try applied(actions, to: state) == expected)
  }

  private static let deletions: [(UTF16Text, Range<Int>, String)] = [
    ("# A\n# B\n# C", 0..<1, "# B\n# C"),
    ("# A\n# B\n# C", 2..<3, "# A\n# B"),
    ("# A\n# B\n# C\n", 2..<3, "# A\n# B\n"),
    ("# A\n# B\n# C", 1..<3, "# A"),
    ("# A\n# B", 0..<2, ""),
    ("before\n# A", 0..<1, "# A"),
    ("\n# A", 1..<2, ""),
    ("", 0..<1, ""),
  ]

  @Test(arguments: deletions.indices) func sectionsAreDeleted(index: Int) throws {
    let (text, deleted, expected) = Self.deletions[index]
    let state = try state(text)
    let actions = try Outline(of: state).actions(deleting: deleted, in: state)
    #expect(try applied(actions, to: state) == expected)
  }

  private static let insertions: [(UTF16Text, UTF16Text, Int, String)] = [
    ("# A\n# B", "# X", 0, "# X\n# A\n# B"),
    ("# A\n# B", "# X\n", 1, "# A\n# X\n# B"),
    ("# A\n# B", "# X\nx\n", 2, "# A\n# B\n# X\nx"),
    ("# A\n# B\n", "# X", 2, "# A\n# B\n# X\n"),
    ("# A\r\n# B", "# X\n## Y", 2, "# A\r\n# B\r\n# X\n## Y"),
    ("", "# X", 0, "# X"),
    ("", "# X\n", 1, "# X\n"),
    ("# A", "", 0, "# A"),
  ]

  @Test(arguments: insertions.indices) func sectionsAreInserted(index: Int) throws {
    let (text, inserted, place, expected) = Self.insertions[index]
    let state = try state(text)
    let actions = try Outline(of: state).actions(inserting: inserted, at: place, in: state)
    #expect(try applied(actions, to: state) == expected)
  }

  @Test func whatCannotBeReadAgainIsRefused() throws {
    let text = try state("before\n# A\n# B\n```\n# code")
    let outline = Outline(of: text)
    // The fence of the last section is open: it would hide what comes after it.
    #expect(throws: OutlineError.notReadable) {
      try outline.actions(moving: 2..<3, to: 1, in: text)
    }
    // Text without a heading would be that of the section before.
    #expect(throws: OutlineError.notReadable) {
      try outline.actions(moving: 0..<1, to: 1, in: text)
    }
    #expect(throws: OutlineError.notReadable) {
      try outline.actions(inserting: "no heading", at: 1, in: text)
    }
    #expect(throws: OutlineError.notReadable) {
      try outline.actions(inserting: "# X", at: 3, in: text)
    }
    #expect(throws: OutlineError.noSections(2..<4, count: 3)) {
      try outline.actions(deleting: 2..<4, in: text)
    }
    #expect(throws: OutlineError.noPlace(3, last: 2)) {
      try outline.actions(moving: 0..<1, to: 3, in: text)
    }
    #expect(throws: OutlineError.noPlace(-1, last: 3)) {
      try outline.actions(inserting: "# X", at: -1, in: text)
    }
    #expect(throws: OutlineError.self) {
      try outline.actions(
        inserting: "# X", attributes: [AttributeRun(length: 9, attributes: [:])], at: 1, in: text)
    }
    #expect(throws: OutlineError.otherVersion) {
      try outline.actions(deleting: 0..<1, in: state("# A"))
    }
  }

  @Test func aSectionWithThoseUnderIt() throws {
    let outline = Outline(of: try state("before\n# A\n## B\n### C\n## D\n# E"))
    #expect(outline.subtree(at: 0) == 0..<6)
    #expect(outline.subtree(at: 1) == 1..<5)
    #expect(outline.subtree(at: 2) == 2..<4)
    #expect(outline.subtree(at: 5) == 5..<6)
    #expect(outline.subtree(at: 6) == nil)
  }

  /// Random operations against a list of bodies. Each body has an attribute of its own, which goes
  /// where its text goes.
  @Test(arguments: seeds(40)) func theTextIsTheListOfItsSections(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let terminator = random.pick(["\n", "\r\n", "\r", "\u{2029}"])
    let end = Bool.random(using: &random) ? terminator : ""
    var (bodies, next) = ([String](), 0)
    func newBody() -> String {
      next += 1
      let lines = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        random.pick(["", "word", "é 👩‍🚀", "#no"])
      }
      // If a text without a terminator at its end had a blank line there, it would have one.
      let last = end.isEmpty ? ["end"] : []
      return (["# \(next)"] + lines + last).joined(separator: terminator)
    }
    func runs(_ body: String) -> [AttributeRun] {
      [AttributeRun(length: body.utf16.count, attributes: ["body": .string(body)])]
    }
    for _ in 0..<Int.random(in: 1...6, using: &random) { bodies.append(newBody()) }
    var state = try state(UTF16Text(bodies.joined(separator: terminator) + end))
    var offset = 0
    for body in bodies {
      try state.apply(
        EditAction(
          range: UTF16Range(offset..<offset + body.utf16.count), replacement: nil,
          attributes: .set(runs(body))))
      offset += body.utf16.count + terminator.utf16.count
    }
    for _ in 0..<12 {
      let outline = Outline(of: state)
      let lower = Int.random(in: 0..<bodies.count, using: &random)
      let upper = Int.random(in: lower + 1...bodies.count, using: &random)
      let actions: [EditAction]
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where upper - lower < bodies.count:
        actions = try outline.actions(deleting: lower..<upper, in: state)
        bodies.removeSubrange(lower..<upper)
      case 1:
        let body = newBody()
        let place = Int.random(in: 0...bodies.count, using: &random)
        actions = try outline.actions(
          inserting: UTF16Text(body + terminator),
          attributes: runs(body)
            + [AttributeRun(length: terminator.utf16.count, attributes: [:])],
          at: place, in: state)
        bodies.insert(body, at: place)
      default:
        let place = Int.random(in: 0...bodies.count - (upper - lower), using: &random)
        actions = try outline.actions(moving: lower..<upper, to: place, in: state)
        let moved = Array(bodies[lower..<upper])
        bodies.removeSubrange(lower..<upper)
        bodies.insert(contentsOf: moved, at: place)
      }
      try state.apply(contentsOf: actions)
      #expect(
        String(state.text) == bodies.joined(separator: terminator) + end, "seed \(seed)")
      let headings = Outline(of: state).sections.map { $0.heading.map { String($0) } }
      #expect(headings.count == bodies.count)
      var offset = 0
      for body in bodies {
        let range = UTF16Range(offset..<offset + body.utf16.count)
        #expect(state.attributeRuns(in: range) == runs(body), "seed \(seed)")
        offset += body.utf16.count + terminator.utf16.count
      }
    }
  }

  /// By an attribute, sections are anything: a move keeps each as it was.
  @Test func sectionsByAnAttributeMove() throws {
    var state = try state("Title\ntext\nPart\nmore")
    for (location, level) in [(0, 1), (11, 2)] {
      try state.apply(
        EditAction(
          range: UTF16Range(location..<location + 1), replacement: nil,
          attributes: .merge([
            AttributeRun(length: 1, attributes: ["heading": .integer(Int64(level))])
          ])))
    }
    let outline = Outline(of: state, rule: .attribute("heading"))
    let actions = try outline.actions(moving: 1..<2, to: 0, in: state)
    try state.apply(contentsOf: actions)
    #expect(String(state.text) == "Part\nmore\nTitle\ntext")
    let after = Outline(of: state, rule: .attribute("heading"))
    #expect(after.sections.map(\.level) == [2, 1])
  }

  /// A host sees a move as one update.
  @Test func aMoveIsOneUpdateOfAHost() throws {
    var text = try HostedText(loading: ParagraphRepair(["# A", "a", "# B", "b"]))
    var storage = ParagraphStorage(of: text, sections: .headings)
    let actions = try Outline(of: text.state).actions(moving: 1..<2, to: 0, in: text.state)
    let update = try #require(
      try text.group { text in
        for action in actions { try text.apply(action) }
      })
    _ = try storage.apply(update)
    #expect(
      storage.storage.sections.map { $0.items.map { String($0.text) } } == [
        ["# B\n", "b\n"], ["# A\n", "a"],
      ])
  }
}
