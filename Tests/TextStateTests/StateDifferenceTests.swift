import EditModel
import TestSupport
import Testing

@testable import TextState

/// Differences of versions beside those of the slow states.
@Suite struct StateDifferenceTests {
  private typealias Version = (state: TextState, oracle: OracleState)

  /// Versions of one document, each one edit after the other.
  private func versions(
    _ generator: inout EditGenerator, from first: Version, count: Int
  ) throws -> [Version] {
    var versions = [first]
    var (state, oracle) = first
    while versions.count <= count {
      let action = generator.action(length: state.length)
      guard oracle.apply(action) != nil else { continue }
      try state.apply(action)
      versions.append((state, oracle))
    }
    return versions
  }

  private func start(_ seed: UInt64) -> Version {
    (TextState(limits: TreeLimits.forTests[Int(seed % 4)]), OracleState())
  }

  @Test(arguments: seeds(48)) func `agrees with the oracle`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed, lengthGoal: [12, 60, 200][Int(seed / 4 % 3)])
    let versions = try versions(&generator, from: start(seed), count: 120)
    for distance in [0, 1, 2, 5, 50] {
      for _ in 0..<8 {
        let index = generator.below(versions.count - distance)
        let (a, b) = (versions[index], versions[index + distance])
        for (old, new) in [(a, b), (b, a)] {
          let difference = new.state.difference(from: old.state)
          let problem =
            problem(of: difference, from: old.state, to: new.state)
            ?? (Array(difference.paragraphEvents) == new.oracle.paragraphEvents(from: old.oracle)
              ? nil : "events \(Array(difference.paragraphEvents))")
          if let problem {
            Issue.record("\(old.state.sequence) to \(new.state.sequence): \(problem)")
            return
          }
        }
      }
    }
  }

  /// The same identifiers and set numbers come to mean different things on two branches.
  @Test(arguments: seeds(32)) func `compares branches`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed, lengthGoal: seed % 2 == 0 ? 20 : 80)
    let trunk = try versions(&generator, from: start(seed), count: 30)
    let left = try versions(&generator, from: trunk[30], count: 20)
    let right = try versions(&generator, from: trunk[30], count: 20)
    for count in [1, 3, 10, 20] {
      for (old, new) in [(left[count], right[count]), (right[count], left[20])] {
        let difference = new.state.difference(from: old.state)
        let problem = problem(of: difference, from: old.state, to: new.state)
        #expect(problem == nil, "\(count)")
      }
    }
  }

  @Test(arguments: seeds(24)) func `compares strangers`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed, lengthGoal: 100)
    let old = try versions(&generator, from: start(seed), count: 30)[30]
    let new = try versions(&generator, from: start(seed / 2), count: 30)[30]
    let difference = new.state.difference(from: old.state)
    #expect(problem(of: difference, from: old.state, to: new.state) == nil)

    // The same content, in memory of its own.
    let copy = try TextState(
      sequence: new.state.sequence, text: new.state.text,
      attributeRuns: new.state.attributeRuns, paragraphs: new.state.paragraphs)
    #expect(new.state.difference(from: copy).isEmpty)
    let other = copy.difference(from: old.state)
    #expect(other.textChanges == difference.textChanges)
    #expect(other.attributeChanges == difference.attributeChanges)
    #expect(other.paragraphEvents == difference.paragraphEvents)
  }

  /// What is wrong with a difference, nil if nothing is.
  private func problem(
    of difference: StateDifference, from old: TextState, to new: TextState
  ) -> String? {
    if difference.isEmpty != hasSameContent(old, new) { return "is it empty?" }
    if difference.paragraphEvents.replayed(on: old.paragraphs.map(\.id)) != new.paragraphs.map(\.id)
    {
      return "identifiers by events"
    }
    var state = old
    for action in difference.actions where (try? state.apply(action)) == nil {
      return "an action does not fit"
    }
    if state.text != new.text { return "text by actions" }
    if state.attributeRuns != new.attributeRuns { return "attributes by actions" }
    return problemOfRanges(difference, old, new)
  }

  private func hasSameContent(_ old: TextState, _ new: TextState) -> Bool {
    old.text == new.text && old.attributeRuns == new.attributeRuns
      && old.paragraphs.elementsEqual(new.paragraphs)
  }

  /// Ranges ascend and do not touch; between them everything is the same.
  private func problemOfRanges(
    _ difference: StateDifference, _ old: TextState, _ new: TextState
  ) -> String? {
    let changed = Set(difference.attributeChanges.flatMap { Array($0.bounds) })
    if difference.attributeChanges.contains(where: \.isEmpty) { return "an empty change" }
    var place = (old: 0, new: 0)
    var seen: Set<Int> = []
    func isSame(upTo next: (old: Int, new: Int)) -> Bool {
      guard next.old - place.old == next.new - place.new, next.old >= place.old else {
        return false
      }
      return zip(place.old..<next.old, place.new..<next.new).allSatisfy { a, b in
        if changed.contains(b) { seen.insert(b) }
        return old[a] == new[b]
          && (old.attributes(at: a).attributes != new.attributes(at: b).attributes)
            == changed.contains(b)
      }
    }
    for change in difference.textChanges {
      let next = (old: change.oldRange.location, new: change.newRange.location)
      if place.old > 0, next.old == place.old { return "changes touch" }
      if old.core.splits(at: next.old) || new.core.splits(at: next.new)
        || old.core.splits(at: change.oldRange.upperBound)
        || new.core.splits(at: change.newRange.upperBound)
      {
        return "a change splits a character"
      }
      guard isSame(upTo: next) else { return "before \(change)" }
      place = (change.oldRange.upperBound, change.newRange.upperBound)
    }
    guard isSame(upTo: (old.length, new.length)) else { return "after the last change" }
    return seen == changed ? nil : "an attribute change inside a text change"
  }
}

