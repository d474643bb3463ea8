import EditModel
import TestSupport
import Testing

@testable import Projections
@testable import TextState

/// A provenance and its oracle, edited alike.
private struct Pair {
  var random: SplitMix64
  var provenance = Provenance()
  var oracle = UnitOracle()
  var sequence: SequenceNumber = 0
  /// The edits that realise no undo.
  var ordinary = SequenceSet()
  var caret = 0
  /// The edit that inserted each unit of the text last.
  var lastWriters: [SequenceNumber] = []

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    // The oracle knows no moves.
    provenance.moves.rule.removalCountMax = 0
  }

  mutating func apply(_ action: EditAction) {
    sequence += 1
    ordinary.append(sequence)
    let edit = Edit(sequence: sequence, action: action, time: seconds(Double(sequence)))
    provenance.apply(edit)
    oracle.apply(action, sequence)
    note(action, sequence)
  }

  private mutating func note(_ action: EditAction, _ sequence: SequenceNumber) {
    guard let text = action.replacement else { return }
    lastWriters.replaceSubrange(
      action.range.bounds, with: [SequenceNumber](repeating: sequence, count: text.count))
  }

  /// Some edits at one place, as a writer makes them, or one anywhere.
  mutating func edit() {
    let length = provenance.length
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1:
      caret = Int.random(in: 0...length, using: &random)
      for _ in 0..<Int.random(in: 1...9, using: &random) {
        apply(replace(caret, 0, random.pick(["a", "b", "😀", "\n"])))
        caret += oracle.text.count - length == 0 ? 0 : 1
        caret = min(caret, provenance.length)
      }
    case 2:
      caret = Int.random(in: 0...length, using: &random)
      for _ in 0..<Int.random(in: 1...9, using: &random) where caret > 0 {
        caret -= 1
        apply(replace(caret, 1, ""))
      }
    case 3:
      caret = Int.random(in: 0...length, using: &random)
      for _ in 0..<Int.random(in: 1...9, using: &random) where caret < provenance.length {
        apply(replace(caret, 1, ""))
      }
    default:
      let range = random.range(in: length)
      apply(replace(range.location, range.length, random.text()))
    }
  }

  /// A change that undoes some edits and redoes others.
  mutating func change() -> UndoneChange {
    guard sequence > 0 else { return UndoneChange() }
    var sets = (SequenceSet(), SequenceSet())
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let first = SequenceNumber.random(in: 1...sequence, using: &random)
      let range = first...min(sequence, first + .random(in: 0...4, using: &random))
      sets.0 = sets.0.union(SequenceSet(range))
    }
    if Bool.random(using: &random) { sets.1 = provenance.undone.intersection(sets.0) }
    let undone = sets.0.intersection(ordinary).subtracting(provenance.undone)
    return UndoneChange(undone: undone, redone: sets.1)
  }

  /// The change as edits of the text, each in the order in which some program might send them.
  mutating func realise(_ change: UndoneChange) -> Bool {
    let plan = provenance.replacements(provenance.plan(change))
    var actions: [EditAction] = []
    /// The last action of each replacement.
    var lasts: [(range: Range<Int>, action: Int)] = []
    if Bool.random(using: &random) {
      for item in plan.reversed() {
        lasts.append((item.range, actions.count))
        actions.append(
          EditAction(
            replacing: UTF16Range(item.range), with: UTF16Text(units: Array(item.text))))
      }
    } else {
      // From the start to the end, and with text that is inserted and removed again.
      var shift = 0
      for item in plan {
        let (location, units) = (item.range.lowerBound + shift, Array(item.text))
        actions.append(replace(location, item.range.count, UTF16Text(units: units + [0x78])))
        lasts.append((item.range, actions.count))
        actions.append(replace(location + units.count, 1, ""))
        shift += item.change
      }
    }
    guard let replacements = EditComposition.replacements(of: actions),
      provenance.realise(change, by: replacements, first: sequence + 1)
    else { return false }
    oracle.apply(change, first: sequence + 1) { offset in
      lasts.first { $0.range.contains(offset) }?.action ?? 0
    }
    for action in actions {
      sequence += 1
      note(action, sequence)
    }
    return true
  }

  func check(_ comment: Comment) {
    #expect(provenance.shownText == oracle.text, comment)
    #expect(provenance.length == oracle.text.count, comment)
    let order = provenance.shownOrder
    #expect(order.map(\.number) == oracle.units.map(\.number), comment)
    #expect(order.map(\.isVisible) == oracle.units.map(oracle.isVisible), comment)
    for unit in oracle.units {
      #expect(provenance.insertions.sequence(of: unit.number) == unit.inserter, comment)
      #expect(provenance.text[unit.number..<unit.number + 1] == [unit.value], comment)
      var deleters: Set<SequenceNumber> = []
      provenance.deleters.forEach(in: unit.number..<unit.number + 1) { _, sequence, _ in
        deleters.insert(sequence)
      }
      #expect(deleters == unit.deleters, comment)
    }
    let whole = UTF16Range(0..<provenance.length)
    #expect(provenance.blame(whole).writers == oracle.writers, comment)
    #expect(provenance.blame(whole, by: .lastWriter).writers == lastWriters, comment)
  }
}

