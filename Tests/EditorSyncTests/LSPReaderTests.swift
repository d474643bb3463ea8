import EditModel
import EditProtocol
import TestSupport
import TextState
import Testing

@testable import EditorSync

/// One change, and the expected text.
struct Reading: Sendable, CustomTestStringConvertible {
  var client: String?
  var encodings: [String] = []
  var before: UTF16Text
  var range: String
  var text: UTF16Text
  var after: String
  var odd: [LSPAnomaly] = []

  init(
    by client: String? = nil, encodings: [String] = [], _ before: UTF16Text, _ range: String,
    _ text: UTF16Text, gives after: String, _ odd: LSPAnomaly...
  ) {
    (self.client, self.encodings, self.before) = (client, encodings, before)
    (self.range, self.text, self.after, self.odd) = (range, text, after, odd)
  }

  var testDescription: String {
    "\(client ?? "anybody"): \(before.description.debugDescription) \(range)"
  }
}

private func at(_ line: Int, _ character: Int) -> LSPPosition {
  LSPPosition(line: line, character: character)
}

struct LSPReaderTests {
  private static let lineEnds = [
    Reading("one\rtwo\rthree", "1:0-1:3", "TWO", gives: "one\rTWO\rthree"),
    Reading("a\rb\nc", "2:0-2:1", "X", gives: "a\rb\nX"),
    Reading("a\r\rb\r\n\r", "1:0-1:0", "X", gives: "a\rX\rb\r\n\r"),
    Reading("a\r\rb\r\n\r", "4:0-4:0", "X", gives: "a\r\rb\r\n\rX"),
    Reading("a\u{2029}b\rc", "0:2-1:0", "X", gives: "a\u{2029}Xc"),
    Reading("a\r\nb\r\n", "0:1-0:1", "X", gives: "aX\r\nb\r\n"),
    Reading("a\u{2028}b\nc", "0:3-0:3", "X", gives: "a\u{2028}bX\nc"),
    Reading("a\u{2029}b\nc", "1:1-1:1", "X", gives: "a\u{2029}b\ncX"),
    Reading("a\u{0}b\n", "0:2-0:2", "X", gives: "a\u{0}Xb\n"),
    Reading(by: "Visual Studio Code", "a\rb", "1:0-1:1", "X", gives: "a\rX"),
    Reading(encodings: ["utf-32"], "🙂\r🙂b", "1:1-1:2", "X", gives: "🙂\r🙂X"),
    // For these, a CR is a character.
    Reading(by: "Neovim", "a\rb\nc", "0:2-0:3", "X", gives: "a\rX\nc"),
    Reading(by: "Neovim", "a\rb\nc", "1:0-1:1", "X", gives: "a\rb\nX"),
    Reading(by: "emacs", "a\r\nb\nc\r\n", "0:2-1:1", "X", gives: "a\rX\nc\r\n"),
    Reading(by: "helix", "a\r\nb\r\n", "0:2-0:2", "X", gives: "a\rX\nb\r\n"),
  ]

  private static let columnsPastCRLF = [
    Reading(
      "hello\r\nworld\r\n", "0:5-0:999", "", gives: "hello\r\nworld\r\n",
      .columnPastEnd(at(0, 999), length: 5)),
    Reading(
      "hello\r\nworld\r\n", "0:0-0:999", "HI", gives: "HI\r\nworld\r\n",
      .columnPastEnd(at(0, 999), length: 5)),
    // Between the CR and the LF.
    Reading("a\r\nb", "0:0-0:2", "X", gives: "X\r\nb", .columnPastEnd(at(0, 2), length: 1)),
    Reading("\r\nb", "0:0-0:9", "X", gives: "X\r\nb", .columnPastEnd(at(0, 9), length: 0)),
    Reading("a\rb", "0:0-0:9", "X", gives: "X\rb", .columnPastEnd(at(0, 9), length: 1)),
    Reading(
      encodings: ["utf-32"], "🙂\r\nb", "0:1-0:9", "X", gives: "🙂X\r\nb",
      .columnPastEnd(at(0, 9), length: 1)),
    // The range begins after the CR.
    Reading(
      by: "emacs", "a\r\nb", "0:2-0:9", "X", gives: "a\rX\nb", .columnPastEnd(at(0, 9), length: 2)),
    Reading(
      by: "Neovim", "a\r\nb", "0:2-0:9", "X", gives: "a\rX\nb", .columnPastEnd(at(0, 9), length: 2)),
    Reading(
      by: "Neovim", "a\r\nb\r\n", "0:0-0:9", "X", gives: "X\r\nb\r\n",
      .columnPastEnd(at(0, 9), length: 2)),
    Reading(
      by: "emacs", "🙂\r\nb", "0:0-0:9", "X", gives: "X\r\nb", .columnPastEnd(at(0, 9), length: 2)),
  ]

