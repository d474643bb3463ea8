import EditModel
import EditProtocol
import Scrubbing
import Testing

/// What keys do on deleted text that is shown.
@Suite struct DeletedTextTests {
  private static let texts = [
    "Alpha one\nBravo two\nCharlie three\nDelta four\nEcho five\n", "Alpha one\nEcho five\n",
    "Alpha one\nEcho changed since\n",
  ]
  private static let message =
    "this text is deleted here: h goes to the version that has it"

  /// A screen at the second version, with `>` on deleted text.
  private static func onDeleted() -> ScrubHarness {
    var harness = ScrubHarness(texts, at: 2)
    harness.type("dgjj")
    #expect(plain(harness, 3) == "> Charlie three")
    return harness
  }

  /// A row of the screen, without strokes.
  private static func plain(_ harness: ScrubHarness, _ row: Int) -> String {
    let scalars = harness.state.frame().line(row).unicodeScalars.filter { $0 != "\u{336}" }
    return String(String.UnicodeScalarView(scalars))
  }

  @Test func `a deleted paragraph is restored from the version that has it`() {
    var harness = Self.onDeleted()
    harness.type("rp")
    #expect(harness.requests.contains(.preview(.paragraph(at: 1, offset: 20))))
  }

  @Test func `a deleted paragraph is restored from the anchor`() {
    var harness = ScrubHarness(Self.texts, at: 1)
    harness.type("m:3")
    harness.send(.key(.enter))
    harness.type("dgjj")
    #expect(Self.plain(harness, 3) == "> Charlie three")
    harness.type("rp")
    #expect(harness.requests.contains(.preview(.paragraph(at: 1, offset: 20))))
    harness.send(.key(.escape))
    harness.type("y")
    #expect(harness.state.frame().line(23).contains(":1 goes to the version that has it"))
  }

  @Test func `keys on deleted text act on no other paragraph`() {
    var harness = Self.onDeleted()
    for key in ["y", "p", "\r"] {
      let count = harness.requests.count
      harness.send(.key(key == "\r" ? .enter : .character(Character(key))))
      #expect(harness.state.frame().line(23) == Self.message)
      #expect(harness.requests.count == count)
    }
    // Text that is kept is acted on, as is a line with both.
    harness.type("gy")
    #expect(harness.requests.last == .copy("Alpha one\n"))
    var mixed = ScrubHarness(["one two three", "one 2 three"])
    mixed.type("dy")
    #expect(mixed.requests.last == .copy("one 2 three"))
  }

  /// The edit is said to have removed a part of two lines that begin alike.
  @Test func `removed lines are shown from their beginning`() {
    let items = (1...40).map { "- item \($0)\n" }.joined()
    var harness = ScrubHarness(["- milk\n\(items)- salt\n", "- milk\n- salt\n"])
    harness.type("d")
    #expect(Self.plain(harness, 2) == "> - item 1")
    harness.type("k")
    #expect(harness.state.frame().line(1) == "> - milk")
  }

  @Test func `a plain line tells deleted text from the text of the version`() {
    var harness = Self.onDeleted()
    #expect(harness.state.plainLine().hasSuffix("  deleted line: Charlie three"))
    harness.type("g")
    #expect(harness.state.plainLine().hasSuffix("  line 1: Alpha one"))
  }

  @Test func `a selection has no deleted lines`() {
    var harness = Self.onDeleted()
    harness.type("vk")
    #expect(harness.state.frame().line(22).hasSuffix("0 lines selected"))
    let count = harness.requests.count
    for keys in ["y", "rs"] {
      harness.type(keys)
      #expect(harness.state.frame().line(23) == Self.message)
    }
    #expect(harness.requests.count == count)
    harness.type("k")
    #expect(harness.state.frame().line(22).hasSuffix("1 line selected"))
    #expect(Self.plain(harness, 2) == "| Bravo two")
    harness.type("y")
    #expect(harness.requests.last == .copy("Alpha one\n"))
    harness.type("rs")
    #expect(harness.requests.contains(.preview(.lines(at: 2, UTF16Range(0..<10)))))
  }
}