/// Makes a change, which must succeed.
private func expectRealised(_ pair: inout Pair, _ change: UndoneChange, _ seed: UInt64) {
  let isRealised = pair.realise(change)
  #expect(isRealised, "seed \(seed)")
}

@Suite struct ProvenanceTests {
  @Test("units, their order, inserters and deleters equal the oracle's", arguments: seeds(60))
  func equalsOracle(seed: UInt64) {
    var pair = Pair(seed: seed)
    for step in 0..<40 {
      pair.edit()
      if step % 3 == 2 {
        let change = pair.change()
        expectRealised(&pair, change, seed)
      }
      if step % 4 == 3 { pair.check("seed \(seed), step \(step)") }
    }
    pair.check("seed \(seed), at the end")
  }

  @Test(
    "undo then redo is the identity, and the order of undos does not matter", arguments: seeds(40))
  func undoIsASet(seed: UInt64) {
    var pair = Pair(seed: seed)
    for _ in 0..<30 { pair.edit() }
    let text = pair.provenance.shownText
    let (first, second) = (pair.change(), pair.change())
    var other = pair
    expectRealised(&pair, first, seed)
    let rest = UndoneChange(undone: second.undone.subtracting(pair.provenance.undone))
    expectRealised(&pair, rest, seed)
    expectRealised(&other, second, seed)
    let otherRest = UndoneChange(undone: first.undone.subtracting(other.provenance.undone))
    expectRealised(&other, otherRest, seed)
    #expect(pair.provenance.shownText == other.provenance.shownText, "seed \(seed)")
    expectRealised(&pair, rest.inverse, seed)
    expectRealised(&pair, first.inverse, seed)
    #expect(pair.provenance.shownText == text, "seed \(seed)")
    pair.check("seed \(seed)")
  }

  @Test("the outcome of each writer is the oracle's", arguments: seeds(40))
  func outcomes(seed: UInt64) {
    var pair = Pair(seed: seed)
    for step in 0..<30 {
      pair.edit()
      if step % 4 == 3 {
        let change = pair.change()
        expectRealised(&pair, change, seed)
      }
    }
    // Four writers, who take turns, and some edits that count as undos.
    let numbers = (1...max(1, pair.sequence)).filter { pair.ordinary.contains($0) }
    let writers = (0..<4).map { writer in
      SequenceSet(numbers.filter { $0 / 3 % 4 == writer }.map { $0...$0 })
    }
    let undos = SequenceSet(numbers.filter { $0 % 5 == 0 }.map { $0...$0 })
    let inserters = Set(pair.oracle.units.map(\.inserter))
    let expected = writers.map { writer in
      var outcome = WriterOutcome()
      for unit in pair.oracle.units where writer.contains(unit.inserter) {
        outcome.insertedCount += 1
        if pair.oracle.isVisible(unit) {
          outcome.livingCount += 1
        } else if pair.oracle.undone.contains(unit.inserter) {
          outcome.takenBackCount += 1
        } else {
          let deleter = unit.deleters.subtracting(pair.oracle.undone).min() ?? 0
          if undos.contains(deleter) {
            outcome.takenBackCount += 1
          } else if writer.contains(deleter) {
            outcome.deletedBySelfCount += 1
          } else {
            outcome.deletedByOthersCount += 1
            if inserters.contains(deleter) { outcome.replacedCount += 1 }
          }
        }
      }
      return outcome
    }
    #expect(pair.provenance.outcomes(of: writers, undos: undos) == expected, "seed \(seed)")
  }

  @Test("text that is cut and pasted is inserted once, and lives if one place of it does")
  func outcomesOfMoves() {
    var provenance = Provenance()
    let line = UTF16Text("a line that is long enough\n")
    func edit(_ sequence: SequenceNumber, _ action: EditAction) {
      provenance.apply(Edit(sequence: sequence, action: action, time: seconds(Double(sequence))))
    }
    func outcomes() -> [WriterOutcome] {
      provenance.outcomes(of: [SequenceSet(1...1), SequenceSet(2...9)], undos: SequenceSet())
    }
    edit(1, replace(0, 0, line))
    edit(2, replace(0, line.count, ""))
    edit(3, replace(0, 0, "x\n"))
    edit(4, replace(2, 0, line))
    edit(5, replace(2, 0, line))
    #expect(outcomes().map(\.insertedCount) == [line.count, 2])
    #expect(outcomes().map(\.livingCount) == [line.count, 2])
    edit(6, replace(2, line.count, ""))
    #expect(outcomes().map(\.livingCount) == [line.count, 2])
    edit(7, replace(2, line.count, ""))
    #expect(outcomes().map(\.livingCount) == [0, 2])
    #expect(outcomes().map(\.deletedByOthersCount) == [line.count, 0])
  }

