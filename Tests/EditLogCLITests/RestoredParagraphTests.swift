import EditModel
import TestSupport
import Testing
import TextState

@testable import EditLogCommands

/// `restore --paragraph`: a paragraph comes back as one of its own, and no other one changes.
@Suite struct RestoredParagraphTests {
  /// What was typed after a paragraph, before its old terminator, stays.
  @Test func `restore of a paragraph changes no other`() async throws {
    // As an editor records it: the first edit is the line break at the end of the file.
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, "\n", .load)
      try script.replace(0..<0, "one\n\ntwo", .paste)
      try script.replace(8..<8, "\n\nthree", .paste)
      try script.replace(5..<9, "", .removal)
    }
    #expect(try await store.text() == "one\n\n\nthree\n")
    _ = try await store.run(RestoreCommand.self, ["d", "--at", "2", "--paragraph", "2.1"])
    #expect(try await store.text() == "one\n\ntwo\n\nthree\n")
    _ = try await store.run(UndoCommand.self, ["d"])
    #expect(try await store.text() == "one\n\n\nthree\n")
  }

  /// The restored paragraph of each way to lose one, and what stands around it.
  @Test(arguments: [
    // A paragraph that is still there, after which one was typed.
    (["a", "b"], 3..<3, "\nnew", 3..<3, "x", "1.0", "a\nb\nnew"),
    // Removed with the line break before it, or after it, or from the middle of the line before.
    (["a", "b", "c"], 1..<3, "", 0..<0, "x", "1.0", "xa\nb\nc"),
    (["a", "b", "c"], 2..<4, "", 0..<0, "x", "1.0", "xa\nb\nc"),
    (["abc", "d", "efg"], 2..<7, "", 0..<0, "x", "1.0", "xabfg\nd"),
    // The last one, which has no line break.
    (["a", "b"], 1..<3, "", 0..<0, "x", "1.0", "xa\nb"),
    // All of the text.
    (["a", "b"], 0..<3, "", 0..<0, "x", "1.0", "x\nb"),
    // Joined with the one before, and with the one after.
    (["a", "b", "c"], 1..<2, "", 0..<0, "x", "1.0", "xa\nb\nc"),
    (["a", "b", "c"], 1..<2, "", 4..<4, "x", "0.0", "a\nb\ncx"),
    (["a", "b", "c"], 1..<4, "", 2..<2, "x", "0.0", "a\ncx"),
    (["a\r", "b", "c"], 1..<3, "", 0..<0, "x", "1.0", "xa\r\nb\nc"),
    (["abc", "d", "efg"], 2..<7, "", 0..<0, "x", "0.0", "abc\nfg"),
    (["abc", "d", "efg"], 2..<7, "", 0..<0, "x", "1.1", "xabfg\nefg"),
    // The line break was replaced by a space.
    (["a", "b", "c"], 1..<2, " ", 0..<0, "x", "1.0", "xa\nb\nc"),
    (["a", "b", "c"], 1..<2, " ", 5..<5, "x", "0.0", "a\nb\ncx"),
    (["a", "b", "c"], 1..<2, " ", 3..<4, " ", "1.0", "a\nb\nc"),
    // What is left of two paragraphs is all of one of them.
    (["The bees", "The cats", ""], 4..<13, "", 9..<9, "x", "0.0", "The bees\nThe cats\nx"),
    (["The bees", "The cats", ""], 4..<13, "", 9..<9, "x", "1.0", "The cats\nx"),
    (["The bees", "The cats", ""], 4..<13, "", 8..<8, "!\nx", "0.0", "The bees\nThe cats!\nx\n"),
    (["ab", "ab", ""], 1..<4, "", 3..<3, "x", "0.0", "ab\nab\nx"),
    (["ab", "ab", ""], 1..<4, "", 3..<3, "x", "1.0", "ab\nab\nx"),
    (["ab", "bc", ""], 1..<4, "", 3..<3, "x", "0.0", "ab\nc\nx"),
    // An empty one, into which the next one came.
    (["", "b"], 0..<1, "", 1..<1, "x", "0.0", "\nbx"),
    // Split, and typed into.
    (["a", "bcd"], 3..<4, "\n!\n", 0..<0, "x", "1.0", "xa\nbcd"),
  ])
  func `a paragraph comes back`(
    lines: [String], first: Range<Int>, new: String, second: Range<Int>, more: String,
    paragraph: String, wanted: String
  ) async throws {
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, lines.joined(separator: "\n"), .paste)
      try script.replace(first, new, .paste)
      try script.replace(second, more, .paste)
    }
    _ = try await store.run(RestoreCommand.self, ["d", "--at", "1", "--paragraph", paragraph])
    #expect(try await store.text() == wanted)
  }

  /// An edit that replaced the text around the place of a removed paragraph, as a formatter does, does not
  /// move the place.
  @Test(arguments: [
    ("ALPHA one\n\nGamma two\n\nDelta THREE\n", 0..<34),
    ("Alpha one\n\nGamma two\n\nnew\nDelta three\n", 0..<34),
    ("Alpha one!\n\n", 0..<11), ("\nGamma 2\n\n", 10..<22),
  ])
  func `a paragraph comes back between its neighbours`(
    new: String, range: Range<Int>
  ) async throws {
    let store = try RealStore.scripted { script in
      try script.replace(
        0..<0, "Alpha one\n\nBees are here.\n\nGamma two\n\nDelta three\n", .paste)
      try script.replace(11..<27, "", .removal)
      try script.replace(range, new, .paste)
    }
    let before = try await store.text()
    _ = try await store.run(RestoreCommand.self, ["d", "--at", "1", "--paragraph", "1.1"])
    let restored = try await store.text()
    #expect(restored == before.replacing("\n\nGamma", with: "\n\nBees are here.\n\nGamma"))
    #expect(restored != before)
  }

  /// Where a paragraph comes back, the empty lines around it do, unless there are some.
  @Test(arguments: [
    // Removed with the empty line after it, before it, with both, or with none.
    ("one\n\ntwo\n\nthree\n", 5..<10, 2, "one\n\ntwo\n\nthree\nx"),
    ("one\n\ntwo\n\nthree\n", 4..<9, 2, "one\n\ntwo\n\nthree\nx"),
    ("one\n\ntwo\n\nthree\n", 4..<10, 2, "one\n\ntwo\n\nthree\nx"),
    ("one\n\ntwo\n\nthree\n", 5..<9, 2, "one\n\ntwo\n\nthree\nx"),
    ("one\n\ntwo\n\nthree\n", 5..<8, 2, "one\n\ntwo\n\nthree\nx"),
    ("one\r\n\r\ntwo\r\n\r\nthree\r\n", 7..<14, 2, "one\r\n\r\ntwo\r\n\r\nthree\r\nx"),
    // At the ends of the text.
    ("two\n\nthree\n", 0..<5, 0, "two\n\nthree\nx"),
    ("one\n\ntwo\n", 3..<8, 2, "one\n\ntwo\n\nx"), ("one\n\ntwo\n", 4..<9, 2, "one\nx\n\ntwo"),
    // With text of its neighbours, which are one line since.
    ("one\n\ntwo\n\nthree\n", 2..<11, 2, "onhree\n\ntwo\n\nx"),
    ("one\n\ntwo\n\nthree\n", 2..<11, 0, "one\n\nhree\nx"),
    ("one\n\ntwo\n\nthree\n", 2..<11, 4, "onhree\n\nthree\n\nx"),
    // Together with another one.
    ("one\n\ntwo\n\n2\n\nthree\n", 5..<13, 2, "one\n\ntwo\n\nthree\nx"),
    ("one\n\ntwo\n\n2\n\nthree\n", 5..<13, 4, "one\n\n2\n\nthree\nx"),
    ("one\n\ntwo\n\n2\n\nthree\n", 4..<12, 2, "one\n\ntwo\n\nthree\nx"),
    ("one\n\ntwo\n\n2\n\nthree\n", 4..<13, 4, "one\n\n2\n\nthree\nx"),
    ("two\n\n2\n\nthree\n", 0..<8, 0, "two\n\nthree\nx"),
    ("one\n\ntwo\n\n2\n", 3..<11, 2, "one\n\ntwo\n\nx"),
    // Of several empty lines, all come back; a text without any gets none.
    ("one\n\n\ntwo\n\n\nthree\n", 6..<12, 3, "one\n\n\ntwo\n\n\nthree\nx"),
    ("one\ntwo\n2\nthree\n", 4..<10, 1, "one\ntwo\nthree\nx"),
  ])
  func `a paragraph comes back with its empty lines`(
    old: String, removed: Range<Int>, index: Int, wanted: String
  ) async throws {
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, old, .paste)
      try script.replace(removed, "", .removal)
      let end = old.utf16.count - removed.count
      try script.replace(end..<end, "x", .paste)
    }
    let options = ["d", "--at", "1", "--paragraph", index == 0 ? "0.0" : "1.\(index - 1)"]
    _ = try await store.run(RestoreCommand.self, options)
    #expect(try await store.text() == wanted)
  }

  /// Words of a removed paragraph may be in what was written instead: as in the file, so in the history.
  @Test(arguments: [
    (
      "Tea at four.\n\nThe bees came back.\n\nThe end.\n\nMilk.",
      "Tea at four.\n\nThat is the end of it.\n\nMilk.", 1
    ),
    ("- bread\n- window\n- paper", "- bread Coffee window.\n- paper", 0),
  ])
  func `what was written instead stays`(old: String, new: String, paragraph: Int) async throws {
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, old, .load)
      script.wait(seconds: 60)
      for action in TextDifference.replacements(from: UTF16Text(old), to: UTF16Text(new)) {
        try script.replace(
          action.range.bounds, String(action.replacement ?? UTF16Text()), .external)
      }
    }
    let id = "1.\(paragraph)"
    _ = try await store.run(RestoreCommand.self, ["d", "--at", "1", "--paragraph", id])
    let lines = try await store.text().split(separator: "\n").map(String.init)
    let wanted = old.split(separator: "\n", omittingEmptySubsequences: false)[paragraph + 1]
    #expect(lines.contains(String(wanted)), "\(lines)")
    let others = new.split(separator: "\n").map(String.init)
    #expect(lines.filter { $0 != wanted } == others, "\(lines)")
  }

  struct Losses: Sendable {
    var old: String
    var removed: [Range<Int>]
    /// Versions, and paragraphs of them.
    var restored: [(at: Int, paragraph: String)]
    var wanted: String?

    init(_ old: String, _ removed: [Range<Int>], _ restored: [(Int, String)], wanted: String? = nil)
    {
      (self.old, self.removed, self.restored, self.wanted) = (old, removed, restored, wanted)
    }
  }

  private static let four = "a\n\nb\n\nc\n\nd\n"
  private static let losses: [Losses] = [
    // The last lines, with and without a line break at the end.
    Losses("a\nb\nc\n", [2..<6], [(1, "1.1"), (1, "1.0")]),
    Losses("a\nb\nc\n", [2..<6], [(1, "1.0"), (1, "1.1")]),
    Losses("a\nb\nc\n", [4..<6], [(1, "1.1")]),
    Losses("a\n\nb\n", [3..<5], [(1, "1.1")]),
    Losses("a\nb", [2..<3], [(1, "1.0")]),
    Losses("a\nb", [1..<3], [(1, "1.0")]),
    // All of the text.
    Losses("a\n\nb\n\nc\n", [0..<8], [(1, "1.1"), (1, "0.0"), (1, "1.3")]),
    // Together, with empty lines between them.
    Losses(four, [3..<9], [(1, "1.3"), (1, "1.1")]),
    Losses(four, [3..<9], [(1, "1.1"), (1, "1.3")]),
    Losses(four, [0..<6], [(1, "1.1"), (1, "0.0")]),
    Losses(four, [0..<6], [(1, "0.0"), (1, "1.1")]),
    // One after the other: later versions know nothing of what was lost before.
    Losses(four, [6..<9, 6..<8, 3..<6], [(2, "1.5"), (1, "1.3"), (3, "1.1")]),
    // Equal ones.
    Losses("a\nx\nx\nb\n", [2..<6], [(1, "1.1"), (1, "1.0")]),
    Losses("a\nx\nx\nb\n", [2..<6], [(1, "1.0"), (1, "1.1")]),
    // Again: it is there.
    Losses(four, [3..<9], [(1, "1.3"), (1, "1.3")], wanted: "a\n\nc\n\nd\n"),
    // The line breaks of the file.
    Losses("a\r\n\r\nb\r\n\r\nc", [1..<11], [(1, "1.1"), (1, "1.3")]),
  ]

  /// Paragraphs that were lost together or one after the other come back one by one, in any order.
  @Test(arguments: losses.indices) func `paragraphs come back one by one`(index: Int) async throws {
    let losses = Self.losses[index]
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, losses.old, .load)
      for range in losses.removed {
        script.wait(seconds: 60)
        try script.replace(range, "", .external)
      }
    }
    for (at, paragraph) in losses.restored {
      let options = ["d", "--at", "\(at)", "--paragraph", paragraph]
      _ = try await store.run(RestoreCommand.self, options)
    }
    #expect(try await store.text() == losses.wanted ?? losses.old)
  }

  /// Paragraphs that are deleted as a writer does it, some together and some later, with changes of others
  /// between, come back in any order.
  @Test(arguments: UInt64(0)..<60)
  func `all lost paragraphs come back`(seed: UInt64) async throws {
    typealias Paragraph = (id: String?, text: String)
    var random = SplitMix64(seed: seed)
    let separator = ["\n", "\n\n", "\r\n\r\n"].randomElement(using: &random) ?? ""
    let lineBreaks = separator.utf16.count { $0 == 0x0A }
    var left: [Paragraph] = (0..<Int.random(in: 3...6, using: &random)).map { index in
      (index == 0 ? "0.0" : "1.\(index * lineBreaks - 1)", "paragraph \(index)")
    }
    let end = Bool.random(using: &random) ? separator.prefix(1) : ""
    func joined(_ paragraphs: [Paragraph]) -> UTF16Text {
      UTF16Text(paragraphs.map(\.text).joined(separator: separator) + end)
    }
    var lost: [(at: Int, paragraph: Paragraph, known: [String])] = []
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, String(joined(left)), .load)
      var version = 1
      for round in 0..<Int.random(in: 1...6, using: &random) {
        let before = left
        let first = Int.random(in: 0..<left.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: left.insert((nil, "new \(round)"), at: first)
        case 1: left[first].text += " more"
        default:
          let last = min(left.count - 1, first + Int.random(in: 0...1, using: &random))
          guard last - first + 1 < left.count, left[first...last].allSatisfy({ $0.id != nil })
          else { continue }
          lost += left[first...last].map { (version, $0, left.map(\.text)) }
          left.removeSubrange(first...last)
        }
        script.wait(seconds: 60)
        for action in TextDifference.replacements(from: joined(before), to: joined(left)) {
          try script.replace(
            action.range.bounds, String(action.replacement ?? UTF16Text()), .external)
          version += 1
        }
      }
    }
    func paragraphs(_ text: String) -> [String] {
      text.dropLast(end.count).split(separator: separator, omittingEmptySubsequences: false)
        .map(String.init)
    }
    func isInOrder(_ known: [String]) async throws -> Bool {
      let now = paragraphs(try await store.text())
      return now.filter(known.contains) == known.filter(now.contains)
    }
    var steps = "seed \(seed), restored"
    for (at, paragraph, known) in lost.shuffled(using: &random) {
      let isInOrderBefore = try await isInOrder(known)
      let options = ["d", "--at", "\(at)", "--paragraph", paragraph.id ?? ""]
      _ = try await store.run(RestoreCommand.self, options)
      steps += " \(options[4])@\(at)"
      // What this version did not know may stand on either side.
      #expect(try await isInOrder(known) || !isInOrderBefore, "\(steps)")
    }
    let restored = try await store.text()
    #expect(restored.hasSuffix(end), "\(steps)")
    #expect(
      paragraphs(restored).sorted() == (left + lost.map(\.paragraph)).map(\.text).sorted(),
      "\(steps)")
  }

  /// Lines of code are often alike: what was written elsewhere is no copy of a lost one.
  @Test func `all lines of a lost function come back`() async throws {
    let (f, g, k) = (
      "f {\n  a\n  return\n}\n", "g {\n  b\n  return\n}\n", "k {\n  c\n  return\n}\n"
    )
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, f + g, .load)
      script.wait(seconds: 60)
      try script.replace(0..<f.utf16.count, "", .external)
      script.wait(seconds: 60)
      try script.replace(g.utf16.count..<g.utf16.count, k, .external)
    }
    for id in ["1.1", "0.0", "1.2", "1.0"] {
      _ = try await store.run(RestoreCommand.self, ["d", "--at", "1", "--paragraph", id])
    }
    #expect(try await store.text() == f + g + k)
  }

  /// Text that has come into the line of a removed paragraph stays.
  @Test func `what was typed since stays`() async throws {
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, "a\nb\nc\n", .load)
      script.wait(seconds: 60)
      try script.replace(4..<6, "", .external)
      script.wait(seconds: 60)
      try script.replace(4..<4, "new\n", .external)
    }
    _ = try await store.run(RestoreCommand.self, ["d", "--at", "1", "--paragraph", "1.1"])
    #expect(["a\nb\nc\nnew\n", "a\nb\nnew\nc\n"].contains(try await store.text()))
    let line = try RealStore.scripted { script in
      try script.replace(0..<0, "a\n\nb", .load)
      script.wait(seconds: 60)
      try script.replace(2..<2, "new", .typing)
    }
    _ = try await line.run(RestoreCommand.self, ["d", "--at", "1", "--paragraph", "1.0"])
    #expect(["a\nnew\n\nb", "a\n\nnew\nb"].contains(try await line.text()))
  }

  /// Each paragraph has letters of its own, so what an edit left of it is known by its letters.
  @Test(arguments: UInt64(0)..<40)
  func `no other paragraph changes`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let lines = (0..<5).map { index in
      String(
        repeating: String(UnicodeScalar(UInt8(ascii: "a") + UInt8(index))),
        count: Int.random(in: 1...4, using: &random))
    }
    var (old, indices) = ("", [Int]())
    for line in lines {
      indices.append(old.count { $0 == "\n" })
      old += line + (["\n", "\n\n"].randomElement(using: &random) ?? "")
    }
    var length = old.utf16.count
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, old, .paste)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let start = Int.random(in: 0...length, using: &random)
        let end = Int.random(in: start...min(length, start + 6), using: &random)
        let new = ["", "", "1", "2\n3"].randomElement(using: &random) ?? ""
        if new.isEmpty, start == end { continue }
        try script.replace(start..<end, new, .paste)
        length += new.utf16.count - (end - start)
      }
    }
    for (index, line) in zip(indices, lines) {
      let before = try await store.text()
      let paragraph = index == 0 ? "0.0" : "1.\(index - 1)"
      let options = ["d", "--at", "1", "--paragraph", paragraph]
      let (_, note, _) = try await store.run(RestoreCommand.self, options)
      let after = try await store.text()
      let named: Comment =
        "seed \(seed), \(paragraph): \(before.debugDescription) to \(after.debugDescription)"
      #expect(after.split(separator: "\n").map(String.init).contains(line), named)
      let others = { (text: String) in text.filter { $0.isLetter && $0 != line.first } }
      #expect(others(after) == others(before), named)
      if before.split(separator: "\n").map(String.init).contains(line) {
        #expect(after == before, named)
      }
      guard note.isEmpty else { continue }
      // All of it is one step.
      _ = try await store.run(UndoCommand.self, ["d"])
      #expect(try await store.text() == before, named)
    }
  }
}