extension StateDifferenceTests {
  private func styled(_ number: Int64, _ range: Range<Int>) throws -> EditAction {
    let run = AttributeRun(length: range.count, attributes: ["n": .integer(number)])
    return try EditAction(range: UTF16Range(range), replacement: nil, attributes: .set([run]))
  }

  @Test func `what was taken back is no difference`() throws {
    var state = TextState(limits: TreeLimits(leafCountMax: 3, childCountMax: 4))
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: "one\ntwo\nthree\nfour"))
    let old = state
    for location in [1, 6, 17] {
      try state.apply(EditAction(replacing: UTF16Range(location..<location), with: "x"))
      try state.apply(EditAction(replacing: UTF16Range(location..<location + 1), with: ""))
      try state.apply(try styled(1, 2..<9))
      try state.apply(
        EditAction(range: UTF16Range(2..<9), replacement: nil, attributes: .remove(["n"])))
    }
    let difference = state.difference(from: old)
    #expect(difference.isEmpty && difference.actions.isEmpty)
  }

  @Test func `an edit of the same length is found`() throws {
    var state = TextState()
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: "one\ntwo\nthree"))
    let old = state
    try state.apply(EditAction(replacing: UTF16Range(5..<6), with: "o"))
    try state.apply(styled(1, 8..<10))
    let difference = state.difference(from: old)
    #expect(
      difference.textChanges == [
        .init(oldRange: UTF16Range(5..<6), newRange: UTF16Range(5..<6))
      ])
    #expect(difference.attributeChanges == [UTF16Range(8..<10)])
    #expect(
      Array(difference.paragraphEvents) == [
        .edited(
          index: 1, descriptor: state.paragraph(at: 1), oldRange: UTF16Range(4..<8)),
        .attributesChanged(
          index: 2, descriptor: state.paragraph(at: 2), range: UTF16Range(8..<10)),
      ])
  }

  /// Numbers of attribute sets are given again once the sets that no run carries are forgotten.
  @Test(arguments: [nil, TreeLimits(leafCountMax: 2, childCountMax: 4)])
  func `sets are compared by value`(limits: TreeLimits?) throws {
    var state = TextState(limits: limits)
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: "0123456789\nabcdefghij"))
    try state.apply(styled(-1, 0..<3))
    try state.apply(styled(-2, 15..<18))
    let old = state
    for number in 0..<600 { try state.apply(styled(Int64(number), 4..<6)) }
    #expect(state.core.table.count < 400)
    let difference = state.difference(from: old)
    #expect(difference.attributeChanges == [UTF16Range(4..<6)])
    #expect(difference.paragraphEvents.count == 1)

    // One number, two sets; and one set, two numbers.
    var (left, right) = (old, old)
    try left.apply(styled(7, 5..<6))
    try left.apply(styled(8, 8..<9))
    try right.apply(styled(8, 8..<9))
    try right.apply(styled(9, 5..<6))
    #expect(right.difference(from: left).attributeChanges == [UTF16Range(5..<6)])
  }
}
