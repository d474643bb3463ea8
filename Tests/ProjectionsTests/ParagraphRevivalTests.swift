import EditModel
import Projections
import TestSupport
import Testing
import TextState

/// A document, its undo steps, and the identifiers that its paragraphs had.
private struct Revived {
  var runner = ProjectionRunner([UndoHistory(), ParagraphModels()])
  /// The versions: index is the sequence number.
  var states = [TextState()]
  var clock = 0.0

  var ids: [ParagraphID] { runner.state.paragraphs.map(\.id) }
  var tree: UndoTree { runner[UndoHistory.self]?.tree ?? UndoHistory().tree }

  mutating func append(
    _ action: EditAction, _ origin: Origin = .paste, in transaction: SequenceNumber? = nil
  ) throws {
    clock += 6
    let edit = Edit(
      sequence: runner.state.sequence + 1, action: action, origin: origin,
      transaction: transaction, time: seconds(clock))
    try runner.apply(edit)
    states.append(runner.state)
  }

  /// Appends the edits that lead to a step.
  mutating func move(to target: Int) throws {
    try take(tree.change(to: target), to: tree[target]?.sequences.upperBound)
  }

  /// Appends the edits that make a change.
  mutating func take(_ change: UndoneChange, to version: SequenceNumber?) throws {
    let last = runner.state.sequence
    let actions = try tree.actions(
      making: change, in: runner.state, to: version.map { states[Int($0)] })
    try runner.apply(
      HistoryEvent(kind: .undo(change, to: version), after: last, time: seconds(clock)))
    for action in actions { try append(action, .undo, in: last + 1) }
  }
}

@Suite struct ParagraphRevivalTests {
  @Test func aRemovedParagraphComesBack() throws {
    var text = Revived()
    try text.append(replace(0, 0, "one\ntwo\nthree"))
    let old = text.ids
    try text.append(replace(4, 4, ""))
    try text.move(to: 1)
    let new = text.ids
    #expect(text.runner.state.text == "one\ntwo\nthree")
    #expect(new[0] == old[0] && new[1] != old[1] && new[2] == old[2])
    #expect(text.tree.revivalSource(of: new[1]) == old[1])
    #expect(text.tree.revival(of: old[1]) == new[1])
    #expect(text.tree.revivalSource(of: new[0]) == nil)
    // Redo removes it again, and undo brings it back once more: a chain.
    try text.move(to: 2)
    try text.move(to: 1)
    let third = text.ids[1]
    #expect(text.tree.revivalSource(of: third) == new[1])
    #expect(text.tree.revivalSource(of: new[1]) == old[1])
  }

  /// The paragraph goes unit by unit, then its line is joined, and others type before it.
  @Test func aParagraphThatWasDeletedByBackspaceComesBack() throws {
    var text = Revived()
    try text.append(replace(0, 0, "one\ntwo\nthree"))
    let old = text.ids
    for location in [6, 5, 4] { try text.append(replace(location, 1, ""), .removal) }
    try text.append(replace(3, 1, ""), .removal)
    let removals = SequenceSet(2...5)
    #expect(text.runner.state.text == "one\nthree")
    try text.append(replace(0, 0, "zero\nand "))
    try text.take(UndoneChange(undone: removals), to: nil)
    #expect(text.runner.state.text == "zero\nand one\ntwo\nthree")
    let new = text.ids
    #expect(text.tree.revivalSource(of: new[2]) == old[1])
    #expect(text.tree.revivalSource(of: new[1]) == nil)
  }

  /// What was typed and removed at the same place later is another paragraph.
  @Test func theRightOneOfTwoComesBack() throws {
    var text = Revived()
    try text.append(replace(0, 0, "one\ntwo\nthree"))
    let old = text.ids
    try text.append(replace(4, 4, ""))
    try text.append(replace(4, 0, "new\n"))
    let inserted = text.ids[1]
    try text.append(replace(4, 4, ""))
    try text.take(UndoneChange(undone: SequenceSet(2...2)), to: nil)
    #expect(text.runner.state.text == "one\ntwo\nthree")
    #expect(text.tree.revivalSource(of: text.ids[1]) == old[1])
    try text.take(UndoneChange(undone: SequenceSet(4...4)), to: nil)
    #expect(text.ids.count == 4)
    let new = text.ids.first { text.tree.revivalSource(of: $0) == inserted }
    #expect(new != nil)
  }

