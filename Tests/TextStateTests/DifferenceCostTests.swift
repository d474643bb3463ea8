import EditModel
import TestSupport
import Testing

@testable import TextState

/// What comparing costs, counted in nodes and elements looked at.
@Suite struct DifferenceCostTests {
  private static let line = "The quick brown fox jumps over the lazy dog, and on.\n"

  /// A document of many leaves: every line is of another look than the one before.
  private func document(lines: Int) throws -> TextState {
    var state = TextState(limits: TreeLimits(leafCountMax: 64, childCountMax: 8))
    let runs = (0..<lines).map { number in
      AttributeRun(
        length: Self.line.utf16.count, attributes: number % 2 == 0 ? [:] : ["bold": .bool(true)])
    }
    try state.apply(
      EditAction(
        range: UTF16Range(0..<0),
        replacement: UTF16Text(String(repeating: Self.line, count: lines)), attributes: .set(runs)))
    return state
  }

  /// Nodes and elements that the whole difference looks at.
  private func visits(from old: TextState, to new: TextState) -> Int {
    let comparison = StateComparison(old.core, new.core)
    let hunks = comparison.textHunks()
    _ = comparison.attributeChanges(outside: hunks)
    _ = comparison.events(of: comparison.matchParagraphs())
    return comparison.visits
  }

  private func edits(of state: TextState) throws -> [EditAction] {
    let place = state.length / 3
    let run = AttributeRun(length: 10, attributes: ["size": .integer(12)])
    return [
      EditAction(replacing: UTF16Range(place..<place), with: "x"),
      EditAction(replacing: UTF16Range(place..<place + 1), with: "y"),
      EditAction(replacing: UTF16Range(place..<place), with: "two\nlines"),
      EditAction(replacing: UTF16Range(place..<place + 200), with: ""),
      try EditAction(
        range: UTF16Range(place..<place + 10), replacement: nil, attributes: .set([run])),
    ]
  }

  /// Doubling adds a level to each tree at most: twice its width on either side.
  @Test func `one edit costs a way down each tree`() throws {
    let documents = try [2_000, 4_000, 8_000, 16_000].map(document)
    #expect(documents.allSatisfy { $0.length / 64 > 1_000 })
    for number in 0..<5 {
      let costs = try documents.map { old in
        var new = old
        try new.apply(edits(of: old)[number])
        return visits(from: old, to: new)
      }
      #expect(costs.allSatisfy { $0 < 2_500 }, "edit \(number): \(costs)")
      for (smaller, larger) in zip(costs, costs.dropFirst()) {
        #expect(larger - smaller < 500, "edit \(number): \(costs)")
      }
    }
  }

  @Test func `edits far apart cost as many ways down`() throws {
    let old = try document(lines: 8_000)
    var (new, costs) = (old, [Int]())
    for number in 0..<20 {
      let place = old.length / 20 * number
      try new.apply(EditAction(replacing: UTF16Range(place..<place), with: "x"))
      costs.append(visits(from: old, to: new))
    }
    for (smaller, larger) in zip(costs, costs.dropFirst()) {
      #expect(larger - smaller < 2_500, "\(costs)")
    }
  }

  /// Going elsewhere makes other leaves the ones that are out.
  @Test func `a place that was only gone to costs a leaf`() throws {
    let old = try document(lines: 8_000)
    var new = old
    for number in 1..<10 {
      let place = old.length / 10 * number
      try new.apply(EditAction(replacing: UTF16Range(place..<place), with: "x"))
      try new.apply(EditAction(replacing: UTF16Range(place..<place + 1), with: ""))
    }
    #expect(new.difference(from: old).isEmpty)
    #expect(visits(from: old, to: new) < 10 * 2_500)
  }

  @Test func `a version costs nothing beside itself`() throws {
    let state = try document(lines: 100)
    #expect(visits(from: state, to: state) == 0)
  }

  /// A group that edits one line of a long document.
  @Test func `a transaction costs what it touched`() throws {
    let costs = try [2_000, 16_000].map { lines in
      let old = try document(lines: lines)
      var (new, transaction) = (old, Transaction(before: old))
      for action in try edits(of: old) { transaction.append(try new.apply(action)) }
      let comparison = StateComparison(old.core, new.core)
      _ = comparison.events(of: comparison.matchParagraphs(try #require(transaction.touched)))
      return comparison.visits
    }
    #expect(costs[1] < 2_500 && costs[1] - costs[0] < 500, "\(costs)")
  }

  /// Of what is gone, nodes are looked at, and no element.
  @Test func `a great deletion costs the nodes that go`() throws {
    let old = try document(lines: 8_000)
    var new = old
    let range = UTF16Range(old.length / 4..<old.length / 2)
    try new.apply(EditAction(replacing: range, with: ""))
    let leaves = range.length / 32 + 2 * 2_000 / 32
    #expect(range.length > 100_000 && visits(from: old, to: new) < leaves * 8 / 7 + 5_000)
    let difference = new.difference(from: old)
    #expect(difference.textChanges.count == 1 && difference.paragraphEvents.count == 2_000)
    #expect(difference.textChanges[0].newRange.isEmpty)
  }

  /// What is outside the stretches is the same, at whatever place.
  @Test(arguments: seeds(24)) func `trees share what is not in the stretches`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed, lengthGoal: 400)
    var state = TextState(limits: TreeLimits.forTests[1 + Int(seed % 3)])
    var versions: [TextState] = []
    while versions.count < 80 {
      versions.append(state)
      _ = try? state.apply(generator.action(length: state.length))
    }
    for _ in 0..<40 {
      let (old, new) = (versions[generator.below(80)], versions[generator.below(80)])
      let (before, after) = (old.text.units, new.text.units)
      var end = (old: 0, new: 0)
      let all = Hunk(old: before.count..<before.count, new: after.count..<after.count)
      for stretch in TreeComparison(old.core.units, new.core.units).stretches + [all] {
        #expect(
          before[end.old..<stretch.old.lowerBound] == after[end.new..<stretch.new.lowerBound])
        end = (stretch.old.upperBound, stretch.new.upperBound)
      }
    }
  }
}