  private static let oneLinePastTheEnd = [
    // Kate and Neovim: the last line, which has no newline, goes with "its" newline.
    Reading("a\nb", "1:0-2:0", "", gives: "a", .endOfFileForm),
    Reading("a\nb", "1:0-2:0", "c\n", gives: "a\nc", .endOfFileForm),
    Reading("a\nb", "1:0-2:0", "c", gives: "a\nc", .endOfFileForm),
    Reading("a\nb", "1:1-2:0", "\nc\n", gives: "a\nb\nc", .endOfFileForm),
    Reading("a", "0:0-1:0", "", gives: "", .endOfFileForm),
    Reading("", "0:0-1:0", "\na\n", gives: "\na", .endOfFileForm),
    // A text that ends in a newline: the line after it exists, the one after that does not.
    Reading("a\n", "0:1-1:0", "\nb\n", gives: "a\nb\n"),
    Reading("a\n", "1:0-2:0", "", gives: "a", .endOfFileForm),
    // The range starts there: the newline is really there.
    Reading("a", "1:0-1:0", "b", gives: "a\nb", .endOfFileForm),
    Reading("a", "1:0-1:0", "b\n", gives: "a\nb\n", .endOfFileForm),
    // In a text of CR LF the newline is that.
    Reading("a\r\nb", "1:0-2:0", "", gives: "a", .endOfFileForm),
    Reading("a\r\nb", "1:1-2:0", "\r\nc\r\n", gives: "a\r\nb\r\nc", .endOfFileForm),
    Reading("b", "0:1-1:0", "\r\nc\r\n", gives: "b\r\nc", .endOfFileForm),
    Reading("a\r\nb", "2:0-2:0", "c", gives: "a\r\nb\r\nc", .endOfFileForm),
    // In a text of mixed ends a CR is a character of its line.
    Reading(by: "helix", "x\na\r\nb", "2:0-3:0", "", gives: "x\na\r", .endOfFileForm),
  ]

  private static let lastNewlineOfLineHolders = [
    Reading(by: "Neovim", "a\nb\n", "0:0-2:0", "", gives: "\n", .keptLastNewline),
    Reading(by: "vim-lsp", "a\nb\n", "0:0-2:0", "", gives: "\n", .keptLastNewline),
    Reading(by: "vim-lsp", "a\nb\n", "all", "", gives: "\n", .keptLastNewline),
    Reading(by: "Neovim", "a\r\n", "0:0-1:0", "", gives: "\r\n", .keptLastNewline),
    Reading(by: "Neovim", "\n", "0:0-1:0", "", gives: "\n", .keptLastNewline),
    Reading(by: "Neovim", "a", "0:0-1:0", "", gives: "", .endOfFileForm),
    // A last line that is empty and has no newline.
    Reading(by: "Neovim", "a\n", "0:0-2:0", "", gives: "", .endOfFileForm),
    Reading(by: "Neovim", "a\n", "0:0-1:0", "b\n", gives: "b\n"),
    Reading(by: "Eglot", "a\nb\n", "0:0-2:0", "", gives: ""),
    Reading(by: "emacs", "a\nb\n", "all", "", gives: ""),
    Reading("a\nb\n", "0:0-2:0", "", gives: ""),
  ]

  private static let columns = [
    Reading("🙂é\n", "0:2-0:3", "X", gives: "🙂X\n"),
    Reading(by: "Eglot", "🙂é\n", "0:2-0:3", "X", gives: "🙂X\n"),
    Reading(by: "emacs", "🙂é\n", "0:1-0:2", "X", gives: "🙂X\n"),
    Reading(by: "emacs", encodings: ["utf-32", "utf-16"], "🙂é\n", "0:1-0:2", "X", gives: "🙂X\n"),
    Reading(encodings: ["utf-8", "utf-32", "utf-16"], "🙂é\n", "0:1-0:2", "X", gives: "🙂X\n"),
    Reading(encodings: ["utf-8", "utf-16"], "🙂é\n", "0:2-0:3", "X", gives: "🙂X\n"),
    Reading(by: "emacs", encodings: ["utf-16"], "🙂é\n", "0:2-0:3", "X", gives: "🙂X\n"),
    Reading(by: "emacs", "a\n𝒳👩‍🚀b", "1:4-1:5", "", gives: "a\n𝒳👩‍🚀"),
  ]