  @Test("the fate of each unit of an old version is the oracle's", arguments: seeds(30))
  func fates(seed: UInt64) {
    var pair = Pair(seed: seed)
    for _ in 0..<15 { pair.edit() }
    let (older, units) = (pair.provenance, pair.oracle.visible.map { pair.oracle.units[$0].number })
    for step in 0..<20 {
      pair.edit()
      if step % 4 == 3 {
        let change = pair.change()
        expectRealised(&pair, change, seed)
      }
    }
    var expected: [(location: Int?, removal: SequenceNumber?)] = []
    let visible = pair.oracle.visible
    for number in units {
      let index = pair.oracle.units.firstIndex { $0.number == number } ?? 0
      let location = visible.firstIndex(of: index)
      expected.append((location, location == nil ? pair.oracle.units[index].removal : nil))
    }
    var found: [(location: Int?, removal: SequenceNumber?)] = []
    for fate in pair.provenance.fates(of: older) {
      #expect(fate.range.location == found.count, "seed \(seed)")
      for offset in 0..<fate.range.length {
        found.append((fate.location.map { $0 + offset }, fate.removal))
      }
    }
    #expect(found.map(\.location) == expected.map(\.location), "seed \(seed)")
    #expect(found.map(\.removal) == expected.map(\.removal), "seed \(seed)")
  }

  @Test("cut and pasted text keeps its writers")
  func movesKeepWriters() {
    var provenance = Provenance()
    func apply(_ sequence: SequenceNumber, _ action: EditAction, at time: Double) {
      let edit = Edit(sequence: sequence, action: action, time: seconds(time))
      provenance.apply(edit)
    }
    apply(1, replace(0, 0, "first line\nsecond line\nthird"), at: 0)
    apply(2, replace(11, 0, "the "), at: 1)
    // Line 2 is cut and pasted at the end, without its terminator.
    apply(3, replace(11, 16, ""), at: 2)
    apply(4, replace(16, 0, "\nthe second line"), at: 3)
    #expect(provenance.blame(UTF16Range(0..<32)).map(\.sequence) == [1, 4, 2, 1])
    #expect(
      provenance.blame(UTF16Range(0..<32), by: .lastWriter).map(\.sequence) == [1, 4])
    // A second move: the first writers again. The terminator stands elsewhere, so it does not move.
    apply(5, replace(16, 16, ""), at: 4)
    apply(6, replace(0, 0, "the second line\n"), at: 200)
    #expect(provenance.blame(UTF16Range(0..<16)).map(\.sequence) == [2, 1, 6])
    // Too late, or too little.
    apply(7, replace(0, 16, ""), at: 300)
    apply(8, replace(0, 0, "the second line\n"), at: 601)
    #expect(provenance.blame(UTF16Range(0..<16)).map(\.sequence) == [8])
    apply(9, replace(0, 5, ""), at: 602)
    apply(10, replace(0, 0, "the s"), at: 603)
    #expect(provenance.blame(UTF16Range(0..<5)).map(\.sequence) == [10])
  }

  @Test(
    "a line moves with its terminator, if it has a word",
    arguments: [
      ("end\n", "end\n", [1, 1, 1, 1]), ("end\r\n", "end\r\n", [1, 1, 1, 1, 1]),
      ("\nend", "\nend", [1, 1, 1, 1]), ("end\n", "end", [3, 3, 3]),
      ("end\n", "end\n\n", [1, 1, 1, 1, 3]), ("end\n", "\nend", [3, 1, 1, 1]),
      ("}\n", "}\n", [3, 3]), ("👍\n", "👍\n", [1, 1, 1]), ("--\n", "--\n", [3, 3, 3]),
    ] as [(String, String, [SequenceNumber])])
  func linesMoveWhole(cut: String, pasted: String, writers: [SequenceNumber]) {
    var provenance = Provenance()
    let count = pasted.utf16.count
    func apply(_ sequence: SequenceNumber, _ action: EditAction) {
      provenance.apply(Edit(sequence: sequence, action: action, time: seconds(Double(sequence))))
    }
    apply(1, replace(0, 0, UTF16Text("x\(cut)y")))
    apply(2, replace(1, cut.utf16.count, ""))
    apply(3, replace(0, 0, UTF16Text(pasted)))
    let found = provenance.blame(UTF16Range(0..<count)).flatMap { piece in
      Array(repeating: piece.sequence, count: piece.range.length)
    }
    #expect(found == writers)
  }

  @Test("an undo of everything leaves the empty document", arguments: seeds(20))
  func undoOfAll(seed: UInt64) {
    var pair = Pair(seed: seed)
    for _ in 0..<30 { pair.edit() }
    expectRealised(&pair, UndoneChange(undone: pair.ordinary), seed)
    #expect(pair.provenance.length == 0)
    pair.check("seed \(seed)")
  }

  @Test("edits that make another text realise nothing", arguments: seeds(40))
  func wrongTextIsRefused(seed: UInt64) {
    var pair = Pair(seed: seed)
    for _ in 0..<20 { pair.edit() }
    let change = pair.change()
    var replacements = pair.provenance.replacements(pair.provenance.plan(change))
    guard !replacements.isEmpty else { return }
    let index = Int.random(in: replacements.indices, using: &pair.random)
    switch Int.random(in: 0..<3, using: &pair.random) {
    case 0:
      replacements[index].text += [0x21]
      replacements[index].edits += [0]
    case 1: replacements.remove(at: index)
    default:
      var other = Pair(seed: seed)
      for _ in 0..<20 { other.edit() }
      other.apply(replace(0, 0, "zz"))
      replacements.append(
        TextReplacement(
          range: pair.provenance.length..<pair.provenance.length, text: [0x7A], edits: [0],
          lastEdit: 0))
      if replacements[replacements.count - 2].range.upperBound >= pair.provenance.length {
        return
      }
    }
    let isRealised = pair.provenance.realise(change, by: replacements, first: 1)
    #expect(!isRealised, "seed \(seed)")
    pair.check("seed \(seed)")
  }

  @Test("typing and backspace make few runs")
  func typingIsOneRun() {
    var pair = Pair(seed: 1)
    for location in 0..<1_000 { pair.apply(replace(location, 0, "a")) }
    #expect(pair.provenance.order.runCount == 1)
    #expect(pair.provenance.insertions.runs.count == 1)
    for location in (500..<1_000).reversed() { pair.apply(replace(location, 1, "")) }
    #expect(pair.provenance.order.runCount == 2)
    #expect(pair.provenance.deletions.runs.count == 1)
    #expect(pair.provenance.deleters.runCount == 1)
    for _ in 0..<100 { pair.apply(replace(100, 1, "")) }
    #expect(pair.provenance.order.runCount == 4)
    #expect(pair.provenance.deletions.runs.count == 2)
    pair.check("a long run")
  }
}

