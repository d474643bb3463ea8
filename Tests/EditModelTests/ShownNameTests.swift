import EditModel
import TestSupport
import Testing

/// Names as they stand in a line: git's rule for paths, `core.quotePath` off.
@Suite struct ShownNameTests {
  @Test(arguments: [
    ("notes", "notes"), ("file:///home/ada/a b.md", "file:///home/ada/a b.md"),
    ("naïve/日本/😀", "naïve/日本/😀"), ("क्\u{200D}ष", "क्\u{200D}ष"), ("it's", "it's"),
    ("", #""""#), (" a", #"" a""#), ("a ", #""a ""#),
    ("a\"b", #""a\"b""#), ("a\\b", #""a\\b""#), ("a\nb\r\t", #""a\nb\r\t""#),
    ("\u{7}\u{8}\u{B}\u{C}", #""\a\b\v\f""#), ("\u{1B}[31m", #""\033[31m""#),
    ("\u{0}\u{7F}", #""\000\177""#), ("a\u{85}b", #""a\302\205b""#),
    ("a\u{202E}b", #""a\342\200\256b""#), ("a\u{2028}b", #""a\342\200\250b""#),
    ("\u{FEFF}a", #""\357\273\277a""#), ("a\u{E000}", #""a\356\200\200""#),
    ("\u{E0001}", #""\363\240\200\201""#),
  ])
  func `a name shows itself, or is quoted`(name: String, shown: String) {
    #expect(name.shown == shown)
    #expect(String(shown: shown) == name)
  }

  @Test(arguments: [
    "\"", "\"a", "\"a\"b", #""\""#, #""\x""#, #""\0""#, #""\08""#, #""\777""#, #""\200""#,
  ])
  func `what is no quoted name is none`(text: String) {
    #expect(String(shown: text) == nil)
  }

  @Test(arguments: seeds(20))
  func `every name comes back`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      var name = ""
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        let range: ClosedRange<UInt32> = Bool.random(using: &random) ? 0...0xFF : 0...0x10FFFF
        name.unicodeScalars.append(
          Unicode.Scalar(UInt32.random(in: range, using: &random)) ?? "\"")
      }
      let shown = name.shown
      #expect(shown.unicodeScalars.allSatisfy { $0.showsItself })
      #expect(String(shown: shown)?.utf8.elementsEqual(name.utf8) == true)
    }
  }
}
