import CBaselines
import EditModel
import TestSupport
import Testing

@testable import Benchmarks

/// A baseline that is wrong is worth nothing as a measure.
@Suite struct BaselineTests {
  @Test(arguments: UInt64(1)...8)
  func `every baseline does what an array does`(seed: UInt64) throws {
    let history = RandomHistory(seed: seed, count: 3_000)
    try CParagraphText.check(history.edits, gives: history.units, on: "seed \(seed)")
    try CGapText.check(history.edits, gives: history.units, on: "seed \(seed)")
    try SwiftGapText.check(history.edits, gives: history.units, on: "seed \(seed)")
    try SwiftGapActionsText.check(history.edits, gives: history.units, on: "seed \(seed)")
    try ArrayText.check(history.edits, gives: history.units, on: "seed \(seed)")
    try StateText.check(history.edits, gives: history.units, on: "seed \(seed)")
    try StateActionsText.check(history.edits, gives: history.units, on: "seed \(seed)")
  }

  @Test(arguments: UInt64(1)...4)
  func `paragraphs are counted exactly after every edit`(seed: UInt64) {
    let history = RandomHistory(seed: seed, count: 1_500)
    var text = CParagraphText()
    for (number, edit) in history.edits.flat.enumerated() {
      var one = EditBatch()
      one.append(
        at: Int(edit.position), removing: Int(edit.removed),
        inserting: Array(history.edits.inserted(by: edit)))
      text.apply(one)
      #expect(text.isConsistent, "after edit \(number)")
    }
  }

  @Test(arguments: UInt64(1)...8)
  func `spans change the text as their edits do`(seed: UInt64) throws {
    let history = RandomHistory(seed: seed, count: 3_000, isHand: true)
    let spans = history.edits.spans
    #expect(spans.count < history.edits.count / 2)
    #expect(spans.reduce(0) { $0 + $1.count } == history.edits.count)
    try CGapText.check(EditBatch(spans), gives: history.units, on: "seed \(seed)")
  }
}

/// Edits and the text they leave, by an array.
private struct RandomHistory {
  private(set) var edits = EditBatch()
  private(set) var units: [UInt16] = []
  private var random: SplitMix64

  /// A hand types, takes back and deletes forward in runs; else edits are anywhere.
  init(seed: UInt64, count: Int, isHand: Bool = false) {
    random = SplitMix64(seed: seed)
    var (place, movement) = (0, 0)
    while edits.count < count {
      guard isHand else {
        anywhere()
        continue
      }
      if below(8) == 0 { (place, movement) = (below(units.count + 1), below(3)) }
      switch movement {
      case 1 where place > 0:
        replace(place - 1, 1, [])
        place -= 1
      case 2 where place < units.count: replace(place, 1, [])
      default:
        replace(place, 0, [0x61])
        place += 1
      }
    }
  }

  private mutating func anywhere() {
    let letters: [UInt16] = [0x61, 0x0A, 0x0D, 0x2029, 0x62, 0x0D]
    let new = (0..<below(4)).map { _ in letters[below(letters.count)] }
    let place = below(units.count + 1)
    let removed = below(300) == 0 ? below(units.count + 1) : below(3)
    replace(place, min(removed, units.count - place), new)
  }

  private mutating func replace(_ place: Int, _ removed: Int, _ new: [UInt16]) {
    units.replaceSubrange(place..<place + removed, with: new)
    edits.append(at: place, removing: removed, inserting: new)
  }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
}