  /// A paragraph that an ordinary edit makes is the revival of none, even if its text is the same.
  @Test func pastingIsNoRevival() throws {
    var text = Revived()
    try text.append(replace(0, 0, "one\ntwo\nthree"))
    try text.append(replace(4, 4, ""))
    try text.append(replace(4, 0, "two\n"))
    #expect(text.tree.revivalSource(of: text.ids[1]) == nil)
  }

  /// Lines are removed, joined and inserted; undo and redo go back and forth, a step at a time. Each
  /// paragraph that is new in a version is the revival of the one that stood at its place, or of a later
  /// revival of that.
  @Test(arguments: UInt64(0)..<24)
  func revivalsStandWhereTheOthersStood(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var text = Revived()
    try text.append(replace(0, 0, UTF16Text(String(repeating: "line\n", count: 12))))
    /// The paragraphs of each step when it was last the current one.
    var left = [1: text.ids]
    var count = 0
    for _ in 0..<80 {
      let (state, tree) = (text.runner.state, text.tree)
      let target: Int? =
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1: tree.current > 1 ? tree.undoable?.parent : nil
        case 2, 3: tree.redoable?.number
        default: nil
        }
      if let target {
        try text.move(to: target)
        for (id, old) in zip(text.ids, left[target] ?? []) where id.sequence > state.sequence {
          var source = text.tree.revivalSource(of: id)
          while let found = source, found != old { source = text.tree.revivalSource(of: found) }
          #expect(source == old, "seed \(seed): \(id) is not \(old) again")
          count += 1
        }
      } else {
        let last = state.paragraphCount - 1
        let index = last < 2 ? last : Int.random(in: 1..<last, using: &random)
        let line = state.paragraph(at: index).range
        switch Int.random(in: 0..<3, using: &random) {
        case 0 where line.length > 0: try text.append(replace(line.location, line.length, ""))
        case 1 where line.location > 0: try text.append(replace(line.location - 1, 1, ""))
        default: try text.append(replace(line.location, 0, "new\n"))
        }
      }
      left[text.tree.current] = text.ids
    }
    #expect(count > 0)
  }

  /// Whatever edits do: a link leads from a paragraph that an undo made to one that is gone, and from no
  /// two to the same.
  @Test(arguments: UInt64(0)..<24)
  func linksLeadToRemovedParagraphs(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var text = Revived()
    var linkCount = 0
    for _ in 0..<60 {
      let last = text.runner.state.sequence
      if Bool.random(using: &random) || text.tree.steps.isEmpty {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          let length = text.runner.state.length
          let location = Int.random(in: 0...length, using: &random)
          let removed = Int.random(in: 0...min(8, length - location), using: &random)
          let inserted: UTF16Text = random.pick(["", "ab", "c\n", "\r\nd", "e\nf\n", "\u{2029}"])
          guard removed > 0 || !inserted.isEmpty else { continue }
          try text.append(replace(location, removed, inserted), in: last + 1)
        }
        #expect(
          text.ids.allSatisfy { $0.sequence <= last || text.tree.revivalSource(of: $0) == nil })
      } else {
        try text.move(to: Int.random(in: 0...text.tree.steps.count, using: &random))
        let sources = text.ids.filter { $0.sequence > last }.compactMap {
          text.tree.revivalSource(of: $0)
        }
        let models = try #require(text.runner[ParagraphModels.self])
        #expect(Set(sources).count == sources.count)
        for source in sources {
          #expect(models[source]?.death != nil && text.runner.state.paragraph(source) == nil)
        }
        linkCount += sources.count
      }
    }
    #expect(linkCount > 0, "seed \(seed)")
  }
}
