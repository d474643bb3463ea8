import EditModel
import TestSupport
import TextState
import Testing

@testable import Styling

@Suite struct ListTests {
  /// The numbers of kinds such as `1` (an ordered item of level 1), `-2` (a bullet of level 2), `p`, and
  /// `1=5` (with a start).
  private static func numbers(_ kinds: String) -> String {
    var counters = ListCounters()
    return kinds.split(separator: " ").map { kind in
      let parts = kind.split(separator: "=")
      let level = Int(parts[0]) ?? 0
      let name =
        level > 0
        ? ParagraphKind.orderedItem : level < 0 ? ParagraphKind.listItem : "heading"
      let number = counters.count(
        ParagraphKind(name, level: abs(level)), start: parts.count > 1 ? Int(parts[1]) : nil)
      return number.map { "\($0)" } ?? "."
    }.joined(separator: " ")
  }

  @Test(arguments: [
    ("1 1 1", "1 2 3"), ("1 p 1", "1 . 1"),
    // Deeper lists begin again, and the outer one goes on.
    ("1 2 2 1 2", "1 1 2 2 1"), ("1 3 2 3", "1 1 1 1"), ("2 2 1 2", "1 2 1 1"),
    // Bullets inside do not end a list; one at its level does.
    ("1 -2 1", "1 . 2"), ("1 -1 1", "1 . 1"), ("1 2 -2 2 1", "1 1 . 1 2"),
    ("-1 2 2 -1 2", ". 1 2 . 1"),
    ("1=5 1 1=0 1", "5 6 0 1"), ("1=999999999 1", "999999999 999999999"),
    ("1 65 66", "1 1 2"),
  ])
  func `items are numbered`(kinds: String, numbers: String) {
    #expect(Self.numbers(kinds) == numbers)
  }

  /// The number of an item by the rule as it is written: looking back from the item.
  private static func oracle(_ kinds: [(ParagraphKind, Int?)], _ index: Int) -> Int? {
    let (kind, start) = kinds[index]
    guard kind.name == ParagraphKind.orderedItem else { return nil }
    if let start { return start }
    for before in (0..<index).reversed() {
      let other = kinds[before].0
      let isItem = [ParagraphKind.orderedItem, ParagraphKind.listItem].contains(other.name)
      guard isItem, other.level >= kind.level else { return 1 }
      if other.level == kind.level {
        return other.name == kind.name ? oracle(kinds, before).map { $0 + 1 } : 1
      }
    }
    return 1
  }

  @Test(arguments: seeds(20)) func `numbers follow from the items before`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var kinds: [(ParagraphKind, Int?)] = []
    var text = ""
    var attributes: [(Range<Int>, AttributeSet)] = []
    for _ in 0..<80 {
      let level = Int.random(in: 1...4, using: &random)
      let name = ["ordered-item", "ordered-item", "ordered-item", "list-item", "quote"][
        Int.random(in: 0..<5, using: &random)]
      let start =
        name == "ordered-item" && Int.random(in: 0..<8, using: &random) == 0
        ? Int.random(in: 0...20, using: &random) : nil
      kinds.append((ParagraphKind(name, level: level), start))
      var set: AttributeSet = [name: .integer(Int64(level))]
      if let start { set["ordered-start"] = .integer(Int64(start)) }
      attributes.append((text.utf16.count..<text.utf16.count + 2, set))
      text += "a\n"
    }
    let state = try state(text, attributes)
    var counters = ListCounters()
    for index in kinds.indices {
      let before = ListCounters.before(index, in: state, notBefore: 0)
      #expect(before.isExact)
      // What is open before an item says its number, wherever the count begins.
      var fresh = before.counters
      let paragraph = state.paragraph(at: index)
      #expect(fresh.count(paragraph, in: state) == Self.oracle(kinds, index), "seed \(seed)")
      var sent = ListCounters(numbers: counters.numbers)
      #expect(counters.count(paragraph, in: state) == sent.count(paragraph, in: state))
    }
  }

  @Test func `a list that begins too far before is said to`() throws {
    let text = String(repeating: "a\n", count: 100)
    let state = try state(text, [(0..<200, ["ordered-item": .integer(1)])])
    let near = ListCounters.before(50, in: state, notBefore: 40)
    #expect(!near.isExact && near.counters.numbers == [10])
    let all = ListCounters.before(50, in: state, notBefore: 0)
    #expect(all.isExact && all.counters.numbers == [50])
    #expect(ListCounters.before(100, in: state, notBefore: 0).counters.numbers.isEmpty)
    #expect(ListCounters(numbers: [3, 0, -4, 0]).numbers == [3])
  }

  @Test(arguments: [
    ("{number}.", 12, "12."), ("({letter})", 1, "(a)"), ("{letter}", 26, "z"),
    ("{letter}", 27, "aa"),
    ("{letter}", 703, "aaa"), ("{letter}", 0, "0"), ("{roman})", 1_994, "mcmxciv)"),
    ("{roman}", 4_000, "4000"), ("{roman}", 0, "0"), ("{x} {number", 3, "{x} {number"),
    ("{{number}}", 3, "{3}"), ("•", 3, "•"), ("", 3, ""),
  ])
  func `signs show numbers`(sign: String, number: Int, shown: String) {
    let item = ListItem(ParagraphKind("ordered-item", level: 1), number: number)
    #expect(ListSign(sign).shown(item) == shown)
  }

  /// Row 78, by a file of rules: the first table that fits, those of the file first.
  @Test func `the first renderer that fits an item is taken`() throws {
    let rules = try rules(
      """
      [[renderers]]
      kind = "ordered-item"
      level = 2
      sign = "{letter})"
      [[renderers]]
      kind = "task"
      sign = "☐"
      [[renderers]]
      level = 7
      sign = "deep"
      """)
    func sign(_ name: String, _ level: Int) -> String? {
      let item = ListItem(ParagraphKind(name, level: level), number: 2)
      return rules.signs.output(for: item)?.shown(item)
    }
    #expect(sign("ordered-item", 1) == "2.")
    #expect(sign("ordered-item", 2) == "b)")
    #expect(sign("task", 7) == "☐")
    #expect(sign("list-item", 7) == "deep")
    #expect((1...4).map { sign("list-item", $0) } == ["•", "◦", "▪", "•"])
    #expect(sign("other", 1) == "•")
  }

  /// Row 52, by a file of rules.
  @Test(arguments: [
    ("see a.org/x", [""]), ("see a.org/x ", ["a.org/x"]), ("a.org/x\nb.org", ["a.org/x"]),
    ("a.org/x, b.org. ", []), ("(a.org) b.org ", ["b.org"]),
    ("a.org\r\nc.org\u{2029}", ["a.org", "c.org"]),
  ])
  func `an address is a link when a space or Return is typed`(
    text: String, links: [String]
  ) throws {
    let rules = try rules("[links]\nautomatic = true")
    let styled = StyledText(try state(text), by: rules)
    #expect(styled.state.texts(of: "url") == links.filter { !$0.isEmpty })
  }
}