  private static let clamped = [
    Reading("ab\ncd", "0:9-0:9", "X", gives: "abX\ncd", .columnPastEnd(at(0, 9), length: 2)),
    Reading("ab\ncd", "1:1-1:7", "X", gives: "ab\ncX", .columnPastEnd(at(1, 7), length: 2)),
    Reading("ab\ncd", "0:1-9:0", "X", gives: "aX", .linePastEnd(at(9, 0), lineCount: 2)),
    Reading("ab\ncd", "7:3-7:3", "X", gives: "ab\ncdX", .linePastEnd(at(7, 3), lineCount: 2)),
    Reading(
      by: "emacs", "🙂b\n", "0:5-0:5", "X", gives: "🙂bX\n", .columnPastEnd(at(0, 5), length: 2)),
    Reading(
      "ab\ncd", "1:1-0:1", "X", gives: "aXd", .reversedRange(start: at(1, 1), end: at(0, 1))),
    Reading("🙂b", "0:1-0:1", "X", gives: "X🙂b", .insideSurrogatePair(at(0, 1), offset: 0)),
    Reading("🙂b", "0:1-0:3", "X", gives: "X", .insideSurrogatePair(at(0, 1), offset: 0)),
    Reading("a🙂b", "0:0-0:2", "X", gives: "Xb", .insideSurrogatePair(at(0, 2), offset: 3)),
  ]

  @Test(
    arguments: lineEnds + columnsPastCRLF + oneLinePastTheEnd + lastNewlineOfLineHolders + columns
      + clamped)
  func `a change gives the editor's own text`(_ reading: Reading) {
    var harness = LSPHarness(reading.client, encodings: reading.encodings)
    harness.open(reading.before)
    harness.change((reading.range, reading.text))
    #expect(harness.text() == reading.after)
    #expect(harness.anomalies == reading.odd)
  }

  @Test func `a change of the whole text is its difference, so that paragraphs live on`() {
    var harness = LSPHarness()
    harness.open("one\ntwo\nthree\n")
    let second = harness.states[document(LSPHarness.note)]?.paragraph(at: 1).id
    _ = harness.recorded()
    harness.change(("all", "zero\none\ntwo\nthree!\n"))
    #expect(harness.recorded() == [#"typing {0, 0} "zero\n""#, #"& typing {18, 0} "!""#])
    #expect(harness.states[document(LSPHarness.note)]?.paragraph(at: 2).id == second)
  }

  /// Neovim compares its lines from both ends, so it sends that a part of two lines was removed.
  @Test(arguments: [
    ("Neovim", "# N\n\nThe bees.\n\nThe cats.\n", "2:4-4:4", "", "{5, 11} \"\""),
    ("Neovim", "# N\n\nThe cats.\n", "2:4-2:4", "bees.\n\nThe ", #"{5, 0} "The bees.\n\n""#),
    ("vim-lsp", "The bees.\nThe cats.\n", "0:4-1:4", "", "{0, 10} \"\""),
    // There is no choice, or what was typed is known.
    ("Neovim", "The bees.\nA cat.\n", "0:4-1:2", "", "{4, 8} \"\""),
    ("Neovim", "ab\nab", "0:1-1:1", "", "{0, 3} \"\""),
    ("Neovim", "a\n", "0:1-0:1", "\n", #"{1, 0} "\n""#),
    ("Kate", "The bees.\nThe cats.\n", "0:4-1:4", "", "{4, 10} \"\""),
  ])
  func `of a client that compares texts, whole lines are taken`(
    client: String, before: String, range: String, text: String, edit: String
  ) {
    var harness = LSPHarness(client)
    harness.open(UTF16Text(before))
    _ = harness.recorded()
    harness.change((range, UTF16Text(text)))
    #expect(harness.recorded().map { $0.drop { $0 != "{" } } == [edit[...]])
  }

  @Test func `a change that changes nothing is no edit`() {
    var harness = LSPHarness()
    harness.open("one\n")
    _ = harness.recorded()
    harness.change(("0:1-0:1", ""))
    harness.change(("all", "one\n"))
    #expect(harness.recorded().isEmpty && harness.anomalies.isEmpty)
  }

  @Test func `an edit that no text can hold is dropped, and the next is read`() {
    var anomalies: [LSPAnomaly] = []
    let reader = LSPReader(
      client: LSPClient(InitializeParams()), bufferEndsInNewline: false)
    let state = TextState()
    let range = LSPRange(start: at(Int.max, Int.max), end: at(Int.max, Int.max))
    let change = DidChangeParams.Change(range: range, text: "x")
    #expect(reader.actions(for: change, in: state, noting: &anomalies).count == 1)
    #expect(anomalies == [.linePastEnd(at(Int.max, Int.max), lineCount: 1)])
  }

  @Test func `an edit inside lone surrogates is no edit inside a pair`() {
    var harness = LSPHarness()
    harness.open(UTF16Text(units: [0xDE42, 0xD83D, 0x61]))
    harness.change(("0:1-0:2", "X"))
    #expect(harness.text() == "\u{FFFD}Xa")
    #expect(harness.anomalies.isEmpty)
  }
}
