import EditModel
import Scrubbing
import TestSupport
import TextState
import Testing

/// The text with deleted text at its places, against the texts that it is made of.
@Suite struct ShownTextTests {
  @Test(arguments: seeds(64))
  func `deleted text is at its places, and the rest is the version`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let texts = ScrubHarness.randomTexts(
      30,
      pieces: [
        "", "abc", "d", "\n", "wörter ", "日本", "\u{928}\u{93F}", "\u{93E}", "👍", "\u{1F3FD}",
        "\u{200D}",
      ], using: &random)
    let (old, new) = (texts[Int.random(in: 0..<30, using: &random)], texts[29])
    let (base, version) = (
      TextState(showing: UTF16Text(units: old)), TextState(showing: UTF16Text(units: new))
    )
    let hasSigns = Bool.random(using: &random)
    let shown = ShownText(version, since: base, showsDeleted: true, hasSigns: hasSigns)
    #expect(!shown.isCut)
    let all = shown.text.text.units
    var (kept, former, isHidden) = ([UInt16](), [UInt16](), 0)
    var kinds = [ShownText.Kind?](repeating: nil, count: all.count)
    var end = 0
    for stretch in shown.stretches {
      #expect(stretch.range.location >= end, "seed \(seed)")
      end = stretch.range.upperBound
      for index in stretch.range.bounds { kinds[index] = stretch.kind }
    }
    for (index, unit) in all.enumerated() {
      let isOfVersion = kinds[index] == nil || kinds[index] == .added
      if isOfVersion {
        #expect(shown.offset(of: kept.count) == index, "seed \(seed)")
        #expect(shown.place(of: index) == kept.count, "seed \(seed)")
        kept.append(unit)
      } else {
        #expect(shown.place(of: index) == kept.count, "seed \(seed)")
        isHidden += 1
      }
      if kinds[index] == nil || kinds[index] == .deleted { former.append(unit) }
    }
    #expect(kept == new, "seed \(seed)")
    #expect(former == old, "seed \(seed)")
    #expect(shown.added - shown.deleted == new.count - old.count, "seed \(seed)")
  }

  /// Whole letters are struck and added, whatever part of them changed.
  @Test(arguments: [
    ("\u{928}\u{940} x", "\u{928}\u{93E} x", "[-\u{928}\u{940}-]{+\u{928}\u{93E}+} x"),
    ("x\u{928}\u{93E}x", "x\u{928}x", "x[-\u{928}\u{93E}-]{+\u{928}+}x"),
    ("a", "a\u{301}", "[-a-]{+a\u{301}+}"), ("ab", "a", "a[-b-]"),
    ("👍🏽!", "👍🏿!", "[-👍🏽-]{+👍🏿+}!"), ("👨‍👩‍👧", "👨‍👩‍👧‍👦", "[-👨‍👩‍👧-]{+👨‍👩‍👧‍👦+}"),
    ("\u{E01}\u{E31}\u{E14} b", "\u{E01}\u{E31}\u{E14} c", "\u{E01}\u{E31}\u{E14} [-b-]{+c+}"),
  ])
  func `changes have whole characters`(old: String, new: String, expected: String) {
    let (base, version) = (
      TextState(showing: UTF16Text(old)), TextState(showing: UTF16Text(new))
    )
    let shown = ShownText(version, since: base, showsDeleted: true, hasSigns: true)
    #expect(String(shown.text.text) == expected)
  }

  /// Changes that can be so are of whole lines, though the lines begin alike.
  @Test(arguments: [
    (
      "- [ ] milk\n- [ ] bread\n- [ ] salt\n", "- [ ] milk\n- [ ] salt\n",
      "- [ ] milk\n[-- [ ] bread\n-]- [ ] salt\n"
    ),
    ("a 1\r\na 2\r\n", "a 2\r\n", "[-a 1\r\n-]a 2\r\n"),
    ("- a\n- c\n", "- a\n- b\n- c\n", "- a\n{+- b\n+}- c\n"),
    ("x\n- a\n- b\n- c", "X\n- a\n- c", "[-x-]{+X+}\n- a\n[-- b\n-]- c"),
    // No whole lines can be made of these.
    ("one two three\n", "one three\n", "one t[-wo t-]hree\n"), ("a\nb", "a", "a[-\nb-]"),
  ])
  func `changes are of whole lines where they can be`(old: String, new: String, expected: String) {
    let (base, version) = (
      TextState(showing: UTF16Text(old)), TextState(showing: UTF16Text(new))
    )
    let shown = ShownText(version, since: base, showsDeleted: true, hasSigns: true)
    #expect(String(shown.text.text) == expected)
  }

  @Test func `of much deleted text, the beginning is shown, and how much follows`() {
    let base = TextState(showing: UTF16Text(String(repeating: "x\n", count: 100_000)))
    let note = "… 134,464 more units"
    let shown = ShownText(TextState(), since: base, showsDeleted: true, hasSigns: false)
    #expect(!shown.isCut)
    #expect(shown.deleted == 200_000)
    #expect(String(shown.text.text).hasPrefix("x\nx\n"))
    #expect(String(shown.text.text).hasSuffix("x\n" + note))
    #expect(shown.text.length == 65_536 + note.utf16.count)
    #expect(shown.offset(of: 0) == shown.text.length)
    // A pair of surrogates is not split.
    let pairs = TextState(showing: UTF16Text("x" + String(repeating: "😀", count: 40_000)))
    let cut = ShownText(TextState(), since: pairs, showsDeleted: true, hasSigns: true)
    #expect(String(cut.text.text).hasSuffix("😀… 14,466 more units-]"))
  }

  @Test func `deleted text of which only the beginning is known is counted whole`() {
    let base = TextState(showing: UTF16Text("one two six"))
    let version = TextState(showing: UTF16Text("one six"))
    let shown = ShownText(
      version, since: base, showsDeleted: true, hasSigns: true,
      gap: ShownText.Gap(place: 8, length: 1_000))
    #expect(String(shown.text.text) == "one [-two … 1,000 more units-]six")
    #expect(shown.deleted == 1_004)
  }
}
