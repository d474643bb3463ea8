import EditModel
import EditorSync
import FileWatch
import TestSupport
import Testing

@testable import EditLogCommands

/// What a file has besides its text stays when its text changes.
@Suite struct FileFormTests {
  private func units(_ text: String) -> [UInt16] { Array(text.utf16) }

  /// Bytes in the form of a text: a mark, line ends, a last newline.
  private func styled(_ text: String, mark: Bool, returns: Bool, newline: Bool) -> String {
    var text = text
    while text.utf8.last == UInt8(ascii: "\n") { text.unicodeScalars.removeLast() }
    if newline { text += "\n" }
    if returns {
      text = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
    }
    return (mark ? "\u{FEFF}" : "") + text
  }

  /// In a file with one form, the new text has this form: all forms, of the file and of the history's text.
  @Test(arguments: 1...40 as ClosedRange<UInt64>) func `a new text has the form of the file`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    func lines() -> String {
      (0..<Int.random(in: 1...6, using: &random)).map { _ in
        ["a", "b", "long line", "é", "", "x y"].randomElement(using: &random) ?? ""
      }.joined(separator: "\n") + "z"
    }
    for _ in 0..<50 {
      let (old, new) = (lines(), lines())
      let flags = (0..<5).map { _ in Bool.random(using: &random) }
      // The history has the form of an editor: LF, and mark and newline as it likes.
      let (mark, newline) = (flags[0], flags[1])
      func logged(_ text: String) -> String {
        styled(text, mark: mark, returns: false, newline: newline)
      }
      func written(_ text: String) -> String {
        styled(text, mark: flags[2], returns: flags[3], newline: flags[4])
      }
      let bytes = Array(written(old).utf8)
      let form = try #require(
        FileForm(bytes, of: UTF16Text(logged(old))), "seed \(seed), \(old.debugDescription)")
      let result = try form.bytes(of: UTF16Text(logged(new)), at: "/f")
      // A text without a line end says nothing of others.
      let expected =
        written(old).utf8.contains(0x0A)
        ? written(new) : styled(new, mark: flags[2], returns: false, newline: flags[4])
      #expect(
        String(decoding: result, as: UTF8.self) == expected,
        "seed \(seed): \(old.debugDescription) -> \(new.debugDescription), \(flags)")
    }
  }

  @Test func `the line ends of lines that stay are kept`() throws {
    for (file, old, new, expected) in [
      ("a\r\nb\nc\r\nd\r\n", "a\nb\nc\nd\n", "a\nb\nx\nc\nd\n", "a\r\nb\nx\r\nc\r\nd\r\n"),
      ("a\nb\n", "a\r\nb\r\n", "a\r\nx\r\nb\r\n", "a\nx\nb\n"),
      ("a\r\nb", "a\nb\n", "a\nb\nc\n", "a\r\nb\r\nc"),
      ("\u{FEFF}a\n", "a", "", "\u{FEFF}"), ("a\n", "a", "", ""), ("", "\n", "b\n", "b"),
      ("a\n", "a\n", "a", "a"), ("a\rb\r\n", "a\rb\n", "a\rc\n", "a\rc\r\n"),
      // A version that differs in the form only is the same file.
      ("\u{FEFF}a\n", "\u{FEFF}a\n", "a\nb\n", "\u{FEFF}a\nb\n"),
      ("a\r\nb\r\n", "a\r\nb\r\n", "a\nb\n", "a\r\nb\r\n"),
      ("a\r\nb\r\n", "a\nb\n", "a\r\nb\r\nc\r\n", "a\r\nb\r\nc\r\n"),
      ("a", "a", "a\r\nb", "a\r\nb"),
    ] {
      let result = FileForm.rewritten(units(file), from: units(old), to: units(new))
      #expect(String(decoding: result, as: UTF16.self) == expected, "\(file.debugDescription)")
    }
  }

  @Test func `a file of another text has no form`() {
    for file in ["other\n", "", "two\n\n", "two\nx", "\u{FEFF}\u{FEFF}two"] {
      #expect(FileForm(Array(file.utf8), of: UTF16Text("two\n")) == nil, "\(file.debugDescription)")
    }
    #expect(FileForm([0xFF, 0xFE, 0x00], of: UTF16Text("two\n")) == nil)
  }

  @Test func `the encoding of the file is found again`() throws {
    func written(_ old: String, _ new: String, _ encoding: String, mark: Bool = false) throws
      -> [UInt8]?
    {
      let encoding = try #require(TextEncoding(named: encoding))
      let mark = mark ? "\u{FEFF}" : ""
      let form = try #require(
        FileForm(encoding.encode(units(mark + old)) ?? [], of: UTF16Text(old)))
      let bytes = try form.bytes(of: UTF16Text(new), at: "/f")
      return encoding.decode(bytes).map { Array(String(decoding: $0, as: UTF16.self).utf8) }
    }
    for (old, new, encoding, mark) in [
      ("café\n", "café noir\n", "latin1", false), ("café €\n", "cafés €\n", "cp1252", false),
      ("hi\n", "hi ✓\n", "UTF-16LE", true), ("hi\n", "hi\n\n", "UTF-16BE", true),
      ("hi\n", "ho\n", "UTF-16LE", false), ("日本語のテキスト\n", "日本\n", "Shift_JIS", false),
      ("日本\n", "日本語\n", "ISO-2022-JP", false), ("Привет, мир\n", "Привет\n", "KOI8-R", false),
    ] {
      let found = try written(old, new, encoding, mark: mark)
      #expect(found.map { String(decoding: $0, as: UTF8.self) } == (mark ? "\u{FEFF}" : "") + new)
    }
    // Nothing is written that would be a guess.
    for (new, words) in [("café €\n", "ISO-8859-15"), ("caf✓\n", "lacks a character")] {
      let error = #expect(throws: CommandError.self) { try written("café\n", new, "latin1") }
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
  }
}
