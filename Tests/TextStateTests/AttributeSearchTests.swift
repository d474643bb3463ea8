import EditModel
import TestSupport
import Testing

@testable import TextState

/// Searches by attribute name, beside walks over every unit.
@Suite struct AttributeSearchTests {
  private static let names = [
    "bold", "size", "link", "é", "e\u{301}", "never", "extra3", "extra70",
  ]

  @Test(arguments: seeds(12)) func `finds what a walk finds`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed, lengthGoal: [20, 60][Int(seed % 2)])
    let limits = [TreeLimits(leafCountMax: 2, childCountMax: 4), nil][Int(seed / 2 % 2)]
    var state = TextState(limits: limits)
    var oracle = OracleState()
    if seed % 3 == 0 { try brandNames(&state, &oracle) }
    for step in 0..<80 {
      let action = generator.action(length: state.length)
      guard oracle.apply(action) != nil else { continue }
      try state.apply(action)
      guard step % 4 == 0 else { continue }
      for name in Self.names { compare(name, state, oracle) }
      #expect(state.invariantViolation() == nil)
    }
  }

  /// More names than a mask has bits, so that some share theirs.
  private func brandNames(_ state: inout TextState, _ oracle: inout OracleState) throws {
    let runs = (0..<100).map {
      AttributeRun(length: 1, attributes: ["extra\($0)": .integer(Int64($0 / 2))])
    }
    let text = UTF16Text(String(repeating: "a", count: 100))
    let action = try EditAction(
      range: UTF16Range(0..<0), replacement: text, attributes: .set(runs))
    _ = oracle.apply(action)
    try state.apply(action)
  }

  private func compare(_ name: String, _ state: TextState, _ oracle: OracleState) {
    let values = oracle.attributes.map { $0[name] }
    var runs: [Range<Int>] = []
    for run in oracle.runs {
      let start = runs.last?.upperBound ?? 0
      runs.append(start..<start + run.length)
    }
    let carrying = runs.filter { values[$0.lowerBound] != nil }
    for offset in 0...state.length {
      let next = state.nextAttributeRun(carrying: name, from: offset)
      #expect(next?.range.bounds == carrying.first { $0.upperBound > offset })
      let previous = state.previousAttributeRun(carrying: name, before: offset)
      #expect(previous?.range.bounds == carrying.last { $0.lowerBound < offset })
      if let next { #expect(next.attributes == oracle.attributes[next.range.location]) }
      guard offset < state.length else { continue }
      let found = state.attribute(name, at: offset)
      let lower = values[..<offset].lastIndex { $0 != values[offset] }.map { $0 + 1 } ?? 0
      let upper = values[offset...].firstIndex { $0 != values[offset] } ?? values.count
      #expect(found.value == values[offset] && found.range.bounds == lower..<upper)
    }
  }

  /// Whatever the other runs are, few of them are looked at.
  @Test func `a search passes over what does not carry the name`() throws {
    let runs = (0..<50_000).map { number in
      var set: AttributeSet = ["n": .integer(Int64(number % 2))]
      if number == 100 || number == 40_000 { set["rare"] = .bool(true) }
      return AttributeRun(length: 2, attributes: set)
    }
    var state = TextState()
    let text = UTF16Text(String(repeating: "ab", count: runs.count))
    try state.apply(EditAction(range: UTF16Range(0..<0), replacement: text, attributes: .set(runs)))

    let mask = state.core.table.mask(of: "rare")
    var asked = 0
    let found = state.core.runRecords.first(from: 101) {
      $0.names.isSuperset(of: mask)
    } where: {
      asked += 1
      return $0.set.names.isSuperset(of: mask)
    }
    #expect(found?.place.index == 40_000 && found?.place.measure.units == 80_000)
    #expect(asked <= 4 * RunRecord.leafCountMax)
    #expect(
      state.nextAttributeRun(carrying: "rare", from: 202)?.range == UTF16Range(80_000..<80_002))
    #expect(
      state.previousAttributeRun(carrying: "rare", before: 80_000)?.range == UTF16Range(200..<202))
    #expect(state.attribute("rare", at: 50_000).range == UTF16Range(202..<80_000))
    #expect(state.attribute("rare", at: 0).range == UTF16Range(0..<200))
    #expect(state.attribute("rare", at: 99_999).range == UTF16Range(80_002..<100_000))
  }

  /// A name that was taken off may stay in a mask, until its leaf is put back.
  @Test func `masks forget names that are gone`() throws {
    var state = TextState(limits: TreeLimits(leafCountMax: 4, childCountMax: 4))
    let runs = (0..<200).map {
      AttributeRun(length: 1, attributes: $0 == 3 ? ["rare": .bool(true)] : ["n": .integer($0 % 2)])
    }
    let text = UTF16Text(String(repeating: "a", count: runs.count))
    try state.apply(EditAction(range: UTF16Range(0..<0), replacement: text, attributes: .set(runs)))
    try state.apply(
      EditAction(range: UTF16Range(3..<4), replacement: nil, attributes: .remove(["rare"])))
    #expect(state.nextAttributeRun(carrying: "rare", from: 0) == nil)
    #expect(state.attribute("rare", at: 3).range == UTF16Range(0..<200))
    // Another leaf is edited.
    try state.apply(EditAction(replacing: UTF16Range(190..<190), with: "x"))
    let mask = state.core.table.mask(of: "rare")
    var entered = 0
    let found = state.core.runRecords.first(from: 0) {
      entered += $0.names.isSuperset(of: mask) ? 1 : 0
      return $0.names.isSuperset(of: mask)
    } where: { _ in
      false
    }
    #expect(found == nil && entered == 0)
  }
}
