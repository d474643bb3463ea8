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

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func apply(_ action: EditAction) {
    sequence += 1
    ordinary.append(sequence)
    provenance.apply(action, sequence)
    oracle.apply(action, sequence)
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
    if Bool.random(using: &random) {
      for item in plan.reversed() {
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
        actions.append(replace(location + units.count, 1, ""))
        shift += item.change
      }
    }
    let replacements = EditComposition.replacements(of: actions)
    guard provenance.realise(change, by: replacements) else { return false }
    sequence += SequenceNumber(actions.count)
    oracle.apply(change)
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
    case 0: replacements[index].text += [0x21]
    case 1: replacements.remove(at: index)
    default:
      var other = Pair(seed: seed)
      for _ in 0..<20 { other.edit() }
      other.apply(replace(0, 0, "zz"))
      replacements.append(
        TextReplacement(
          range: pair.provenance.length..<pair.provenance.length, text: [0x7A]))
      if replacements[replacements.count - 2].range.upperBound >= pair.provenance.length {
        return
      }
    }
    let isRealised = pair.provenance.realise(change, by: replacements)
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
  func composedEditsMakeTheSameText(seed: UInt64) {
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
    let replacements = EditComposition.replacements(of: actions)
    var composed = old
    for item in replacements.reversed() { composed.replaceSubrange(item.range, with: item.text) }
    #expect(composed == text, "seed \(seed)")
    for (item, next) in zip(replacements, replacements.dropFirst()) {
      #expect(item.range.upperBound < next.range.lowerBound, "seed \(seed)")
    }
  }
}