@Suite struct EditCompositionTests {
  @Test("composed edits make the same text", arguments: seeds(100))
  func composedEditsMakeTheSameText(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let old: [UInt16] = (0..<40).map { 0x4E00 + $0 }
    var text = old
    var actions: [EditAction] = []
    for number in 0..<Int.random(in: 0...12, using: &random) {
      let range = random.range(in: text.count)
      let units = [UInt16](
        repeating: 0x61 + UInt16(number), count: Int.random(in: 0...3, using: &random))
      text.replaceSubrange(range.bounds, with: units)
      actions.append(EditAction(replacing: range, with: UTF16Text(units: units)))
    }
    let replacements = try #require(EditComposition.replacements(of: actions))
    var composed = old
    for item in replacements.reversed() { composed.replaceSubrange(item.range, with: item.text) }
    #expect(composed == text, "seed \(seed)")
    for (item, next) in zip(replacements, replacements.dropFirst()) {
      #expect(item.range.upperBound < next.range.lowerBound, "seed \(seed)")
    }
  }
}

extension EditCompositionTests {
  @Test("many edits are composed if they have an order, and refused if they have none")
  func stepsAreBounded() {
    let insertion = UTF16Text("x")
    func action(_ location: Int) -> EditAction { replace(location, 0, insertion) }
    let count = 60_000
    let ascending = (0..<count).map { action(3 * $0) }
    #expect(EditComposition.replacements(of: ascending)?.count == count)
    let descending = (0..<count).reversed().map { action(2 * $0) }
    #expect(EditComposition.replacements(of: descending)?.count == count)
    // At both ends of a text in turn.
    let mixed = (0..<count).map { action($0 % 2 == 0 ? 2 * (count - $0) : 4 * count + $0) }
    #expect(EditComposition.replacements(of: mixed) == nil)
  }
}

extension [BlamePiece] {
  /// The writer of each unit.
  fileprivate var writers: [SequenceNumber] {
    flatMap { [SequenceNumber](repeating: $0.sequence, count: $0.range.length) }
  }
}
