import EditJSON
import EditModel
import EditProtocol
import Projections
import TestSupport
import Testing
import TextState

@testable import HistoryExport

/// What the page has, against folds of the history that are slow and plainly right.
@Suite struct PlayerHistoryTests {
  /// The columns give each edit back, with its time, its writer and the text at the start.
  @Test(arguments: seeds(20)) func editsComeBack(seed: UInt64) throws {
    let history = MixedHistory(seed: seed, editCount: 200)
    let first = SequenceNumber(seed % 5 * 40)
    var page = PlayerHistory(after: first, hasExactTimes: seed % 2 == 0)
    for entry in history.entries { try page.add(entry) }
    let reader = try PlayerReader(page.packed(document: "d"), first: Int(first))

    var (units, starts) = ([UInt16](), [UInt16]())
    for edit in history.edits {
      if edit.sequence == first + 1 { starts = units }
      units.apply(edit)
    }
    #expect(reader.start == starts)
    let edits = history.edits.filter { $0.sequence > first }
    try #require(reader.replacements.count == edits.count && page.count == edits.count)
    for (found, edit) in zip(reader.replacements, edits) {
      #expect(found.range.lowerBound == edit.action.range.location)
      #expect(found.text == edit.action.replacement?.units ?? [])
      #expect(found.range.count == (edit.action.replacement == nil ? 0 : edit.action.range.length))
    }
    let writers = try #require(try reader.head["writers"]?.asArray())
    for (index, edit) in edits.enumerated() {
      let writer = writers[reader.writers[index]]
      #expect(writer["origin"] == .string(.init(edit.origin.name)))
      #expect(try writer["author"]?.asString() == edit.author)
      if seed % 2 == 0 {
        let time = reader.times[index] * 1_000_000 + reader.nanoseconds[index]
        #expect(time == Int(edit.time.nanoseconds))
      } else {
        let difference = reader.times[index] * 10_000_000 - Int(edit.time.nanoseconds)
        #expect((-5_000_000...5_000_000).contains(difference))
      }
    }
  }

  /// A player that gives the units of each insertion to its edit, and then the pieces that the page lists to
  /// theirs, has the blame of each version that does not stand inside the transaction of an undo.
  @Test(arguments: seeds(60)) func blameIsThatOfProvenance(seed: UInt64) throws {
    let history = try UndoneHistory(seed: seed, actionCount: 40)
    var page = PlayerHistory()
    for entry in history.entries { try page.add(entry) }
    let reader = try PlayerReader(page.packed(document: "d"))

    var (runner, writers) = (ProjectionRunner([UndoHistory()]), [SequenceNumber]())
    var currents: [SequenceNumber: UndoStep] = [:]
    for entry in history.entries {
      try runner.apply(entry)
      guard case .edit(let edit) = entry else { continue }
      let index = Int(edit.sequence) - 1
      writers.replaceSubrange(
        edit.action.range.bounds,
        with: Array(repeating: edit.sequence, count: edit.action.newLength))
      for piece in reader.origins[index] ?? [] {
        for unit in piece.range { writers[unit] = edit.sequence - SequenceNumber(piece.back) }
      }
      guard history.ends.contains(edit.sequence) else { continue }
      let tree = try #require(runner[UndoHistory.self]).tree
      let blame = tree.provenance.blame(UTF16Range(0..<runner.state.length))
        .flatMap { Array(repeating: $0.sequence, count: $0.range.length) }
      #expect(writers == blame, "seed \(seed), version \(edit.sequence)")
      currents[edit.sequence] = tree[tree.current]
    }
    let tree = try #require(runner[UndoHistory.self]).tree
    // The step that the player shows as the current one. One that ends there may have become part of the
    // step before it since.
    for (sequence, current) in currents {
      let joined = tree.steps.first { $0.sequences.contains(sequence) }
      let expected = current.sequences.upperBound == sequence ? joined ?? current : current
      let step = reader.steps.isEmpty ? 0 : reader.step(at: Int(sequence))
      #expect(step == expected.number, "seed \(seed), version \(sequence)")
    }
    #expect(reader.steps.count == tree.steps.count)
    for (found, step) in zip(reader.steps, tree.steps) {
      #expect(found[0] == step.number - (step.parent ?? 0))
      #expect(found[3...5] == [step.editCount, step.insertedUnits, step.deletedUnits])
    }
  }

  @Test func aPageWithoutEditsHasTheText() throws {
    var page = PlayerHistory(after: 1)
    let edit = Edit(sequence: 1, action: EditAction(replacing: UTF16Range(0..<0), with: "text"))
    try page.add(.edit(edit))
    let reader = try PlayerReader(page.packed(document: "d"), first: 1)
    #expect(reader.start == Array("text".utf16) && reader.replacements.isEmpty)
    #expect(throws: ProjectionError.self) { try page.add(.edit(edit)) }
  }

  @Test func costsSavesAndMarksAreThere() throws {
    var page = PlayerHistory()
    let digest = try #require(ContentDigest(bytes: Array(repeating: 7, count: 32)))
    for number in 1...3 as ClosedRange<SequenceNumber> {
      let action = EditAction(replacing: UTF16Range(0..<0), with: "a")
      try page.add(.edit(Edit(sequence: number, action: action)))
      let time = Timestamp(nanoseconds: 0)
      try page.add(.event(HistoryEvent(kind: .saved(digest), after: number, time: time)))
      try page.add(
        .event(HistoryEvent(kind: .mark(label: "</script>", at: 1), after: number, time: time)))
    }
    page.addCost(of: 2, units: 1_000, paragraphs: 3, total: 5, linear: nil, live: 9)
    page.addCost(of: 2, units: 1, paragraphs: 1, total: 1, linear: 1, live: 1)
    let reader = try PlayerReader(page.packed(document: "d"))
    #expect(reader.saves == [1, 2, 3])
    #expect(reader.costs == [[2, 1_000, 3, 5, 0, 10]])
    #expect(try reader.head["marks"]?.asArray().count == 3)
  }
}

extension PlayerReader {
  /// The current step as the player finds it: the newest one, or that of a later move.
  fileprivate func step(at sequence: Int) -> Int {
    var (first, newest, start) = (0, 0, 0)
    for (index, step) in steps.enumerated() {
      first += step[1]
      if first <= sequence { (newest, start) = (index + 1, first) }
    }
    guard let move = moves.last(where: { $0.sequence <= sequence }), move.sequence >= start else {
      return newest
    }
    return move.step
  }
}

extension [UInt16] {
  fileprivate mutating func apply(_ edit: Edit) {
    guard let replacement = edit.action.replacement else { return }
    replaceSubrange(edit.action.range.bounds, with: replacement.units)
  }
}
