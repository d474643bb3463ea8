import EditModel
import TestSupport
import Testing

@testable import TextState

@Suite struct TextDifferenceTests {
  /// `old` after the edits that the difference consists of; nil if one does not fit.
  private func patched(_ old: UTF16Text, _ actions: [EditAction]) throws -> UTF16Text {
    var units = old.units
    for action in actions {
      try action.validate(textLength: units.count)
      #expect(action.attributes == .inherit)
      let new = try #require(action.replacement).units
      for offset in [action.range.location, action.range.upperBound] {
        #expect(!isInsideCharacter(units, offset), "\(action)")
      }
      units.replaceSubrange(action.range.bounds, with: new)
      for offset in [action.editedRange.location, action.editedRange.upperBound] {
        #expect(!isInsideCharacter(units, offset), "\(action)")
      }
    }
    return UTF16Text(units: units)
  }

  private func isInsideCharacter(_ units: [UInt16], _ offset: Int) -> Bool {
    guard offset > 0, offset < units.count else { return false }
    return units[offset - 1] == 0x0D && units[offset] == 0x0A
      || UTF16.isLeadSurrogate(units[offset - 1]) && UTF16.isTrailSurrogate(units[offset])
  }

  /// What the difference comes to: units taken out, units put in.
  private func cost(_ actions: [EditAction]) -> (removed: Int, added: Int) {
    actions.reduce(into: (0, 0)) { $0 = ($0.0 + $1.range.length, $0.1 + $1.newLength) }
  }

  @Test(arguments: UInt64(0)..<200) func `applying gives the new text`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed, lengthGoal: seed % 2 == 0 ? 20 : 300)
    var state = TextState()
    var versions: [UTF16Text] = [UTF16Text()]
    for _ in 0..<40 {
      if (try? state.apply(generator.action(length: state.length))) == nil { continue }
      versions.append(state.text)
    }
    for _ in 0..<20 {
      let old = versions[generator.below(versions.count)]
      let new = versions[generator.below(versions.count)]
      let actions = TextDifference.replacements(from: old, to: new)
      #expect(try patched(old, actions) == new)
      #expect(actions.isEmpty == (old == new))
      #expect(
        zip(actions, actions.dropFirst()).allSatisfy {
          $0.editedRange.upperBound < $1.range.location
        })
      try checkHunks(old, new, context: generator.below(4))
    }
  }

  /// Small alphabets make many paths through a box, and bounds of next to nothing make every
  /// way out of one.
  @Test(arguments: UInt64(0)..<300) func `is right at every bound`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<20 {
      let letters = Int.random(in: 1...4, using: &random)
      func word() -> [Int] {
        (0..<Int.random(in: 0...14, using: &random)).map { _ in
          Int.random(in: 0...letters, using: &random)
        }
      }
      let (old, new) = (word(), word())
      for (depth, work) in [(100, 1 << 20), (1, 1 << 20), (0, 1 << 20), (3, 40), (100, 0)] {
        var difference = SequenceDifference(old, new, depthMax: depth, work: work)
        difference.compare(Hunk(old: 0..<old.count, new: 0..<new.count))
        var (result, done) = ([Int](), 0)
        for hunk in difference.hunks {
          result += old[done..<hunk.old.lowerBound] + new[hunk.new]
          #expect(result.count == hunk.new.upperBound)
          done = hunk.old.upperBound
        }
        #expect(result + old[done...] == new, "\(old) \(new) \(depth) \(work)")
        if depth == 100, work > 0 {
          let changed = difference.hunks.reduce(0) { $0 + $1.old.count + $1.new.count }
          #expect(changed == old.count + new.count - 2 * commonLength(old, new))
        }
      }
    }
  }

  /// The length of the longest common subsequence, by the table.
  private func commonLength(_ old: [Int], _ new: [Int]) -> Int {
    var row = [Int](repeating: 0, count: new.count + 1)
    for element in old {
      var diagonal = 0
      for (index, other) in new.enumerated() {
        let above = row[index + 1]
        row[index + 1] = element == other ? diagonal + 1 : max(above, row[index])
        diagonal = above
      }
    }
    return row[new.count]
  }

  @Test func `small edits give small differences`() throws {
    let line = "The quick brown fox jumps over the lazy dog, number "
    let lines = (0..<400).map { "\(line)\($0)." }
    var changed = lines
    changed[10] = changed[10].replacing("quick", with: "slow")
    changed.remove(at: 200)
    changed.insert("A new line.", at: 300)
    changed[350] += "!"
    let old = UTF16Text(lines.joined(separator: "\n"))
    let new = UTF16Text(changed.joined(separator: "\n"))
    let actions = TextDifference.replacements(from: old, to: new)
    #expect(actions.count == 4)
    let cost = cost(actions)
    #expect(cost.removed == 5 + lines[200].count + 1 && cost.added == 4 + 12 + 1)
    #expect(try patched(old, actions) == new)
  }

  @Test(arguments: [
    ("", "", []), ("a", "a", []), ("", "a", ["0,0:a"]), ("a", "", ["0,1:"]),
    // Faces that share a first surrogate, and terminators that share a CR or an LF.
    ("😀", "😁", ["0,2:😁"]), ("x😀y", "x😁y", ["1,2:😁"]),
    ("a\r\nb", "a\rb", ["1,2:\r"]), ("a\nb", "a\r\nb", ["1,1:\r\n"]),
    ("a\r\nb", "a\nb", ["1,2:\n"]), ("\r", "\r\n", ["0,1:\r\n"]),
    ("one two three", "one 2 three", ["4,3:2"]),
    ("aaa", "aaaa", ["3,0:a"]), ("ab\n", "ab\nab\n", ["3,0:ab\n"]),
    // Whole lines, if there is a choice.
    ("The bees.\n\nThe cats.\n", "The cats.\n", ["0,11:"]),
    ("# N\n\nThe bees.\n\nThe cats.\n", "# N\n\nThe cats.\n", ["5,11:"]),
    ("# N\n\nThe cats.\n", "# N\n\nThe bees.\n\nThe cats.\n", ["5,0:The bees.\n\n"]),
    ("a\r\nab\r\nac\r\n", "a\r\nac\r\n", ["3,4:"]),
    ("one two\none three\n", "one three\n", ["0,8:"]),
    // No choice: a part of a line, and a last line without an end.
    ("one two\nand three\n", "one three\n", ["5,8:"]), ("a\nab", "a", ["1,3:"]),
    ("the\nthe end", "the end", ["0,4:"]), ("x the\nthe end", "x the end", ["5,4:"]),
    // Two changes in a line stay two. One that would touch the change before it stays where it is.
    ("b\nc\nba\n", "x\nba\n", ["0,3:x"]),
    ("ax\nay\nb", "1x\nay\nb", ["0,1:1"]),
    ("ab\nad and so on\n", "ad and so on!\n", ["0,3:", "12,0:!"]),
  ]) func `shows what changed`(old: String, new: String, expected: [String]) throws {
    let actions = TextDifference.replacements(from: UTF16Text(old), to: UTF16Text(new))
    let shown = actions.map {
      "\($0.range.location),\($0.range.length):\($0.replacement?.description ?? "")"
    }
    #expect(shown == expected)
    #expect(try patched(UTF16Text(old), actions) == UTF16Text(new))
  }

  /// Input made to take long: nothing in common, much in common in the wrong order, one line
  /// over and over, one long line.
  @Test func `ends on adversarial input`() throws {
    var random = SplitMix64(seed: 1)
    let numbers = (0..<3000).map { "\($0 % 1499)\n" }
    let binary = (0..<6000).map { _ in UInt16.random(in: 0x61...0x62, using: &random) }
    let pairs: [(UTF16Text, UTF16Text)] = [
      (UTF16Text(numbers.joined()), UTF16Text(numbers.shuffled(using: &random).joined())),
      (UTF16Text(numbers.joined()), UTF16Text(numbers.reversed().joined())),
      (UTF16Text(String(repeating: "a\n", count: 5000)), UTF16Text("b\na\n")),
      (UTF16Text(units: binary), UTF16Text(units: binary.shuffled(using: &random))),
      (UTF16Text(units: binary), UTF16Text(units: binary.flatMap { [$0, 0x0A] })),
      (
        UTF16Text(String(repeating: "\r\n", count: 3000)),
        UTF16Text(String(repeating: "\n\r", count: 2999))
      ),
      (
        UTF16Text(String(repeating: "😀", count: 2000)),
        UTF16Text(String(repeating: "😁", count: 2001))
      ),
    ]
    for (old, new) in pairs {
      #expect(try patched(old, TextDifference.replacements(from: old, to: new)) == new)
      #expect(try patched(new, TextDifference.replacements(from: new, to: old)) == old)
    }
  }
}

extension TextDifferenceTests {
  /// Patching the old lines by the hunks gives the new ones, and the numbers agree.
  private func checkHunks(_ old: UTF16Text, _ new: UTF16Text, context: Int) throws {
    let (oldLines, newLines) = (lines(old), lines(new))
    let hunks = TextDifference.lineHunks(from: old, to: new, context: context)
    var (result, done) = ([[UInt16]](), 0)
    for hunk in hunks {
      result += oldLines[done..<hunk.oldLines.lowerBound]
      #expect(result.count == hunk.newLines.lowerBound)
      func side(_ other: LineHunk.Kind) -> [[UInt16]] {
        hunk.lines.filter { $0.kind != other }.map(\.text.units)
      }
      #expect(side(.added) == Array(oldLines[hunk.oldLines]))
      #expect(side(.removed) == Array(newLines[hunk.newLines]))
      result += side(.removed)
      done = hunk.oldLines.upperBound
    }
    #expect(result + oldLines[done...] == newLines)
    #expect(hunks.isEmpty == (old == new))
    // The pieces are the same lines, and whole ones.
    let pieces = TextDifference.unifiedPieces(
      from: old, to: new, context: context, pieceLength: 1 + context)
    #expect(pieces.map(\.description).joined() == hunks.map(\.description).joined())
    #expect(pieces.allSatisfy { $0.units.last == 0x0A })
  }

  private func lines(_ text: UTF16Text) -> [[UInt16]] {
    text.units.split(separator: 0x0A, omittingEmptySubsequences: false).map { $0 + [0x0A] }
      .enumerated().compactMap { number, line in
        let isLast = number == text.units.count { $0 == 0x0A }
        return isLast ? (line.count == 1 ? nil : Array(line.dropLast())) : Array(line)
      }
  }

  @Test func `prints what diff -u prints`() {
    let old: UTF16Text = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj"
    let new: UTF16Text = "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\n"
    let hunks = TextDifference.lineHunks(from: old, to: new, context: 1)
    #expect(
      hunks.map(\.description).joined() == """
        @@ -1,3 +1,3 @@
         a
        -b
        +B
         c
        @@ -9,2 +9,2 @@
         i
        -j
        \\ No newline at end of file
        +j

        """)
    let added = TextDifference.lineHunks(from: "", to: "x\n")
    #expect(added.map(\.description) == ["@@ -0,0 +1 @@\n+x\n"])
    let removed = TextDifference.lineHunks(from: "x\ny\n", to: "x\n", context: 0)
    #expect(removed.map(\.description) == ["@@ -2 +1,0 @@\n-y\n"])
    #expect(TextDifference.lineHunks(from: new, to: new).isEmpty)
  }
}
